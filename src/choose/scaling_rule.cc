// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/scaling_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "random/elementary.h"
#include "rows/column_inputs.h"

namespace bochner {

namespace {

using Method = ColumnScaling::Method;

constexpr double kSkewed = 1.0;  // skewness beyond which a positive input gets a logarithm
constexpr std::size_t kQuantiles = 256;
constexpr std::size_t kFewestShared = 16;  // inputs before "they all share one range" means anything

struct Moments {
  double mean = 0, deviation = 0, skewness = 0;
};

double largest_size(const std::vector<double>& values) {
  double most = 0;
  for (double v : values) most = std::max(most, std::abs(v));
  return most;
}

// unit: squares of values beyond 1e154 are not finite.
Moments moments(const std::vector<double>& values, double unit = 1) {
  Moments m;
  double second = 0, third = 0;
  for (double v : values) m.mean += v / double(values.size());
  for (double v : values) {
    const double c = (v - m.mean) / unit;
    second += c * c / double(values.size());
    third += c * c * c / double(values.size());
  }
  if (!std::isfinite(second * second) && unit == 1) return moments(values, largest_size(values));
  m.deviation = std::sqrt(second);
  m.skewness = second > 0 ? third / (second * m.deviation) : 0;
  m.deviation *= unit;
  return m;
}

// Sampled values of one input, zeros of sparse rows included.
std::vector<std::vector<double>> sampled_columns(const Schema& schema, const Survey& survey) {
  std::vector<std::vector<double>> columns(schema.inputs);
  const auto rows = survey.sample(survey.sampled());
  if (!schema.sparse)
    for (auto& column : columns) column.reserve(rows.size());
  for (const Survey::SampledRow& row : rows)
    for (std::size_t k = 0; k < row.values.size(); ++k)
      columns[schema.sparse ? row.columns[k] : k].push_back(row.values[k]);
  return columns;
}

// Most inputs have the same least value and more than half the same greatest one: pixels, answers on one scale.
// marks: inputs that are not asked.
bool share_one_range(const Survey& survey, const std::vector<char>& marks, double& low, double& high) {
  std::vector<double> lows, highs;
  for (std::size_t j = 0; j < survey.columns().size(); ++j)
    if (const Survey::ColumnFacts& c = survey.columns()[j]; c.max > c.min && !marks[j]) {
      lows.push_back(c.min);
      highs.push_back(c.max);
    }
  if (lows.size() < kFewestShared) return false;
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  low = lows[lows.size() / 2];
  high = highs[highs.size() / 2];
  const auto share = [](const std::vector<double>& v, double value) {
    return double(std::upper_bound(v.begin(), v.end(), value) - std::lower_bound(v.begin(), v.end(), value)) /
           double(v.size());
  };
  return share(lows, low) >= 0.8 && share(highs, high) >= 0.5 && highs.back() == high && !(low == 0 && high == 1);
}

// Finite where the spread is denormal.
double inverse(double spread) { return std::min(1 / spread, std::numeric_limits<double>::max()); }

ColumnScaling log_scaling(const std::vector<double>& values, double min) {
  ColumnScaling c{.method = Method::log, .offset = min};
  std::vector<double> positive;
  for (double v : values)
    if (v > min) positive.push_back(v - min);
  if (!positive.empty()) {
    const auto tenth = positive.begin() + std::ptrdiff_t(positive.size() / 10);
    std::nth_element(positive.begin(), tenth, positive.end());
    // Numbers so small that the others in this unit were beyond double are as good as zero.
    c.unit = std::max(std::min(1.0, *tenth), largest_size(positive) * 1e-290);
  }
  return c;
}

ColumnScaling left_out() { return {.method = Method::minmax, .factor = 0}; }

ColumnScaling scale_column(Method method, std::vector<double> values, const Survey::ColumnFacts& facts, bool centred) {
  ColumnScaling c{.method = method};
  const double range = facts.max - facts.min;
  if (method == Method::none || !(range > 0)) return {};
  if (!std::isfinite(range))
    fail(Error::Kind::data, "scaling: an input goes from {:g} to {:g}, expected a finite range; divide it by its unit",
         facts.min, facts.max);
  if (method == Method::minmax) {
    c.center = centred ? facts.min : 0;
    c.factor = inverse(centred ? range : std::max(std::abs(facts.min), std::abs(facts.max)));
    return c;
  }
  if (method == Method::quantile) {
    std::sort(values.begin(), values.end());
    for (std::size_t q = 0; q < kQuantiles; ++q)
      c.quantiles.push_back(
          values[std::size_t(std::llround(double(q) / (kQuantiles - 1) * double(values.size() - 1)))]);
    c.quantiles.front() = facts.min;
    c.quantiles.back() = facts.max;
    c.center = 0.5;
    c.factor = std::sqrt(12.0);  // a uniform rank has deviation 1 / sqrt(12)
    return c;
  }
  double low = facts.min, high = facts.max;
  if (method == Method::log) {
    c = log_scaling(values, centred ? facts.min : 0);
    const auto t = [&](double x) {
      return std::copysign(portable_log1p(std::abs(x - c.offset) / c.unit), x - c.offset);
    };
    for (double& v : values) v = t(v);
    low = t(low);
    high = t(high);
  }
  const Moments m = moments(values);
  c.center = centred ? m.mean : 0;
  // A sample may miss a rare value: then the range stands in for the deviation.
  c.factor = inverse(m.deviation > 1e-6 * (high - low) ? m.deviation : high - low);
  return c;
}

Method method_for(const std::vector<double>& values, const Survey::ColumnFacts& facts) {
  if (facts.indicator || !(facts.max > facts.min)) return Method::none;
  if (facts.min >= 0) {
    std::vector<double> logs = values;
    const ColumnScaling c = log_scaling(values, facts.min);
    for (double& v : logs) v = portable_log1p((v - c.offset) / c.unit);
    const double before = moments(values).skewness, after = moments(logs).skewness;
    if (before > kSkewed && std::abs(after) < before) return Method::log;
  }
  return Method::standardize;
}

}  // namespace

MapPtr ChosenScaling::map() const {
  const bool changes =
      std::any_of(columns.begin(), columns.end(), [](const ColumnScaling& c) { return c.method != Method::none; });
  return changes ? scaling(columns) : nullptr;
}

// The same in every row, zeros of sparse rows included.
bool is_constant(const Survey& survey, std::size_t input) {
  const Survey::ColumnFacts& facts = survey.columns()[input];
  if (!survey.schema().sparse) return facts.max == facts.min;
  return facts.nonzero == 0 || (facts.nonzero == survey.rows() && facts.max == facts.min);
}

ChosenScaling choose_scaling(const Schema& schema, const Survey& survey, const ScalingChoice& choice) {
  const bool centred = !schema.sparse;
  const std::vector<std::vector<double>> values = sampled_columns(schema, survey);
  std::vector<Method> methods(schema.inputs, choice.method.value_or(Method::none));
  ChosenScaling chosen{std::vector<ColumnScaling>(schema.inputs), "", {}};
  const std::vector<char> marks = mark_inputs(schema);
  double low = 0, high = 0;
  bool shared = false;
  if (!choice.method) {
    shared = share_one_range(survey, marks, low, high);
    for (std::size_t j = 0; j < schema.inputs && !shared; ++j)
      methods[j] = schema.sparse ? (survey.columns()[j].indicator ? Method::none : Method::minmax)
                                 : method_for(values[j], survey.columns()[j]);
  }
  for (const auto& [input, method] : choice.per_input) {
    require(input < schema.inputs, "scaling: input {} does not exist; there are {}", input, schema.inputs);
    methods[input] = method;
  }
  std::size_t counts[5] = {};
  for (std::size_t j = 0; j < schema.inputs; ++j) {
    require(!(schema.sparse && methods[j] == Method::quantile),
            "scaling: quantiles would fill the zeros of sparse rows; use minmax, standardize, log or none");
    if (!choice.keep_constants && is_constant(survey, j)) {
      chosen.columns[j] = left_out();
      chosen.constants.push_back(j);
      continue;
    }
    chosen.columns[j] = scale_column(methods[j], values[j], survey.columns()[j], centred);
    if (shared && methods[j] == Method::none && !marks[j])
      chosen.columns[j] = {.method = Method::minmax,
                           .center = centred ? low : 0,
                           .factor = 1 / (centred ? high - low : std::max(std::abs(low), std::abs(high)))};
    ++counts[int(chosen.columns[j].method)];
  }
  if (shared) {
    chosen.summary = fmt::format("all inputs share the range {:g} to {:g} and are divided by it", low, high);
    return chosen;
  }
  if (chosen.constants.size() == schema.inputs) chosen.summary = "no input varies";
  const char* words[] = {"left alone", "standardized", "by range", "by log", "by quantile"};
  for (int m : {1, 3, 4, 2, 0})
    if (counts[m]) chosen.summary += fmt::format("{}{} {}", chosen.summary.empty() ? "" : ", ", counts[m], words[m]);
  return chosen;
}

}  // namespace bochner
