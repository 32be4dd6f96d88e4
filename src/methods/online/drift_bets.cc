// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/online/drift_bets.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

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

double log_sum(double a, double b) {
  const double most = std::max(a, b);
  return std::isinf(most) ? most : most + std::log(std::exp(a - most) + std::exp(b - most));
}

}  // namespace

void DriftBets::restart() {
  ranks_ = {};
  count_ = 0;
  log_value_.fill(-std::numeric_limits<double>::infinity());
}

double DriftBets::add(double score) {
  if (ranks_.count() == kMostRanked) ranks_ = {};
  const OrderedScores::Place place = ranks_.add(score);
  const double t = double(++count_);
  const double p =
      (double(place.above) + uniform(seed_, Draw::visit, draws_++) * double(place.equal + 1)) / double(ranks_.count());
  double evidence = -std::log(t + 1);
  for (std::size_t k = 0; k < kExponents.size(); ++k) {
    const double e = kExponents[k];
    log_value_[k] = log_sum(log_value_[k], -std::log(t * (t + 1))) + std::log(e) + (e - 1) * std::log(p);
    evidence = log_sum(evidence, log_value_[k] - std::log(double(kExponents.size())));
  }
  return evidence;
}

}  // namespace bochner
