// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bochner/evaluation.h"
#include "bochner/execution.h"
#include "bochner/map.h"
#include "bochner/matrix.h"
#include "bochner/report.h"
#include "bochner/rows.h"
#include "bochner/schema.h"

namespace bochner {

// A chain of maps from encoded rows to predictions, with the schema that encodes them and the report of its training.
class Model {
 public:
  // Maps in order: scaling and features (either may be absent), then the head that predicts.
  // double_precision: rows are read and mapped in double, as in training.
  Model(Schema schema, std::vector<MapPtr> before_head, MapPtr head, Report report, bool double_precision = false);

  static Model load(const std::string& path);  // throws Error::Kind::model unless the file is whole and valid
  void save(const std::string& path) const;    // whole or not at all

  const Schema& schema() const { return schema_; }
  const Report& report() const { return report_; }
  void set_report(Report report) { report_ = std::move(report); }
  MapPtr map() const { return map_; }               // rows -> predictions
  MapPtr head() const { return head_; }             // features -> predictions
  MapPtr feature_map() const { return features_; }  // rows -> features; null when rows go straight to the head
  const std::vector<MapPtr>& maps() const { return before_head_; }  // those of feature_map(), in order
  bool double_precision() const { return double_precision_; }
  std::size_t outputs() const { return map_->outputs(); }
  std::string description() const;  // several lines for people

  // Predictions of every row: targets in their units, or scores (one for two classes, otherwise one per class).
  using Visit =
      std::function<void(const RowBlock<double>& predictions)>;  // with the rows' targets, where they have them
  void predict(Rows& rows, const Execution& execution, const Visit& visit) const;
  Matrix<double> predict(Rows& rows, const Execution& execution = {}) const;
  Matrix<double> predict(MatrixView<const float> x) const;
  Matrix<double> predict(MatrixView<const double> x) const;
  // The label of one row of scores.
  const std::string& label(const double* scores) const;

  // Whether scores stand for probabilities (a logistic head), and those of the classes for one row of scores.
  bool has_probabilities() const;
  std::vector<double> probabilities(const double* scores) const;
  void probabilities(const double* scores, double* of_classes) const;  // the same without an allocation

  Score evaluate(Rows& rows, const Execution& execution = {}) const;
  // The score in detail: each target or class, confusion, ranking, probabilities. One pass.
  // by_weight: rows count by their weights, where they have some.
  Evaluation examine(Rows& rows, const Execution& execution = {}, bool by_weight = true) const;

 private:
  Schema schema_;
  std::vector<MapPtr> before_head_;
  MapPtr head_, features_, map_;
  Report report_;
  bool double_precision_;
};

}  // namespace bochner
