// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/map_kind.h"
#include "folds/survey.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// Ridge on a sample of the surveyed rows, to compare maps before the real training, each at its best lambda: by
// leave-one-out where the sample is all rows and few, which is then what the training will report; otherwise by
// three-fold cross-validation from exact sums.
class SampleTrial {
 public:
  // scaling: applied to the sample once; may be null. checkpoint: logs what cross-validation finds; may be null.
  // lambdas: those that the training may take; empty: any.
  SampleTrial(const Schema& schema, const Survey& survey, const MapPtr& scaling, Threads& threads,
              Checkpoint* checkpoint = nullptr, std::vector<double> lambdas = {});
  // Some rows of another trial, which must outlive this one. Their judgement is coarse: it tries fewer lambdas.
  SampleTrial(const SampleTrial& all, const std::vector<std::size_t>& rows);
  SampleTrial(const SampleTrial&) = delete;
  SampleTrial& operator=(const SampleTrial&) = delete;

  // The rows of another trial, which must outlive this one, through one more map.
  SampleTrial(const SampleTrial& all, const MapPtr& map);

  // What trials of maps with so many features hold at their peak.
  static std::size_t most_rows(const Schema& schema);  // that are tried
  static double bytes(const Schema& schema, std::size_t rows, std::size_t features);

  struct Result {
    double loss = 0;
    double lambda = 0;
  };
  // map: from scaled inputs to features. Unless it is given, lambda is searched as the training will by leave-one-out;
  // by two decades from 1e-10 to 1, then by one about the best, by cross-validation.
  Result judge(const MapPtr& map) const;
  // Two thirds of at most kHeldOutRows rows judge a map by the third that is left: quick, to compare sizes of maps.
  // lambdas: those tried; empty: decades, downhill from `start`.
  Result hold_out(const MapPtr& map, const std::vector<double>& lambdas, double start) const;
  static constexpr std::size_t kHeldOutRows = 3000;
  // Whether maps of so many features are judged by leave-one-out: cheap, so that many may be tried.
  bool leaves_one_out(std::size_t features) const;

  // Whether searches by these trials should be short.
  bool coarse() const { return coarse_; }

  // A head on all of the sample's features, in coded targets, and those features.
  struct Fit {
    Coefficients head;
    Matrix<float> features;
  };
  Fit fit(const MapPtr& map, double lambda) const;
  // Adds the rows of another trial as such a head predicts them.
  void score(const MapPtr& map, double lambda, const SampleTrial& held, Scorer& to) const;
  Scorer empty_score() const { return Scorer(code_.task, code_.columns()); }

  std::size_t rows() const { return block_.rows; }
  Task task() const { return code_.task; }
  const double* targets(std::size_t row) const { return targets_.data() + row * block_.target_count; }
  const Matrix<float>& inputs() const { return inputs_; }
  LabelledRows labelled() const;

 private:
  void scale_inputs(const Matrix<double>& raw, const MapPtr& scaling);
  void view_rows(std::size_t target_count);
  Result leave_one_out(const MapPtr& map) const;
  Result cross_validate(const MapPtr& map) const;
  struct Split;
  double loss(const std::vector<Split>& splits, double lambda) const;
  Matrix<float> map_rows(const MapPtr& map, const RowBlock<float>& rows) const;
  RowBlock<float> features_block(const Matrix<float>& z) const;

  Workers on_;
  Checkpoint* checkpoint_;
  std::vector<double> lambdas_;
  TargetCode code_;
  double weight_bound_ = 0;
  bool all_rows_;  // the sample is all there is
  bool coarse_ = false;
  Matrix<float> inputs_;  // scaled, in random order
  std::vector<double> targets_, weights_;
  RowBlock<float> block_;
};

}  // namespace bochner
