// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The program of libFuzzer: FUZZ_TARGET names the target.

#include <cstdlib>

#include "fuzzing.h"

namespace {

const bochner::fuzzing::Target& chosen() {
  static const bochner::fuzzing::Target& target = [&]() -> const bochner::fuzzing::Target& {
    const char* name = std::getenv("FUZZ_TARGET");
    return bochner::fuzzing::target_named(name ? name : "");
  }();
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen().run({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return chosen().mutate(data, size, most, seed);
}
