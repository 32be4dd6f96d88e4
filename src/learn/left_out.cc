// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/left_out.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace bochner {

double LeftOutScore::loss() const {
  constexpr double kAlike = 0.25;
  return shared > kAlike ? std::numeric_limits<double>::infinity() : scorer.loss();
}

double shared_residuals(const std::vector<double>& left, const std::vector<double>& with_row, std::size_t at) {
  constexpr std::size_t kFewest = 10;
  const std::size_t n = left.size();
  if (n < kFewest) return 0;
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j)
    if (j != at && left[j] > 0 && left[at] > 0) sum += std::min(1.0, with_row[j] / left[j] * (with_row[j] / left[at]));
  return sum / double(n - 1);
}

std::size_t median_place(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + std::ptrdiff_t(order.size() / 2);
  std::nth_element(order.begin(), middle, order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] < values[b] : a < b;
  });
  return *middle;
}

}  // namespace bochner
