// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   train(*rows).save("cars.model");
//   const Model model = Model::load("cars.model");
//   const auto fresh = open_rows("new.csv", model.schema());
//   const Matrix<double> prices = model.predict(*fresh);  // a row each

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bochner/background.h"
#include "bochner/calibration.h"
#include "bochner/deviation.h"
#include "bochner/evaluation.h"
#include "bochner/execution.h"
#include "bochner/intervals.h"
#include "bochner/map.h"
#include "bochner/matrix.h"
#include "bochner/outputs.h"
#include "bochner/report.h"
#include "bochner/rows.h"
#include "bochner/schema.h"

namespace bochner {

// A chain of maps from encoded rows to predictions, with the schema that encodes them and the report of its training.
//
// Thread-safe: any number of threads may call the const members of one model. A Rows belongs to one call at a time.
class Model {
 public:
  // Maps in order: scaling and features (either may be absent), then the head that predicts.
  // double_precision: rows are read and mapped in double, as in training.
  // outputs: what comes out; none: what the head says, otherwise values or scores of the schema's targets.
  Model(Schema schema, std::vector<MapPtr> before_head, MapPtr head, Report report, bool double_precision = false,
        std::optional<Outputs> outputs = {});

  static Model load(const std::string& path);  // throws Error::Kind::model unless the file is whole and valid
  void save(const std::string& path) const;    // whole or not at all

  const Schema& schema() const { return schema_; }
  const Report& report() const { return report_; }
  void set_report(Report report) { report_ = std::move(report); }
  MapPtr map() const { return map_; }               // rows -> predictions
  MapPtr head() const { return head_; }             // features -> predictions
  MapPtr feature_map() const { return features_; }  // rows -> features; null when rows go straight to the head
  const std::vector<MapPtr>& maps() const { return before_head_; }  // those of feature_map(), in order
  // What transform() makes of rows: the features that the head is linear in, with the bins that a head of grids holds
  // (those of a mixture behind its dense features, each part times the root of its weight), or all of a model that has
  // no target to predict, as a projection. std::invalid_argument if the report does not say what parts weigh.
  MapPtr transform_map() const;
  bool double_precision() const { return double_precision_; }
  std::size_t outputs() const { return map_->outputs(); }
  // Added in double to the values that map() gives, one per output, so that targets far from zero keep their digits.
  // Empty: nothing.
  const std::vector<double>& target_offsets() const { return target_offsets_; }
  // One for each target. The intervals, if there are any, are those of values without the offsets, and go along.
  void set_target_offsets(std::vector<double> offsets);
  const Outputs& puts_out() const { return puts_out_; }  // what they are, with a name for each
  std::string description() const;                       // several lines for people

  // Predictions of every row, as puts_out() says.
  using Visit = std::function<void(const RowBlock<double>& predictions)>;  // rows' targets included, if there are any
  void predict(Rows& rows, const Execution& execution, const Visit& visit) const;
  Matrix<double> predict(Rows& rows, const Execution& execution = {}) const;
  Matrix<double> predict(MatrixView<const float> x) const;
  Matrix<double> predict(MatrixView<const double> x) const;
  // The features of every row: what transform_map() gives, in the precision of the model; the inputs if it is null.
  // As double, some rows at a time: CSR if the map puts that out (Map::nonzeros()), otherwise dense.
  void transform(Rows& rows, const Execution& execution, const Visit& visit) const;

  // The label of one row of scores or probabilities.
  const std::string& label(const double* scores) const;

  // What was learnt on rows held out: probabilities from scores, and intervals of values. None: neither.
  const std::optional<Calibration>& calibration() const { return calibration_; }
  const std::optional<Intervals>& intervals() const { return intervals_; }
  void set_calibration(std::optional<Calibration> calibration);
  void set_intervals(std::optional<Intervals> intervals);
  // Learns either from rows with targets that the training did not see. What the model predicts stays as it is.
  void learn_uncertainty(Rows& unseen, const Execution& execution = {});

  // A standard deviation of each prediction: what the training kept for it (RidgeOptions::deviation), otherwise, where
  // there are intervals, that of their residuals about predictions of this size.
  const std::optional<Deviation>& deviation() const { return deviation_; }
  void set_deviation(std::optional<Deviation> deviation);
  bool has_deviation() const { return deviation_ || intervals_; }
  // As predict(), with the deviation of each output behind the outputs: 2 outputs() columns.
  void predict_with_deviation(Rows& rows, const Execution& execution, const Visit& visit) const;
  Matrix<double> predict_with_deviation(Rows& rows, const Execution& execution = {}) const;

  // Whether there are probabilities (a calibration, or a logistic head), and those of the classes for one row of
  // scores. A label is that of the largest score: near a tie a calibration may find another class likelier.
  bool has_probabilities() const;
  std::vector<double> probabilities(const double* scores) const;
  void probabilities(const double* scores, double* of_classes) const;  // the same without an allocation

  // Rows of the training for explain(), if they were kept (TrainOptions::keep_background).
  const std::optional<Background>& background() const { return background_; }
  void set_background(std::optional<Background> background);

  Score evaluate(Rows& rows, const Execution& execution = {}) const;
  // The score in detail: each target or class, confusion, ranking, probabilities. One pass.
  // by_weight: rows count by their weights, where they have some.
  Evaluation examine(Rows& rows, const Execution& execution = {}, bool by_weight = true) const;

 private:
  Outputs described(std::optional<Outputs> told) const;
  using Predict = std::function<void(const Visit& visit)>;
  static Matrix<double> gathered(std::size_t columns, const Predict& predict);
  void predict_by(const MapPtr& map, Rows& rows, const Execution& execution, const Visit& visit) const;
  Evaluation examine_density(const MapPtr& density, Rows& rows, const Execution& execution, bool by_weight) const;

  Schema schema_;
  std::vector<MapPtr> before_head_;
  MapPtr head_, features_, map_;
  Report report_;
  std::vector<double> target_offsets_;
  bool double_precision_, told_outputs_;  // told: by who made it, and saved
  Outputs puts_out_;
  std::optional<Calibration> calibration_;
  std::optional<Intervals> intervals_;
  std::optional<Deviation> deviation_;
  std::optional<Background> background_;
};

}  // namespace bochner
