// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "bochner/fold.h"
#include "bochner/map.h"
#include "methods/mixtures/gaussian_sums.h"
#include "methods/mixtures/gaussians.h"

namespace bochner {

// Mixtures that a round of EM starts from: one for each group of rows (the classes of their first target, or all rows),
// each of M components; component m of group g is Gaussian g M + m.
struct MixtureRound {
  // `through`: a map that rows go through before densities are taken; sums are of the rows before it, about `centers`.
  // Null: no map, and sums are about the means of the Gaussians. double_precision: whether the rows come in double.
  MixtureRound(Gaussians gaussians, std::vector<double> weights, std::size_t groups, bool double_precision,
               MapPtr through = nullptr, std::shared_ptr<const GaussianCenters> centers = nullptr);

  std::size_t components() const { return gaussians.size() / groups; }
  template <class T>
  const GaussianDensities<T>& densities() const;

  Gaussians gaussians;
  std::vector<double> weights, log_weights;  // K; log 0 is -infinity
  std::size_t groups;
  MapPtr through;
  std::unique_ptr<const GaussianDensities<float>> narrow;  // one of them
  std::unique_ptr<const GaussianDensities<double>> wide;
  std::shared_ptr<const GaussianCenters> about;
};

// joint_to_shares of backend/gaussians.h for one row.
double shares_of_joint(double* joint, std::size_t count);

// One round: the rows' shares of the components (E step), and the sums that the M step takes.
class MixtureFold {
 public:
  explicit MixtureFold(std::shared_ptr<const MixtureRound> round)
      : round_(std::move(round)), sums_(round_->about), likelihoods_(round_->groups), rows_(round_->groups) {}

  template <class T>
  void add(const Workers& on, const RowBlock<T>& block);
  void merge(const MixtureFold& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const MixtureFold& other) const {
    return sums_ == other.sums_ && likelihoods_ == other.likelihoods_ && rows_ == other.rows_;
  }

  const GaussianSums& sums() const { return sums_; }
  // sum w log p(x) of a group, and sum w, of what the round started from.
  double log_likelihood(std::size_t group) const { return likelihoods_[group].value(); }
  double weight(std::size_t group) const;
  std::uint64_t rows(std::size_t group) const { return rows_[group]; }

 private:
  template <class T>
  void add_part(const Workers& on, const RowBlock<T>& block);

  std::shared_ptr<const MixtureRound> round_;
  GaussianSums sums_;
  std::vector<BinnedSum> likelihoods_;
  std::vector<std::uint64_t> rows_;
};

}  // namespace bochner
