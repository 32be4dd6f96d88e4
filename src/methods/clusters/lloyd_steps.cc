// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/clusters/lloyd_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace bochner {

Matrix<double> next_centres(const LloydFold& sums, const Matrix<double>& centres) {
  Matrix<double> next = sums.sums();
  const std::vector<double> weights = sums.weights();
  for (std::size_t c = 0; c < next.rows(); ++c)
    for (std::size_t j = 0; j < next.cols(); ++j) next(c, j) = weights[c] > 0 ? next(c, j) / weights[c] : centres(c, j);
  return next;
}

double squared_step(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) {
    const double d = a.data()[i] - b.data()[i];
    sum += d * d;
  }
  return sum;
}

double settled_step(const LloydFold& sums, double tolerance, std::size_t features) {
  const Matrix<double> parts = sums.sums();
  const std::vector<double> weights = sums.weights();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double centre = 0;
  for (std::size_t j = 0; j < parts.cols(); ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < parts.rows(); ++c) sum += parts(c, j);
    centre += (sum / total) * (sum / total);
  }
  return tolerance * std::max(sums.squares() / total - centre, 0.0) / double(features);
}

void end_lloyd(Clustered& found, const LloydFold& sums, const Matrix<double>& centres, std::size_t features) {
  const std::vector<double> weights = sums.weights();
  const std::size_t asked = weights.size();
  std::vector<std::size_t> order(asked);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  while (order.size() > 1 && !(weights[order.back()] > 0)) order.pop_back();
  found.centres = Matrix<double>(order.size(), features);
  for (std::size_t c = 0; c < order.size(); ++c) {
    std::copy_n(&centres(order[c], 0), features, &found.centres(c, 0));
    found.weights.push_back(weights[order[c]]);
  }
  if (order.size() < asked)
    found.notes.push_back(fmt::format("clusters: {} of {}, since no more rows differ", order.size(), asked));
  if (found.mended > 0)
    found.notes.push_back(
        fmt::format("clusters: {} empty, each begun again at the row farthest from its centre", found.mended));
}

}  // namespace bochner
