// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/scaling_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

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

// Sampled values of one input. A weight counts how often a row is there; no weights: once each.
struct Sampled {
  std::vector<double> values, weights;
  double total = 0;  // the sum of the weights

  // A part of a mean that value i makes up.
  double share(double v, std::size_t i) const {
    return weights.empty() ? v / double(values.size()) : v * (weights[i] / total);
  }
  Sampled with(std::vector<double> other) const { return {std::move(other), weights, total}; }
};

double largest_size(const std::vector<double>& values) {
  double most = 0;
  for (double v : values) most = std::max(most, std::abs(v));
  return most;
}

// unit: squares of values beyond 1e154 are not finite.
Moments moments(const Sampled& sampled, double unit = 1) {
  const std::vector<double>& values = sampled.values;
  Moments m;
  double second = 0, third = 0;
  for (std::size_t i = 0; i < values.size(); ++i) m.mean += sampled.share(values[i], i);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double c = (values[i] - m.mean) / unit;
    second += sampled.share(c * c, i);
    third += sampled.share(c * c * c, i);
  }
  if (!std::isfinite(second * second) && unit == 1) return moments(sampled, largest_size(values));
  m.deviation = std::sqrt(second);
  m.skewness = second > 0 ? third / (second * m.deviation) : 0;
  m.deviation *= unit;
  return m;
}

// Whether some rows of the sample count more than others.
bool are_weighted(std::span<const Survey::SampledRow> rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Survey::SampledRow& row) { return row.weight != rows[0].weight; });
}

// Sampled values of each input, without the zeros of sparse rows.
std::vector<Sampled> sampled_columns(const Schema& schema, const Survey& survey) {
  std::vector<Sampled> columns(schema.inputs);
  const auto rows = survey.sample(survey.sampled());
  const bool weighted = are_weighted(rows);
  if (!schema.sparse)
    for (Sampled& column : columns) column.values.reserve(rows.size());
  for (const Survey::SampledRow& row : rows)
    for (std::size_t k = 0; k < row.values.size() && !(weighted && row.weight == 0); ++k) {
      Sampled& column = columns[schema.sparse ? row.columns[k] : k];
      column.values.push_back(row.values[k]);
      if (weighted) column.weights.push_back(row.weight);
      if (weighted) column.total += row.weight;
    }
  return columns;
}

// The value that a share q of the rows lies below.
std::vector<double> quantiles(const Sampled& sampled, std::size_t count) {
  std::vector<std::size_t> order(sampled.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sampled.values[a] != sampled.values[b] ? sampled.values[a] < sampled.values[b] : a < b;
  });
  std::vector<double> found;
  double below = sampled.weights.empty() ? 0 : sampled.weights[order[0]];
  std::size_t at = 0;
  for (std::size_t q = 0; q < count; ++q) {
    const double share = double(q) / double(count - 1);
    if (sampled.weights.empty()) {
      at = std::size_t(std::llround(share * double(order.size() - 1)));
    } else {
      while (at + 1 < order.size() && below < share * sampled.total) below += sampled.weights[order[++at]];
    }
    found.push_back(sampled.values[order[at]]);
  }
  return found;
}

// The value that a tenth of the rows lie below.
double lowest_tenth(Sampled& sampled) {
  if (!sampled.weights.empty()) return quantiles(sampled, 11)[1];
  const auto tenth = sampled.values.begin() + std::ptrdiff_t(sampled.values.size() / 10);
  std::nth_element(sampled.values.begin(), tenth, sampled.values.end());
  return *tenth;
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

ColumnScaling log_scaling(const Sampled& sampled, double min) {
  ColumnScaling c{.method = Method::log, .offset = min};
  Sampled positive;
  for (std::size_t i = 0; i < sampled.values.size(); ++i) {
    if (!(sampled.values[i] > min)) continue;
    positive.values.push_back(sampled.values[i] - min);
    if (!sampled.weights.empty()) positive.weights.push_back(sampled.weights[i]), positive.total += sampled.weights[i];
  }
  if (!positive.values.empty()) {
    const double tenth = lowest_tenth(positive);
    // Numbers so small that the others in this unit were beyond double are as good as zero.
    c.unit = std::max(std::min(1.0, tenth), largest_size(positive.values) * 1e-290);
  }
  return c;
}

ColumnScaling left_out() { return {.method = Method::minmax, .factor = 0}; }

ColumnScaling scale_column(Method method, Sampled sampled, const Survey::ColumnFacts& facts, bool centred) {
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
    c.quantiles = quantiles(sampled, kQuantiles);
    c.quantiles.front() = facts.min;
    c.quantiles.back() = facts.max;
    c.center = 0.5;
    c.factor = std::sqrt(12.0);  // a uniform rank has deviation 1 / sqrt(12)
    return c;
  }
  double low = facts.min, high = facts.max;
  if (method == Method::log) {
    c = log_scaling(sampled, centred ? facts.min : 0);
    const auto t = [&](double x) {
      return std::copysign(portable_log1p(std::abs(x - c.offset) / c.unit), x - c.offset);
    };
    for (double& v : sampled.values) v = t(v);
    low = t(low);
    high = t(high);
  }
  const Moments m = moments(sampled);
  c.center = centred ? m.mean : 0;
  // A sample may miss a rare value: then the range stands in for the deviation.
  c.factor = inverse(m.deviation > 1e-6 * (high - low) ? m.deviation : high - low);
  return c;
}

Method method_for(const Sampled& sampled, const Survey::ColumnFacts& facts) {
  if (facts.indicator || !(facts.max > facts.min)) return Method::none;
  if (facts.min >= 0) {
    std::vector<double> logs = sampled.values;
    const ColumnScaling c = log_scaling(sampled, facts.min);
    for (double& v : logs) v = portable_log1p((v - c.offset) / c.unit);
    const double before = moments(sampled).skewness, after = moments(sampled.with(std::move(logs))).skewness;
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
  const std::vector<Sampled> values = sampled_columns(schema, survey);
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
  std::vector<char> told(schema.inputs), kept(schema.inputs);
  for (const std::size_t input : choice.as_given) {
    methods[input] = Method::none;
    told[input] = kept[input] = 1;
  }
  for (const auto& [input, method] : choice.per_input) {
    require(input < schema.inputs, "scaling: input {} does not exist; there are {}", input, schema.inputs);
    methods[input] = method;
    told[input] = 1;
  }
  std::size_t counts[6] = {};
  for (std::size_t j = 0; j < schema.inputs; ++j) {
    require(!(schema.sparse && (methods[j] == Method::quantile || methods[j] == Method::whiten)),
            "scaling: {} would fill the zeros of sparse rows; use minmax, standardize, log or none",
            methods[j] == Method::whiten ? "whitening" : "quantiles");
    if (!choice.keep_constants && !kept[j] && is_constant(survey, j)) {
      chosen.columns[j] = left_out();
      chosen.constants.push_back(j);
      continue;
    }
    const bool whiten = methods[j] == Method::whiten;
    if (whiten) chosen.whitened.resize(schema.inputs, 0), chosen.whitened[j] = 1;
    chosen.columns[j] =
        scale_column(whiten ? Method::standardize : methods[j], values[j], survey.columns()[j], centred);
    if (shared && methods[j] == Method::none && !marks[j] && !told[j])
      chosen.columns[j] = {.method = Method::minmax,
                           .center = centred ? low : 0,
                           .factor = 1 / (centred ? high - low : std::max(std::abs(low), std::abs(high)))};
    ++counts[int(whiten ? Method::whiten : chosen.columns[j].method)];
  }
  if (shared) {
    chosen.summary = fmt::format("all inputs share the range {:g} to {:g} and are divided by it", low, high);
    return chosen;
  }
  if (chosen.constants.size() == schema.inputs) chosen.summary = "no input varies";
  const char* words[] = {"left alone", "standardized", "by range", "by log", "by quantile", "whitened together"};
  for (int m : {1, 3, 4, 2, 5, 0})
    if (counts[m]) chosen.summary += fmt::format("{}{} {}", chosen.summary.empty() ? "" : ", ", counts[m], words[m]);
  return chosen;
}

}  // namespace bochner
