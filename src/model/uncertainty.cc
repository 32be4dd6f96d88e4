// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "base/require.h"
#include "bochner/model.h"

namespace bochner {

void Model::set_target_offsets(std::vector<double> offsets) {
  const bool levels = puts_out_.kind == Outputs::Kind::quantiles;
  if (levels && offsets.size() == 1) offsets.assign(outputs(), offsets[0]);
  require(offsets.empty() || ((levels || puts_out_.kind == Outputs::Kind::values) && offsets.size() == outputs()),
          "model: found {} offsets, the model puts out {} of {}", offsets.size(), outputs(),
          outputs_name(puts_out_.kind));
  for (const double offset : offsets) require(std::isfinite(offset), "model: an offset of a target is not finite");
  for (std::size_t k = 0; k < offsets.size() && intervals_; ++k)
    for (double& prediction : intervals_->targets[k].predictions) prediction += offsets[k];
  target_offsets_ = std::move(offsets);
}

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

void Model::set_deviation(std::optional<Deviation> deviation) {
  require(!deviation || (puts_out_.kind == Outputs::Kind::values && deviation->targets.size() == outputs()),
          "deviation: of {} values, the model puts out {} of {}", deviation ? deviation->targets.size() : 0, outputs(),
          outputs_name(puts_out_.kind));
  require(!deviation || (deviation->variance && deviation->variance->inputs() == head_->inputs() &&
                         deviation->variance->outputs() == 1),
          "deviation: its map does not take the {} features of the head, or does not give one number", head_->inputs());
  for (std::size_t k = 0; deviation && k < deviation->targets.size(); ++k)
    require(std::isfinite(deviation->targets[k].noise + deviation->targets[k].scale),
            "deviation: the variance of target {} is not finite; divide the target by its unit", k);
  deviation_ = std::move(deviation);
}

void Model::set_background(std::optional<Background> background) {
  require(!background || background->rows.rows() > 0, "background: found no rows, expected some of the training");
  for (const std::uint32_t column : background ? background->rows.columns : std::vector<std::uint32_t>())
    require(column < schema_.inputs, "background: of column {}, the model takes {} inputs", column, schema_.inputs);
  background_ = std::move(background);
}

void Model::predict_with_deviation(Rows& rows, const Execution& execution, const Visit& visit) const {
  require(has_deviation(), "model: it has no deviations; train it with deviation, or calibrate it");
  const std::size_t k = outputs();
  std::vector<double> of_residuals(k, 1.0);
  for (std::size_t j = 0; j < k && !deviation_; ++j) of_residuals[j] = intervals_->targets[j].root_mean_square();
  const bool spreads = !deviation_ || (deviation_->rows > 0 && intervals_);
  const MapPtr head = deviation_ ? concat({head_, deviation_->variance}) : head_;
  Matrix<double> values;
  predict_by(features_ ? chain({features_, head}) : head, rows, execution, [&](const RowBlock<double>& p) {
    if (values.rows() < p.rows) values = Matrix<double>(p.rows, 2 * k);
    for (std::size_t i = 0; i < p.rows; ++i) {
      const double* found = p.values + i * p.stride;
      for (std::size_t j = 0; j < k; ++j) {
        values(i, j) = found[j];
        values(i, k + j) = (deviation_ ? deviation_->of(found[k], j) : of_residuals[j]) *
                           (spreads ? intervals_->targets[j].spread(found[j]) : 1);
      }
    }
    visit(p.with_values(std::as_const(values).view().slice(0, p.rows)));
  });
}

Matrix<double> Model::predict_with_deviation(Rows& rows, const Execution& execution) const {
  return gathered(2 * outputs(), [&](const Visit& visit) { predict_with_deviation(rows, execution, visit); });
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
