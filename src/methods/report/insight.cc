// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/insight.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/require.h"
#include "methods/report/sample.h"

namespace bochner {

namespace {

constexpr std::size_t kMostColumns = 2000, kMostInputs = 20000;
constexpr std::size_t kMostNumbers = 40000000;  // numbers in the sample: 320 MB

}  // namespace

Insight look_into(const Model& model, Rows& rows, const InsightOptions& options, const Execution& execution) {
  require(model.puts_out().of_targets(), "report: the model puts out {}, which no target tells{}",
          outputs_name(model.puts_out().kind),
          model.puts_out().kind == Outputs::Kind::quantiles ? "; train with one quantile" : "");
  require(options.sample > 0 && options.repeats > 0, "report: a sample of {} rows and {} shuffles, expected some",
          options.sample, options.repeats);
  Insight insight;
  insight.evaluation = model.examine(rows, execution, options.by_weight);
  if (insight.evaluation.score.rows == 0) fail(Error::Kind::data, "report: there are no rows, expected at least one");
  const std::size_t d = model.schema().inputs;
  const std::vector<ColumnInputs> columns = column_inputs(model.schema());
  if (d > kMostInputs) {
    insight.notes.push_back(
        fmt::format("{} inputs are too many to shuffle one by one: importance and dependence are left out", d));
    return insight;
  }
  const RowSample sample = sample_rows(
      model, rows, std::min(options.sample, std::max<std::size_t>(1, kMostNumbers / std::max<std::size_t>(1, d))),
      options.seed);
  insight.sample_rows = sample.x.rows();
  if (model.schema().task == Task::regression) {
    const Matrix<double> predictions = model.predict(sample.x.view());
    insight.pairs.resize(predictions.cols());
    for (std::size_t i = 0; i < predictions.rows(); ++i)
      for (std::size_t k = 0; k < predictions.cols(); ++k)
        insight.pairs[k].push_back({predictions(i, k), sample.targets(i, k)});
  }
  if (columns.size() > kMostColumns) {
    insight.notes.push_back(fmt::format(
        "{} columns are too many to shuffle one by one: importance and dependence are left out", columns.size()));
    return insight;
  }
  if (sample.x.rows() < 2) return insight;
  find_importance(model, sample, columns, options, execution, insight);
  find_dependence(model, sample, columns, options, execution, insight);
  return insight;
}

}  // namespace bochner
