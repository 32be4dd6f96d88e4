// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "bochner/model.h"

namespace bochner {

void Model::set_calibration(std::optional<Calibration> calibration) {
  require(!calibration || (puts_out_.kind == Outputs::Kind::scores && calibration->shift.size() == outputs()),
          "calibration: of {} scores, the model puts out {} of {}", calibration ? calibration->shift.size() : 0,
          outputs(), outputs_name(puts_out_.kind));
  calibration_ = std::move(calibration);
}

void Model::set_intervals(std::optional<Intervals> intervals) {
  require(!intervals || (puts_out_.kind == Outputs::Kind::values && intervals->targets.size() == outputs()),
          "intervals: of {} values, the model puts out {} of {}", intervals ? intervals->targets.size() : 0, outputs(),
          outputs_name(puts_out_.kind));
  intervals_ = std::move(intervals);
}

void Model::learn_uncertainty(Rows& unseen, const Execution& execution) {
  const bool classes = puts_out_.kind == Outputs::Kind::scores;
  require(classes || puts_out_.kind == Outputs::Kind::values,
          "calibrate: the model puts out {}, expected scores or values", outputs_name(puts_out_.kind));
  require(unseen.schema().targets > 0, "calibrate: the rows have no target");
  std::vector<double> predictions, targets, weights;
  predict(unseen, execution, [&](const RowBlock<double>& p) {
    for (std::size_t i = 0; i < p.rows; ++i) {
      predictions.insert(predictions.end(), p.values + i * p.stride, p.values + i * p.stride + p.cols);
      targets.insert(targets.end(), p.targets + i * p.target_count, p.targets + (i + 1) * p.target_count);
      weights.push_back(p.weights ? p.weights[i] : 1.0);
    }
  });
  if (weights.empty()) fail(Error::Kind::data, "calibrate: found no rows, expected some that the training did not see");
  const std::size_t n = weights.size(), k = outputs();
  const MatrixView<const double> values{predictions.data(), n, k, k};
  if (classes)
    set_calibration(calibrate(values, targets, weights));
  else
    set_intervals(learn_intervals(values, {targets.data(), n, k, k}, weights));
}

}  // namespace bochner
