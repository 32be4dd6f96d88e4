// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/report/sample.h"

namespace bochner {

namespace {

constexpr std::size_t kMostRows = 300, kMostPlaces = 21, kMostLevels = 12, kMostCurves = 5, kFewValues = 12;

// The places of a column's curve, from its 2nd to its 98th percentile; every value if there are few. Missing cells do
// not count.
std::vector<double> places_of(const RowSample& sample, const ColumnInputs& column) {
  std::vector<double> values;
  for (std::size_t i = 0; i < sample.x.rows(); ++i)
    if (!column.marked || sample.x(i, column.first + 1) == 0) values.push_back(sample.x(i, column.first));
  if (values.empty()) return {column.fill};
  std::sort(values.begin(), values.end());
  std::vector<double> unique = values;
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  if (unique.size() <= kFewValues) return unique;
  const double last = double(values.size() - 1);
  const double low = values[std::size_t(0.02 * last)], high = values[std::size_t(std::ceil(0.98 * last))];
  if (!(high > low))
    return unique.size() > kMostPlaces ? std::vector<double>{unique.front(), low, unique.back()} : unique;
  std::vector<double> places;
  for (std::size_t k = 0; k < kMostPlaces; ++k)
    places.push_back(low + (high - low) * double(k) / double(kMostPlaces - 1));
  return places;
}

// The levels with most rows of the sample.
std::vector<std::size_t> frequent_levels(const RowSample& sample, const ColumnInputs& column) {
  std::vector<double> counts(column.count, 0.0);
  for (std::size_t i = 0; i < sample.x.rows(); ++i)
    for (std::size_t l = 0; l < column.count; ++l) counts[l] += sample.x(i, column.first + l) != 0;
  std::vector<std::size_t> order(column.count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  order.resize(std::min(kMostLevels, order.size()));
  return order;
}

// Which outputs become curves: every target or class, the most frequent of many.
std::vector<std::size_t> curves_of(const Model& model, const RowSample& sample) {
  const std::size_t classes = model.schema().labels.size();
  if (model.schema().task == Task::classification && classes == 2) return {1};
  std::vector<std::size_t> all(model.schema().task == Task::classification ? classes : model.outputs());
  std::iota(all.begin(), all.end(), 0u);
  if (all.size() <= kMostCurves || model.schema().task != Task::classification) {
    all.resize(std::min(all.size(), kMostCurves));
    return all;
  }
  std::vector<double> counts(classes, 0.0);
  for (std::size_t i = 0; i < sample.x.rows(); ++i) counts[std::size_t(sample.targets(i, 0))] += 1;
  std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  all.resize(kMostCurves);
  return all;
}

double shown(const Model& model, const double* prediction, std::size_t curve) {
  if (model.schema().task != Task::classification) return prediction[curve];
  if (model.has_probabilities()) return model.probabilities(prediction)[curve];
  return prediction[model.outputs() == 1 ? 0 : curve];
}

// The mean predictions of the curves over rows whose inputs of a column are these.
class MeanPredictions {
 public:
  MeanPredictions(const Model& model, const RowSample& sample, const ColumnInputs& column,
                  const std::vector<std::size_t>& curves)
      : model_(model), column_(column), curves_(curves), x_(std::min(kMostRows, sample.x.rows()), sample.x.cols()) {
    std::copy_n(sample.x.data(), x_.rows() * x_.cols(), x_.data());
  }

  // inputs: one for each of the column's.
  std::vector<double> at(const std::vector<double>& inputs) {
    const double rows = double(x_.rows());
    for (std::size_t i = 0; i < x_.rows(); ++i) std::copy(inputs.begin(), inputs.end(), &x_(i, column_.first));
    const Matrix<double> predictions = model_.predict(std::as_const(x_).view());
    std::vector<double> means;
    for (const std::size_t curve : curves_) {
      double mean = 0;
      for (std::size_t i = 0; i < x_.rows(); ++i) mean += shown(model_, &predictions(i, 0), curve) / rows;
      means.push_back(mean);
    }
    return means;
  }

 private:
  const Model& model_;
  const ColumnInputs& column_;
  const std::vector<std::size_t>& curves_;
  Matrix<double> x_;
};

}  // namespace

void find_dependence(const Model& model, const RowSample& sample, const std::vector<ColumnInputs>& columns,
                     const InsightOptions& options, const Execution& execution, Insight& insight) {
  const std::size_t count = std::min(options.most_shown, insight.importance.size());
  const std::vector<std::size_t> curves = curves_of(model, sample);
  const std::vector<std::string> names =
      model.schema().task == Task::classification ? model.schema().labels : model.puts_out().names;
  for (std::size_t k = 0; k < count && insight.importance[k].rise > 0; ++k) {
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const ColumnInputs& c) { return c.name == insight.importance[k].column; });
    Insight::Dependence found;
    found.column = column->name;
    for (const std::size_t c : curves) found.names.push_back(names[c]);
    found.means.resize(curves.size());
    const std::vector<std::size_t> levels =
        column->levels.empty() ? std::vector<std::size_t>() : frequent_levels(sample, *column);
    if (levels.empty()) found.at = places_of(sample, *column);
    found.dates = column->dates;
    for (const std::size_t l : levels) found.levels.push_back(column->levels[l]);
    const std::size_t places = levels.empty() ? found.at.size() : levels.size();
    MeanPredictions means(model, sample, *column, curves);
    for (std::size_t p = 0; p < places; ++p) {
      check_progress(execution, "dependence", (double(k) + double(p) / double(places)) / double(count));
      std::vector<double> inputs(column->count, 0.0);
      if (levels.empty())
        inputs[0] = found.at[p];
      else
        inputs[levels[p]] = 1;
      const std::vector<double> at = means.at(inputs);
      for (std::size_t c = 0; c < curves.size(); ++c) found.means[c].push_back(at[c]);
    }
    if (column->marked) found.missing = means.at({column->fill, 1});
    insight.dependence.push_back(std::move(found));
  }
}

}  // namespace bochner
