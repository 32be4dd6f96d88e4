// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "folds/survey.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// Ridge on a sample of the surveyed rows, to compare maps before the real training: three-fold cross-validation from
// exact sums, the best lambda for each map.
class SampleTrial {
 public:
  // scaling: applied to the sample once; may be null. checkpoint: logs what cross-validation finds; may be null.
  SampleTrial(const Schema& schema, const Survey& survey, const MapPtr& scaling, Threads& threads,
              Checkpoint* checkpoint = nullptr);

  // What trials of maps with so many features hold at their peak.
  static double bytes(const Schema& schema, std::size_t rows, std::size_t features);

  struct Result {
    double loss = 0;
    double lambda = 0;
  };
  // map: from scaled inputs to features.
  // lambda is searched in whole decades from the given one: a good guess saves most of the time.
  Result cross_validate(const MapPtr& map, double lambda = 1e-6) const;

  // A head on all of the sample's features, in coded targets, and those features.
  struct Fit {
    Coefficients head;
    Matrix<float> features;
  };
  Fit fit(const MapPtr& map, double lambda) const;

  std::size_t rows() const { return block_.rows; }
  const Matrix<float>& inputs() const { return inputs_; }

 private:
  void scale_inputs(const Matrix<double>& raw, const MapPtr& scaling);
  Result try_map(const MapPtr& map, double lambda) const;
  Matrix<float> map_rows(const MapPtr& map, const RowBlock<float>& rows) const;
  RowBlock<float> features_block(const Matrix<float>& z) const;

  Workers on_;
  Checkpoint* checkpoint_;
  TargetCode code_;
  double weight_bound_;
  Matrix<float> inputs_;  // scaled, in random order
  std::vector<double> targets_, weights_;
  RowBlock<float> block_;
};

}  // namespace bochner
