// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/online/drift_bets.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "random/draw.h"

namespace bochner {

OrderedScores::Place OrderedScores::add(double number) {
  Place place;
  if (parts_.empty()) parts_.emplace_back();
  std::size_t home = parts_.size() - 1;
  for (std::size_t p = parts_.size(); p-- > 0;) {
    const std::vector<double>& part = parts_[p];
    if (!part.empty() && part.front() > number) {
      place.above += part.size();
      if (p > 0) home = p - 1;
      continue;
    }
    const auto [from, to] = std::equal_range(part.begin(), part.end(), number);
    place.above += std::uint64_t(part.end() - to);
    place.equal += std::uint64_t(to - from);
    if (from != part.begin()) break;  // equal numbers may begin in a part before
  }
  std::vector<double>& part = parts_[home];
  part.insert(std::upper_bound(part.begin(), part.end(), number), number);
  ++count_;
  if (part.size() > kMost) {
    std::vector<double> upper(part.begin() + kMost / 2, part.end());
    part.resize(kMost / 2);
    parts_.insert(parts_.begin() + std::ptrdiff_t(home) + 1, std::move(upper));
  }
  return place;
}

namespace {

// The share of what was there at first that has not been bet after so many beginnings.
double not_bet(std::uint64_t beginnings) { return 1 / (1 + std::log2(1 + double(beginnings) / 16) / 2); }

}  // namespace

void DriftBets::restart() {
  ranks_ = {};
  count_ = 0;
  value_.fill(0);
}

double DriftBets::add(double score) {
  if (ranks_.count() == kMostRanked) ranks_ = {};
  const OrderedScores::Place place = ranks_.add(score);
  const double p =
      (double(place.above) + uniform(seed_, Draw::visit, draws_++) * double(place.equal + 1)) / double(ranks_.count());
  double sum = 0;
  for (std::size_t b = 0; b < kBets.size(); ++b) {
    const auto [e, stride] = kBets[b];
    const std::uint64_t begun = count_ / stride;
    if (count_ % stride == 0) value_[b] += not_bet(begun) - not_bet(begun + 1);
    value_[b] *= e * std::exp((e - 1) * std::log(p));
    sum += value_[b] + not_bet(begun + 1);
  }
  ++count_;
  return std::log(sum / double(kBets.size()));
}

}  // namespace bochner
