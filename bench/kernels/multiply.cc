// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The heads of a model, rows x D by D x heads in an order that no machine or block changes, against sgemm.
// bench_multiply [--quick]

#include <fmt/format.h>

#include <random>

#include "backend/backend.h"
#include "backend/cpu/blas.h"
#include "timing.h"

namespace {

using namespace bochner;

void compare(std::size_t rows, std::size_t D, std::size_t heads, bool quick) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  Matrix<float> a(rows, D), b(D, heads), c(rows, heads);
  for (std::size_t i = 0; i < rows * D; ++i) a.data()[i] = normal(generator);
  for (std::size_t i = 0; i < heads * D; ++i) b.data()[i] = normal(generator);
  const auto sgemm = [&] { blas::gemm(1, {blas::Op::plain, a.view()}, {blas::Op::plain, b.view()}, 0, c.view()); };
  const auto ours = [&] { cpu_backend().multiply(a.view(), b.view(), 0.0f, c.view()); };
  const auto t = bench::interleaved({sgemm, ours}, quick ? 1 : 9, quick ? 0 : 0.02);
  const double flops = 2e-9 * double(rows) * double(D) * double(heads);
  fmt::print("{:5} {:6} {:6} {:8.1f} {:8.1f} {:9.2f}\n", rows, D, heads, flops / t[0], flops / t[1], t[1] / t[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  fmt::print("                        GF/s          time / time\n rows      D  heads    sgemm     ours    of sgemm\n");
  for (const std::size_t rows : {1, 192})
    for (const std::size_t D : {500, 5000})
      for (const std::size_t heads : {1, 10, 100}) compare(rows, D, heads, quick);
}
