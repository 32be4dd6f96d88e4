// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The Hadamard transform against the textbook loop, one thread: additions per second. bench_hadamard [--quick]

#include <fmt/format.h>

#include <vector>

#include "backend/backend.h"
#include "backend/hadamard_loop.h"
#include "timing.h"

namespace {

using namespace bochner;

template <class T>
void compare(const char* name, int m, bool quick) {
  const std::size_t n = std::size_t(1) << m;
  std::vector<T> x(n, T(0));  // zeros stay zeros, and take as long
  const int repeats = quick ? 1 : int(std::max<std::size_t>(1, (std::size_t(1) << 21) / n));
  const auto ours = [&] {
    for (int r = 0; r < repeats; ++r) cpu_backend().hadamard(MatrixView<T>{x.data(), 1, n, n});
  };
  const auto loop = [&] {
    for (int r = 0; r < repeats; ++r) hadamard_loop(x.data(), n);
  };
  const auto t = bench::least({ours, loop}, quick ? 1 : 40);
  const double adds = 1e-9 * double(n) * m * repeats;
  fmt::print("{:6} 2^{:<2} {:8.1f} {:8.1f} {:8.2f}\n", name, m, adds / t[0], adds / t[1], t[1] / t[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  fmt::print("       n      Gadd/s     loop    ratio\n");
  for (int m = 8; m <= 20; m += 2) compare<float>("float", m, quick);
  for (int m = 8; m <= 20; m += 4) compare<double>("double", m, quick);
}
