// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/drift_columns.h"

#include <algorithm>
#include <cmath>

namespace bochner {

namespace {

constexpr std::size_t kBins = 32;

// Edges between quantiles of the values: halfway between neighbours where there are few.
std::vector<float> edges_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::vector<double> distinct = values;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<float> edges;
  const auto add = [&](double edge) {
    if (edges.empty() || float(edge) > edges.back()) edges.push_back(float(edge));
  };
  if (distinct.empty()) return {0.0f, std::nextafter(0.0f, HUGE_VALF)};  // every cell of the sample is missing
  if (distinct.size() == 1)  // what differs from the only value was in no sample
    return {float(distinct[0]), std::nextafter(float(distinct[0]), HUGE_VALF)};
  if (distinct.size() <= kBins) {
    for (std::size_t k = 1; k < distinct.size(); ++k) add(0.5 * distinct[k - 1] + 0.5 * distinct[k]);
    return edges;
  }
  for (std::size_t k = 1; k < kBins; ++k) add(values[k * values.size() / kBins]);
  return edges;
}

// Statistics of one column in one permutation. difference: of the shares of its bins; share: of all rows.
//   texts:   sum d^2 / share over the levels
//   numbers: the same over bins joined 1, 2, 4, ... at a time, and the squared difference of the distribution functions
//            weighed by share (Cramer & von Mises); and the first of missing cells beside all others
std::size_t count_statistics(const ColumnBins::Column& column) {
  if (column.levels) return 1;
  std::size_t count = column.marked ? 2 : 1;
  if (column.numbers() > 2) ++count;
  for (std::size_t joined = 2; 2 * joined <= column.numbers(); joined *= 2) ++count;
  return count;
}

void statistics(const ColumnBins::Column& column, const double* difference, const double* share, double* out) {
  const std::size_t bins = column.levels ? column.bins() : column.numbers();
  const auto chi = [&](std::size_t joined) {
    double sum = 0;
    for (std::size_t k = 0; k < bins; k += joined) {
      double d = 0, s = 0;
      for (std::size_t l = k; l < std::min(bins, k + joined); ++l) d += difference[l], s += share[l];
      if (s > 0) sum += d * d / s;
    }
    return sum;
  };
  *out++ = chi(1);
  if (column.marked) {
    const double d = difference[bins], s = share[bins];
    *out++ = s > 0 && s < 1 ? d * d / (s * (1 - s)) : 0;
  }
  if (column.levels || bins <= 2) return;
  double below = 0, sum = 0;
  for (std::size_t k = 0; k + 1 < bins; ++k) {
    below += difference[k];
    sum += below * below * 0.5 * (share[k] + share[k + 1]);
  }
  *out++ = sum;
  for (std::size_t joined = 2; 2 * joined <= bins; joined *= 2) *out++ = chi(joined);
}

}  // namespace

ColumnBins choose_bins(const Schema& schema, MatrixView<const double> sample) {
  ColumnBins bins;
  std::size_t input = 0;
  const auto number = [&](bool marked) {
    std::vector<double> values;
    for (std::size_t i = 0; i < sample.rows; ++i)
      if (!marked || sample(i, input + 1) == 0) values.push_back(sample(i, input));
    bins.add({.input = input, .marked = marked, .edges = edges_of(std::move(values))});
    input += marked ? 2 : 1;
  };
  if (schema.columns.empty())
    while (input < schema.inputs) number(false);
  for (const Column& column : schema.columns) {
    if (column.kind == Column::Kind::numeric) number(column.marked);
    if (column.kind != Column::Kind::category) continue;
    bins.add({.input = input, .inputs = column.levels.size(), .levels = true});
    input += column.levels.size();
  }
  return bins;
}

std::vector<Drift::ColumnChange> test_columns(const Workers& on, const ExchangePlan& plan,
                                              MatrixView<const double> exchanges, const ColumnBins& bins,
                                              const BlockCounts (&counts)[2]) {
  const std::size_t first = plan.blocks[0], tests = bins.columns.size();
  const double n = double(plan.rows[0]), m = double(plan.rows[1]), both = n + m;
  BlockTable table{bins.width,
                   [&](std::size_t b, std::size_t j) {
                     return double(b < first ? counts[0].counts()(b, j) : counts[1].counts()(b - first, j));
                   },
                   [&](int sample, std::size_t j) { return double(counts[sample].rest()[j]); }};
  std::vector<double> share(bins.width);
  std::vector<Drift::ColumnChange> columns(tests);
  Matrix<double> scores(exchanges.rows, tests);
  for (std::size_t c = 0; c < tests; ++c) {
    const ColumnBins::Column& column = bins.columns[c];
    Drift::ColumnChange& change = columns[c];
    change.text = column.levels;
    for (std::size_t k = 0; k < column.bins(); ++k) {
      const std::size_t j = column.first + k;
      double of[2] = {table.rest(0, j), table.rest(1, j)};
      for (std::size_t b = 0; b < plan.all_blocks(); ++b) of[b < first ? 0 : 1] += table.at(b, j);
      share[j] = (of[0] + of[1]) / both;
      change.share_reference.push_back(of[0] / n);
      change.share_new.push_back(of[1] / m);
      change.distance += 0.5 * std::fabs(of[0] / n - of[1] / m);
    }
    if (column.marked) {
      change.missing_reference = change.share_reference.back();
      change.missing_new = change.share_new.back();
      change.share_reference.pop_back();
      change.share_new.pop_back();
    }
    // The sums over the first sample less its share: times 1/n + 1/m the difference of the shares.
    Matrix<double> differences(exchanges.rows, column.bins());
    const std::size_t edges[2] = {column.first, column.first + column.bins()};
    exchanged_sums(on, plan, exchanges, table, edges, [&](std::size_t begin, MatrixView<const double> sums) {
      for (std::size_t p = 0; p < sums.rows; ++p)
        for (std::size_t j = 0; j < sums.cols; ++j)
          differences(p, begin - column.first + j) = sums(p, j) * (1 / n + 1 / m);
    });
    Matrix<double> several(exchanges.rows, count_statistics(column)), normal(exchanges.rows, several.cols());
    for (std::size_t p = 0; p < exchanges.rows; ++p)
      statistics(column, &differences(p, 0), share.data() + column.first, &several(p, 0));
    for (std::size_t h = 0; h < several.cols(); ++h) {
      std::vector<double> one(exchanges.rows);
      for (std::size_t p = 0; p < exchanges.rows; ++p) one[p] = several(p, h);
      one = normal_scores(one);
      for (std::size_t p = 0; p < exchanges.rows; ++p) normal(p, h) = one[p];
    }
    const std::vector<double> all = fused(normal.view());
    for (std::size_t p = 0; p < exchanges.rows; ++p) scores(p, c) = all[p];
    change.statistic = all[0];
    change.p_value_alone = permutation_p_value(all);
  }
  const std::vector<double> corrected = corrected_p_values(scores.view());
  for (std::size_t c = 0; c < tests; ++c) columns[c].p_value = corrected[c];
  return columns;
}

}  // namespace bochner
