// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "bochner/archive.h"
#include "bochner/hmm.h"
#include "bochner/map.h"
#include "methods/mixtures/gaussians.h"

namespace bochner {

inline constexpr std::size_t kMostSlopes = 100000;  // rows on one side that a slope is taken over

// The states of hidden Markov models, one of each class, made ready for rows: all have as many states and components.
class HmmStates {
 public:
  // std::invalid_argument where sizes do not meet or a number is none that a probability or covariance can be.
  explicit HmmStates(const std::vector<Hmm>& hmms);

  std::size_t inputs() const { return densities_[0].inputs(); }
  std::size_t states() const { return log_weights_[0].rows(); }
  std::size_t components() const { return log_weights_[0].cols(); }

  // log_b(t, s) of model c; joint, where it is there: log(w_sm N(x_t; s, m)), T x S M.
  void log_densities(const Backend& on, MatrixView<const double> x, std::size_t c, MatrixView<double> log_b,
                     MatrixView<double> joint) const;

 private:
  std::vector<GaussianDensities<double>> densities_;
  std::vector<Matrix<double>> log_weights_;
};

// A map from rows to the log densities of all states of all classes. priors: of the classes.
MapPtr hmm_map(std::vector<Hmm> hmms, std::vector<double> priors, HmmFacts facts);
MapPtr load_hmm(const Archive& archive);

// Models of all classes, in an archive.
void save_hmms(const std::vector<Hmm>& hmms, Archive& archive);
std::vector<Hmm> load_hmms(const Archive& archive, std::size_t classes);

struct HmmParts {
  std::vector<Hmm> hmms;
  std::vector<double> priors;
  HmmFacts facts;
};
std::optional<HmmParts> hmm_parts(const Map& head);

}  // namespace bochner
