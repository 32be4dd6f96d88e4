// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// transform() of rows in memory by a Fourier map, on one thread: the call that bench/ends/transform.py holds Python
// against. bench_transform [--quick]: 40,000 x 54 -> 500; a line of float's and double's least seconds.

#include "bochner/transform.h"

#include <fmt/format.h>

#include <random>

#include "timing.h"

namespace {

using namespace bochner;

template <class T>
double least_seconds(std::size_t rows, int turns) {
  constexpr std::size_t kInputs = 54, kFeatures = 500;
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  Matrix<T> x(rows, kInputs);
  for (std::size_t i = 0; i < rows * kInputs; ++i) x.data()[i] = T(normal(generator));
  const MapPtr map = fourier(kInputs, {.kernel = gaussian(5.0), .features = kFeatures});
  const MatrixView<const T> view{x.data(), rows, kInputs, kInputs};
  return bench::least({[&] { transform<T>(map, view, {.threads = 1}); }}, turns)[0];
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  const std::size_t rows = quick ? 1000 : 40000;
  const int turns = quick ? 1 : 9;
  fmt::print("{:.6f} {:.6f}\n", least_seconds<float>(rows, turns), least_seconds<double>(rows, turns));
}
