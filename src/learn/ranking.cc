// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ranking.h"

#include <algorithm>
#include <bit>
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

// Mann and Whitney: a row of the class wins against the rest below it, and half against those equal to it.
struct Wins {
  double below = 0, sum = 0, of_class = 0;
  void add(double class_weight, double rest_weight) {
    sum += class_weight * (below + rest_weight / 2);
    below += rest_weight;
    of_class += class_weight;
  }
  double share() const {
    const double pairs = of_class * below;
    return pairs > 0 ? sum / pairs : std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace

void Ranking::add(double score, bool of_class, double weight) {
  const Row row{score, weight, of_class};
  if (!exact()) return add_to_bin(row);
  rows_.push_back(row);
  if (rows_.size() <= most_) return;
  bins_.resize(std::size_t(1) << kBinBits);
  for (const Row& r : rows_) add_to_bin(r);
  std::vector<Row>().swap(rows_);
}

void Ranking::add_to_bin(const Row& row) {
  Bin& bin = bins_[bin_of(row.score)];
  (row.of_class ? bin.of_class : bin.rest) += row.weight;
}

double Ranking::area() const {
  Wins wins;
  for (const Bin& bin : bins_) wins.add(bin.of_class, bin.rest);
  std::vector<Row> sorted = rows_;
  std::sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.score < b.score; });
  for (std::size_t i = 0; i < sorted.size();) {
    const double score = sorted[i].score;
    Bin ties;
    for (; i < sorted.size() && sorted[i].score == score; ++i)
      (sorted[i].of_class ? ties.of_class : ties.rest) += sorted[i].weight;
    wins.add(ties.of_class, ties.rest);
  }
  return wins.share();
}

}  // namespace bochner
