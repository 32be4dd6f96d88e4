// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/blend.h"

#include <algorithm>
#include <cmath>

namespace bochner {

namespace {

constexpr double kLeast = 0.02;
// Predictions that vary far less than others do may still go along with the targets by chance, and a large weight would
// make much of what they do on other rows.
constexpr double kLeastVariation = 1e-3;  // squared, of that of the candidate that varies most, among those of use
constexpr int kMostSweeps = 10000;

std::vector<double> descend(const Matrix<double>& gram, std::span<const double> moment, const std::vector<char>& out) {
  const std::size_t k = moment.size();
  std::vector<double> b(k, 0.0);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double moved = 0;
    for (std::size_t i = 0; i < k; ++i) {
      if (out[i] || !(gram(i, i) > 0)) continue;
      double rest = moment[i];
      for (std::size_t j = 0; j < k; ++j)
        if (j != i) rest -= gram(i, j) * b[j];
      const double next = std::clamp(rest / gram(i, i), 0.0, kMostBlendWeight);
      moved = std::max(moved, std::fabs(next - b[i]));
      b[i] = next;
    }
    if (moved < 1e-10) break;
  }
  return b;
}

}  // namespace

std::vector<double> blend_weights(const Matrix<double>& gram, std::span<const double> moment) {
  std::vector<char> out(moment.size(), 0);
  double most = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (moment[i] >= kLeast * gram(i, i)) most = std::max(most, gram(i, i));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = gram(i, i) < kLeastVariation * most;
  for (;;) {
    std::vector<double> b = descend(gram, moment, out);
    std::size_t least = b.size();
    for (std::size_t i = 0; i < b.size(); ++i)
      if (!out[i] && b[i] < kLeast && (least == b.size() || b[i] < b[least])) least = i;
    if (least == b.size()) return b;
    out[least] = 1;
  }
}

}  // namespace bochner
