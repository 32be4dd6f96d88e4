// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "bochner/archive.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"
#include "folds/binned_sum.h"
#include "folds/target_code.h"
#include "learn/newton/losses.h"

namespace bochner {

// A smooth loss at a head: what a pass over the rows needs to know. Targets are coded, then less their mean and divided
// by their deviation: y = (t - center) / unit.
struct LossAt {
  const LossChoice& loss;
  const TargetCode& code;
  std::vector<double> center, unit;
  double C = 1;
  double fraction = 0;  // this share of the rows is held out
  std::uint64_t seed = 0;
  Matrix<double> weights;         // features x outputs
  std::vector<double> intercept;  // scores: z W + b

  bool softmax() const { return loss.row.probabilities && code.columns() > 1; }
};

// The sum of psi(z W + b) and its gradients: sum psi' z and sum psi'. Sums of chunks of 1024 rows, which are added
// exactly, so that rows may come in any parts.
class LossFold {
 public:
  explicit LossFold(std::shared_ptr<const LossAt> at);

  template <class T>
  void add(const RowBlock<T>& z);  // rows of one chunk
  void merge(const LossFold& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const LossFold& other) const { return sums_ == other.sums_; }

  double value() const { return sums_.back().value(); }
  double slope(std::size_t feature, std::size_t output) const { return sums_[feature * outputs_ + output].value(); }
  double slope_of_intercept(std::size_t output) const { return slope(features_, output); }

 private:
  std::shared_ptr<const LossAt> at_;
  std::size_t features_, outputs_;
  std::vector<BinnedSum> sums_;  // (features and the constant) x outputs, then the value
};

}  // namespace bochner
