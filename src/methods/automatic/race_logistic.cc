// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <numeric>

#include "methods/automatic/blend.h"
#include "methods/automatic/logistic_blend.h"
#include "methods/automatic/race.h"

namespace bochner {

namespace {

constexpr double kMostScores = 1e7;  // that Newton steps pass over

// Candidates with a weight in the first column, which is that of all.
std::vector<std::size_t> weighed(const Matrix<double>& weights) {
  std::vector<std::size_t> support;
  for (std::size_t j = 0; j < weights.rows(); ++j)
    if (weights(j, 0) > 0) support.push_back(j);
  return support;
}

}  // namespace

FinalBlend RaceRows::by_squares(std::span<const Candidate> candidates, Numbers rows) const {
  FinalBlend out{weigh(candidates, rows), mean_};
  for (std::size_t k = 0; k < y_.cols(); ++k) {
    double total = 0;
    for (std::size_t j = 0; j < out.weights.rows(); ++j) total += out.weights(j, k);
    out.shift[k] *= 1 - total;
  }
  return out;
}

// The weights add up to what they did: only their ratios matter, since how sure to be is learnt from the scores later.
FinalBlend RaceRows::by_log_loss(std::span<const Candidate> candidates, Numbers rows, const ClassScores& classes,
                                 FinalBlend out) const {
  const std::vector<std::size_t> support = weighed(out.weights);
  if (support.empty()) return out;
  ClassScores scores = classes;
  double before = 0;
  for (const std::size_t j : support) {
    scores.machines.push_back(&candidates[j].held);
    before += out.weights(j, 0);
  }
  const LogisticBlend found = logistic_blend(scores, rows);
  const double sum = std::accumulate(found.weights.begin(), found.weights.end(), 0.0);
  if (!(sum > 0) || *std::max_element(found.weights.begin(), found.weights.end()) * before > kMostBlendWeight * sum)
    return out;
  for (std::size_t k = 0; k < y_.cols(); ++k) {
    out.shift[k] = found.shift[k] * before / sum;
    for (std::size_t s = 0; s < support.size(); ++s) out.weights(support[s], k) = found.weights[s] * before / sum;
  }
  return out;
}

Matrix<double> RaceRows::blended(std::span<const Candidate> candidates, const FinalBlend& by) const {
  Matrix<double> out(held_.size(), y_.cols());
  for (std::size_t p = 0; p < out.rows(); ++p)
    for (std::size_t k = 0; k < out.cols(); ++k) {
      out(p, k) = by.shift[k];
      for (std::size_t j = 0; j < by.weights.rows(); ++j) out(p, k) += by.weights(j, k) * candidates[j].held(p, k);
    }
  return out;
}

FinalBlend RaceRows::conclude(std::span<const Candidate> candidates, const Optimize& optimize) const {
  if (optimize.score == Optimize::Score::quantile) return conclude_by_pinball(candidates, optimize.level);
  std::vector<std::size_t> all(held_.size());
  std::iota(all.begin(), all.end(), 0u);
  FinalBlend squares = by_squares(candidates, all);
  squares.held = blend_crosswise(candidates);
  for (std::size_t k = 0; k < y_.cols(); ++k) {  // the model's constant is judged where it answers nothing else
    double total = 0;
    for (std::size_t j = 0; j < squares.weights.rows(); ++j) total += squares.weights(j, k);
    for (std::size_t p = 0; p < held_.size() && total == 0; ++p) squares.held(p, k) = squares.shift[k];
  }
  const double machines = double(weighed(squares.weights).size());
  if (code_.task != Task::classification || machines < 2 || optimize.score == Optimize::Score::error) return squares;
  if (double(held_.size()) * double(y_.cols()) * machines > kMostScores) return squares;
  ClassScores classes;
  for (const std::uint32_t row : held_) {
    classes.labels.push_back(std::size_t(targets_(row, 0)));
    classes.weights.push_back(weight(row));
  }
  // Both, with a slope and shifts of their own, on rows that did not choose them: neither log-loss nor error may rise.
  Matrix<double> held(held_.size(), y_.cols());
  double loss[2] = {0, 0};
  for (std::size_t part = 0; part < kCrosswiseParts; ++part) {
    std::vector<std::size_t> others, own;
    for (std::size_t p = 0; p < held_.size(); ++p) (crosswise_[p] == part ? own : others).push_back(p);
    const FinalBlend before = by_squares(candidates, others);
    const Matrix<double> found[2] = {blended(candidates, before),
                                     blended(candidates, by_log_loss(candidates, others, classes, before))};
    for (const int sharp : {0, 1}) {
      ClassScores scores = classes;
      scores.machines = {&found[sharp]};
      loss[sharp] += log_loss(scores, own, logistic_blend(scores, others));
    }
    for (const std::size_t p : own)
      for (std::size_t k = 0; k < y_.cols(); ++k) held(p, k) = found[1](p, k);
  }
  const bool may_err = optimize.score == Optimize::Score::log_loss;
  if (!(loss[1] < loss[0]) || (!may_err && *score(held).error > *score(squares.held).error)) return squares;
  FinalBlend best = by_log_loss(candidates, all, classes, squares);
  best.held = std::move(held);
  best.name = " by log-loss";
  return best;
}

}  // namespace bochner
