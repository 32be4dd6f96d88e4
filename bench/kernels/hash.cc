// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// GB/s of the checksum of model files beside memcpy of the same bytes: from the cache, and from memory.

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "base/hash64.h"
#include "timing.h"

int main() {
  using namespace bochner;
  for (const std::size_t bytes : {std::size_t(1) << 17, std::size_t(1) << 28}) {
    const std::vector<std::byte> from(bytes, std::byte(7));
    std::vector<std::byte> to(bytes);
    volatile std::uint64_t sink = 0;
    const std::vector<double> seconds = bench::interleaved(
        {[&] { sink = hash64(from); }, [&] { std::memcpy(to.data(), from.data(), bytes); }}, 9, 0.05);
    fmt::print("hash64 of {:>4} MiB: {:6.2f} GB/s, {:.2f} of memcpy\n", double(bytes) / (1 << 20),
               double(bytes) / seconds[0] / 1e9, seconds[1] / seconds[0]);
  }
}
