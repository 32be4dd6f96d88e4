// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ranking.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bochner {

namespace {

constexpr int kBinBits = 19;  // sign, exponent and ten bits of the fraction

// Ascends as the score does: negative floats have their bits turned over.
std::size_t bin_of(double score) {
  const auto bits = std::bit_cast<std::uint32_t>(float(score) + 0.0f);  // -0 is 0
  const std::uint32_t ordered = bits >> 31 ? ~bits : bits | 0x80000000u;
  return ordered >> (32 - kBinBits);
}

}  // namespace

void ClassRanking::add(double score, bool of_class, double weight) {
  if (forgotten_) return;
  (of_class ? squares_of_class_ : squares_of_rest_) += weight * weight;
  const Row row{score, weight, of_class};
  if (!exact()) return add_to_bin(row);
  rows_.push_back(row);
  if (rows_.size() <= most_) return;
  forgotten_ = beyond_ == Beyond::forget;
  if (!forgotten_) {
    bins_.resize(std::size_t(1) << kBinBits);
    for (const Row& r : rows_) add_to_bin(r);
  }
  std::vector<Row>().swap(rows_);
}

void ClassRanking::add_to_bin(const Row& row) {
  Tie& bin = bins_[bin_of(row.score)];
  (row.of_class ? bin.of_class : bin.rest) += row.weight;
}

std::vector<ClassRanking::Tie> ClassRanking::ties() const {
  if (!exact()) return bins_;
  std::vector<Row> sorted = rows_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.score < b.score; });
  std::vector<Tie> ties;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i].score != sorted[i - 1].score) ties.emplace_back();
    (sorted[i].of_class ? ties.back().of_class : ties.back().rest) += sorted[i].weight;
  }
  return ties;
}

// Mann and Whitney: a row of the class wins against the rest below it, and half against those equal to it. By chance
// the share of m n pairs deviates by sqrt((m + n + 1) / (12 m n)); rows of unequal weights count as fewer.
ClassRanking::Area ClassRanking::area() const {
  double of_class = 0, rest = 0, sum = 0;
  for (const Tie& tie : ties()) {
    sum += tie.of_class * (rest + tie.rest / 2);
    of_class += tie.of_class;
    rest += tie.rest;
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (!(of_class * rest > 0)) return {none, none};
  const double m = of_class * of_class / squares_of_class_, n = rest * rest / squares_of_rest_;
  return {sum / (of_class * rest), std::sqrt((m + n + 1) / (12 * m * n))};
}

std::vector<Evaluation::RankingPoint> ClassRanking::curve() const {
  constexpr double kStep = 0.01;  // share of either axis
  const std::vector<Tie> sorted = ties();
  double of_class = 0, rest = 0, found = 0, alarms = 0;
  for (const Tie& tie : sorted) of_class += tie.of_class, rest += tie.rest;
  std::vector<Evaluation::RankingPoint> points;
  if (!(of_class * rest > 0)) return points;
  for (std::size_t i = sorted.size(); i-- > 0;) {
    found += sorted[i].of_class;
    alarms += sorted[i].rest;
    if (!(found + alarms > 0)) continue;
    const Evaluation::RankingPoint point{found / of_class, alarms / rest, found / (found + alarms)};
    if (points.empty() || i == 0 || point.recall - points.back().recall >= kStep ||
        point.false_alarms - points.back().false_alarms >= kStep)
      points.push_back(point);
  }
  return points;
}

}  // namespace bochner
