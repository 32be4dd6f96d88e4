// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// A stranger's program: public headers only.

#include <bochner/error.h>
#include <bochner/execution.h>
#include <bochner/kernel.h>
#include <bochner/map.h>
#include <bochner/rows.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> x = {0, 1}, y = {1, 3};
  const double value = bochner::kernel_value(bochner::gaussian(2.0), x, y);
  std::printf("gaussian kernel: %.17g\n", value);
  return std::abs(value - std::exp(-5.0 / 8.0)) < 1e-15 ? 0 : 1;
}
