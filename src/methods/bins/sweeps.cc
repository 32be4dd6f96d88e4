// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/sweeps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/pieces.h"
#include "methods/bins/pieces.h"

namespace bochner {

namespace {

constexpr std::size_t kBins = 16384;  // bins a thread takes at a time

float logistic(float t) { return 1.0f / (1.0f + std::exp(-t)); }

}  // namespace

GridSweeper::GridSweeper(Threads& threads, const GridTargets& targets, GridLoss loss, std::span<const double> intercept)
    : threads_(threads),
      targets_(targets),
      loss_(loss),
      n_(targets.rows()),
      K_(targets.outputs),
      state_(targets.code.size()),
      sums_(std::size_t(threads.count())) {
  float most_weight = 1, most_code = 1;
  for (const float w : targets.weight) most_weight = std::max(most_weight, w);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < K_; ++k) {
      const float y = targets.code[i * K_ + k], b = float(intercept[k]);
      state_[i * K_ + k] = loss == GridLoss::squared ? y - b : b;
      if (loss == GridLoss::squared) most_code = std::max(most_code, std::abs(y - b));
    }
  }
  // The objective never grows, so by Cauchy-Schwarz no sum of residuals passes n max w max |y|; 2^61 leaves room.
  const double largest = double(std::max<std::size_t>(n_, 1)) * double(most_weight) * double(most_code);
  per_unit_ = std::exp2(std::min(40.0, std::floor(61 - std::log2(largest))));
}

// Applies the last change to the rows and adds up the slopes of the next grid: both read every row's state.
template <bool kLogistic, bool kOne>
void GridSweeper::pass(const std::uint32_t* columns, std::size_t begin, std::size_t end, std::int64_t* sums) {
  const std::size_t K = kOne ? 1 : K_;
  const float unit = float(per_unit_);
  for (std::size_t i = begin; i < end; ++i) {
    const float w = targets_.weight_of(i);
    for (std::size_t k = 0; k < K; ++k) {
      float& state = state_[i * K + k];
      if (changed_) {
        const float change = change_[changed_[i] * K + k];
        state = kLogistic ? state + change : state - change;
      }
      if (!columns) continue;
      if constexpr (kLogistic) {
        const float y = targets_.code[i * K + k], miss = logistic(-y * state);
        std::int64_t* sum = sums + 2 * (columns[i] * K + k);
        sum[0] += std::int64_t(w * y * miss * unit);
        sum[1] += std::int64_t(w * miss * (1 - miss) * unit);
      } else {
        sums[columns[i] * K + k] += std::int64_t(w * state * unit);
      }
    }
  }
}

void GridSweeper::step(const std::uint32_t* columns, const OccupiedBins& bins, double shift, float* v) {
  const Threads::Undivided whole(threads_);
  const bool logistic = loss_ == GridLoss::logistic;
  const std::size_t cells = columns ? (bins.size() + 1) * K_ : 0;
  for (auto& sums : sums_)
    if (sums.size() < cells * (logistic ? 2 : 1)) sums.resize(cells * (logistic ? 2 : 1));
  in_pieces(threads_, n_, kPieceRows, [&](std::size_t begin, std::size_t count, int thread) {
    const std::size_t end = begin + count;
    std::int64_t* sums = sums_[std::size_t(thread)].data();
    if (K_ == 1)
      logistic ? pass<true, true>(columns, begin, end, sums) : pass<false, true>(columns, begin, end, sums);
    else
      logistic ? pass<true, false>(columns, begin, end, sums) : pass<false, false>(columns, begin, end, sums);
  });
  changed_ = columns;
  if (!columns) return;
  if (change_.size() < cells) change_.resize(cells);
  const std::size_t width = logistic ? 2 : 1;
  each_in_pieces(threads_, cells, kBins, [&](std::size_t c) {
    std::int64_t sum[2] = {0, 0};
    for (auto& sums : sums_)
      for (std::size_t s = 0; s < width; ++s) sum[s] += std::exchange(sums[width * c + s], 0);
    change_[c] = 0;
    if (c >= bins.size() * K_) return;  // forgotten bins
    const double slope = double(sum[0]) / per_unit_ - shift * double(v[c]);
    const double curvature = logistic ? double(sum[1]) / per_unit_ : double(bins.mass[c / K_]);
    if (curvature + shift <= 0) return;
    const float next = v[c] + float(slope / (curvature + shift));
    change_[c] = next - v[c];
    v[c] = next;
  });
}

void GridSweeper::finish() {
  if (changed_) step(nullptr, {}, 0, nullptr);
}

double GridSweeper::loss() const {
  return sum_rows(threads_, n_, [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < K_; ++k) {
      const double state = state_[i * K_ + k], y = targets_.code[i * K_ + k];
      sum += loss_ == GridLoss::squared ? 0.5 * state * state
                                        : std::max(0.0, -y * state) + std::log1p(std::exp(-std::abs(state)));
    }
    return double(targets_.weight_of(i)) * sum;
  });
}

void GridSweeper::slopes(std::vector<float>& slope, std::vector<float>& curvature) const {
  slope.resize(n_ * K_);
  curvature.resize(n_ * K_);
  each_in_pieces(threads_, n_, kPieceRows, [&](std::size_t i) {
    const float w = targets_.weight_of(i);
    for (std::size_t k = i * K_; k < (i + 1) * K_; ++k) {
      const float y = targets_.code[k], miss = loss_ == GridLoss::logistic ? logistic(-y * state_[k]) : 0;
      slope[k] = loss_ == GridLoss::logistic ? w * y * miss : w * state_[k];
      curvature[k] = loss_ == GridLoss::logistic ? w * miss * (1 - miss) : w;
    }
  });
}

std::vector<double> grid_intercept(const GridTargets& targets, GridLoss loss) {
  std::vector<double> mean(targets.outputs);
  double total = 0;
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    const double w = targets.weight_of(i);
    total += w;
    for (std::size_t k = 0; k < targets.outputs; ++k) mean[k] += w * double(targets.code[i * targets.outputs + k]);
  }
  for (double& m : mean) {
    m = total > 0 ? m / total : 0;
    // Half a row of each class keeps the odds of a class that all or no rows have finite.
    if (loss == GridLoss::logistic) m = std::log((total * (1 + m) + 1) / (total * (1 - m) + 1));
  }
  return mean;
}

}  // namespace bochner
