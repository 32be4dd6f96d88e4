// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/loss_fold.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "folds/binned_sums.h"
#include "random/hold_out.h"
#include "run/part_sum.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

// Turns the scores of a row into slopes; the loss.
double slopes_of(const LossAt& at, double cost, const double* targets, double* u, std::size_t outputs) {
  if (!at.softmax()) {
    double value = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      const double y = (at.code.encode(targets, k) - at.center[k]) / at.unit[k];
      const LossCurve curve = at.loss.row.curve({cost, y, u[k], at.loss.parameter_of(k)});
      value += curve.value;
      u[k] = curve.slope;
    }
    return value;
  }
  const double most = *std::max_element(u, u + outputs);
  const auto label = std::size_t(targets[0]);
  double sum = 0;
  const double own = u[label];
  for (std::size_t k = 0; k < outputs; ++k) sum += u[k] = std::exp(u[k] - most);
  for (std::size_t k = 0; k < outputs; ++k) u[k] = cost * (u[k] / sum - (k == label ? 1 : 0));
  return cost * (std::log(sum) + most - own);
}

// The sums of one chunk's rows: (features + 1) x outputs, and the loss behind them.
template <class T>
std::vector<double> chunk_sums(const LossAt& at, const RowBlock<T>& z) {
  const std::size_t D = z.cols, K = at.intercept.size();
  Matrix<double> wide(z.rows, D), slopes(z.rows, K), sums(D, K);
  for (std::size_t i = 0; i < z.rows; ++i) std::copy_n(z.values + i * z.stride, D, &wide(i, 0));
  fixed_order::multiply(wide.view(), at.weights.view(), slopes.view());
  std::vector<double> all((D + 1) * K + 1);
  for (std::size_t i = 0; i < z.rows; ++i) {
    double* const u = &slopes(i, 0);
    const double weight = z.weights ? z.weights[i] : 1.0;
    if (!(weight > 0) || (at.fraction > 0 && is_held_out(at.seed, z.first + i, at.fraction))) {
      std::fill_n(u, K, 0.0);
      continue;
    }
    for (std::size_t k = 0; k < K; ++k) u[k] += at.intercept[k];
    all.back() += slopes_of(at, at.C * weight, z.targets + i * z.target_count, u, K);
    for (std::size_t k = 0; k < K; ++k) all[D * K + k] += u[k];
  }
  fixed_order::transposed_multiply(wide.view(), slopes.view(), sums.view());
  std::copy_n(sums.data(), D * K, all.begin());
  return all;
}

}  // namespace

LossFold::LossFold(std::shared_ptr<const LossAt> at)
    : at_(std::move(at)),
      features_(at_->weights.rows()),
      outputs_(at_->weights.cols()),
      sums_((features_ + 1) * outputs_ + 1) {}

template <class T>
void LossFold::add(const RowBlock<T>& z) {
  require(!z.sparse() && z.cols == features_, "loss: a block of {} columns, expected {} dense ones", z.cols, features_);
  const std::vector<double> part = chunk_sums(*at_, z);
  for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j].add(part[j]);
}

template void LossFold::add(const RowBlock<float>&);
template void LossFold::add(const RowBlock<double>&);

void LossFold::merge(const LossFold& other) {
  require(sums_.size() == other.sums_.size(), "loss: {} sums, expected {}", other.sums_.size(), sums_.size());
  for (std::size_t j = 0; j < sums_.size(); ++j) merge_in_order<BinnedSum>(sums_[j], {&other.sums_[j], 1});
}

void LossFold::save(Archive& archive) const { put_sums(archive, "sums", sums_); }
void LossFold::load(const Archive& archive) { sums_ = get_sums(archive, "sums", sums_.size()); }

}  // namespace bochner
