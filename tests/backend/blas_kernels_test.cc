// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "backend/cpu/blas.h"

namespace bochner {
namespace {

// An OpenBLAS that does not know a processor takes the oldest kernels for it.
TEST(BlasKernels, AreNotOlderThanTheProcessor) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "no AVX2 here";
  if (std::getenv("OPENBLAS_CORETYPE")) GTEST_SKIP() << "OPENBLAS_CORETYPE has chosen";
  const std::set<std::string> old = {"Katmai",      "Coppermine", "Northwood", "Prescott",     "Banias",
                                     "Atom",        "Core2",      "Penryn",    "Dunnington",   "Nehalem",
                                     "Sandybridge", "Athlon",     "Opteron",   "Opteron_SSE3", "Barcelona",
                                     "Nano",        "Bobcat",     "Bulldozer", "Piledriver",   "Steamroller"};
  EXPECT_FALSE(old.contains(blas::kernels())) << blas::kernels();
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr);  // not left to programs that this one starts
#else
  GTEST_SKIP() << "x86-64 alone has such kernels";
#endif
}

TEST(BlasKernels, MultiplyAfterTheyWereChosen) {
  const std::size_t n = 37;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (std::size_t i = 0; i < n * n; ++i) {
    a[i] = double(i % 7) - 3;
    b[i] = double(i % 11) - 5;
  }
  blas::gemm(1.0, {blas::Op::plain, {a.data(), n, n, n}}, {blas::Op::plain, {b.data(), n, n, n}}, 0.0,
             {c.data(), n, n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      EXPECT_EQ(c[i * n + j], sum) << i << ", " << j;  // whole numbers
    }
}

}  // namespace
}  // namespace bochner
