// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/ranges.h>

#include "base/require.h"
#include "bochner/watch.h"
#include "learn/learn_on.h"
#include "methods/online/state.h"
#include "rows/shard.h"
#include "rows/shifted.h"
#include "rows/weighted.h"

namespace bochner {

std::string dropped_by_learning_on(const Model& model) {
  if (!learns_on(model)) return "";
  std::vector<std::string> parts;
  if (model.calibration()) parts.push_back("calibration");
  if (model.intervals()) parts.push_back("intervals");
  if (model.deviation()) parts.push_back("deviations");
  if (model.background()) parts.push_back("rows for explain");
  return fmt::format("{}", fmt::join(parts, ", "));
}

Model learnt_on(const Model& model, Rows& given, const Execution& execution) {
  const LearnsOn* const sort = learns_on(model);
  require(
      sort != nullptr,
      "watch: the model is no logistic regression, k-NN, mixture, k-means or anomaly score, which alone learn on from "
      "where they stand; train it anew");
  check_schema(given, model.schema());
  Threads threads(execution);
  std::unique_ptr<Rows> owner, shifted, less_targets, by_class, in_unit;
  Rows& plain = with_target_offsets(with_offsets(numbered_from_0(given, owner), model.schema().offsets, shifted),
                                    model.target_offsets(), less_targets);
  const std::vector<double>& class_weights = model.report().class_weights;
  if (!class_weights.empty()) by_class = class_weighted_rows(plain, class_weights);
  Rows& rows = by_class ? *by_class : plain;
  const Precision precision = model.double_precision() ? Precision::float64 : Precision::float32;
  Survey survey = Stream(rows, nullptr, threads, execution, precision).fold(Survey(rows.schema(), 0), "survey");
  if (survey.rows() == 0 || survey.largest_weight() == 0)
    fail(Error::Kind::data, "watch: there are no rows that weigh anything");
  const double unit = survey.usual_weight();
  if (unit != 1) in_unit = rows_weighed_in(rows, unit);
  survey.weigh_in(unit);
  LearntOn learnt =
      sort->learn(model, Stream(in_unit ? *in_unit : rows, nullptr, threads, execution, precision), survey);
  Report report = model.report();
  report.rows = survey.rows();
  report.score.reset();
  report.path.clear();
  report.seconds.clear();
  report.notes = std::move(learnt.notes);
  report.notes.push_back("learnt on from rows of a stream, by frozen choices");
  const Outputs out = learnt.head->puts_out().value_or(model.puts_out());  // EM may have dropped components
  Model next(model.schema(), std::move(learnt.maps), std::move(learnt.head), std::move(report),
             model.double_precision(), out);
  next.set_target_offsets(model.target_offsets());
  return next;
}

}  // namespace bochner
