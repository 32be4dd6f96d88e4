// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/offsets.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "bochner/learner.h"
#include "choose/map_parts.h"
#include "folds/target_code.h"

namespace bochner {

namespace {

constexpr double kNarrow = 0x1p-8;    // range / largest |value| below which float may be too coarse
constexpr double kLost = 0x1p-17;     // rounding error / spread that matters
constexpr double kFar = 0x1p9;        // distance from zero / spread beyond which squares in float lose the spread
constexpr double kIndistinct = 1e-5;  // range / largest |value| that sparse rows cannot show
constexpr std::size_t kQuartileRows = 256;
constexpr double kSurelyExact = 0x1p16;  // whole numbers below were not rounded to whole ones by float

double size_of(const Survey::ColumnFacts& facts) { return std::max(std::abs(facts.min), std::abs(facts.max)); }

// What describes the middle of an input, whatever its outliers.
struct Middle {
  double median = 0, half = 0;  // half: of the rows lie within so much
  bool whole = true;            // numbers, and small ones
};

Middle middle_of(std::vector<double> values) {
  Middle middle;
  if (values.empty()) return middle;
  for (const double v : values) middle.whole = middle.whole && std::abs(v) < kSurelyExact && v == std::floor(v);
  const auto quantile = [&](double q) {
    const auto at = values.begin() + std::ptrdiff_t(q * double(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  middle.median = quantile(0.5);
  middle.half = quantile(0.75) - quantile(0.25);
  return middle;
}

std::vector<double> sampled_values(const Survey& survey, std::size_t input, std::size_t most) {
  std::vector<double> values;
  for (const Survey::SampledRow& row : survey.sample(most)) values.push_back(row.values[input]);
  return values;
}

}  // namespace

Saved saved_digits(const TrainOptions& options) {
  if (options.automatic || learner_row(options.learner.learner).has_neighbors) return Saved::points;
  const std::vector<PartPlan> parts = map_parts(options);
  const auto keeps = [](const PartPlan& part) { return part.kind->keeps_rows; };
  return std::any_of(parts.begin(), parts.end(), keeps) ? Saved::points : Saved::values;
}

bool may_lose_digits(const Survey& survey) {
  const bool sparse = survey.schema().sparse;
  for (std::size_t j = 0; j < survey.columns().size(); ++j) {
    const Survey::ColumnFacts& facts = survey.columns()[j];
    if (facts.indicator || facts.max < facts.min) continue;
    if (sparse && facts.nonzero < survey.rows()) continue;  // its spread is its size
    if (facts.max - facts.min < kNarrow * size_of(facts)) return true;
    if (sparse) continue;
    const Middle middle = middle_of(sampled_values(survey, j, kQuartileRows));
    if (!middle.whole && middle.half < kNarrow * std::abs(middle.median)) return true;
  }
  return false;
}

std::vector<double> column_offsets(const Survey& exact, Saved saved) {
  std::vector<double> offsets;
  if (exact.schema().sparse) return offsets;
  for (std::size_t j = 0; j < exact.columns().size(); ++j) {
    const Survey::ColumnFacts& facts = exact.columns()[j];
    if (facts.indicator || !(facts.max > facts.min)) continue;
    const std::vector<double> values = sampled_values(exact, j, exact.sampled());
    double error = 0;
    for (const double v : values) error = std::max(error, std::abs(v - double(float(v))));
    const Middle middle = middle_of(values);
    const double spread = middle.half > 0 ? middle.half : facts.max - facts.min;
    const bool far = saved == Saved::squares && std::abs(middle.median) > kFar * spread;
    if (!far && !(error > kLost * spread)) continue;
    offsets.resize(exact.columns().size());
    offsets[j] = middle.median;
  }
  return offsets;
}

std::vector<double> target_offsets(const Survey& survey) {
  std::vector<double> offsets;
  if (survey.schema().task != Task::regression) return offsets;
  for (std::size_t k = 0; k < survey.targets().size(); ++k) {
    std::vector<double> values;
    for (const Survey::SampledRow& row : survey.sample(survey.sampled())) values.push_back(row.targets[k]);
    const Survey::ColumnFacts& facts = survey.targets()[k];
    const Middle middle = middle_of(std::move(values));
    const double spread = middle.half > 0 ? middle.half : facts.max - facts.min;
    if (!lost_in_float(std::abs(middle.median), spread)) continue;
    offsets.resize(survey.targets().size());
    offsets[k] = middle.median;
  }
  return offsets;
}

void refuse_lost_inputs(const Survey& exact) {
  if (!exact.schema().sparse) return;
  for (std::size_t j = 0; j < exact.columns().size(); ++j) {
    const Survey::ColumnFacts& facts = exact.columns()[j];
    const double range = facts.max - facts.min;
    if (facts.nonzero == exact.rows() && range > 0 && range < kIndistinct * size_of(facts))
      fail(Error::Kind::data,
           "input {}: its values lie within {:.2g} of {:.6g}, too close to be told apart, and sparse rows are not "
           "centred; subtract {:.6g} from it, or store the rows as CSV",
           j + std::size_t(exact.schema().index_base), range, facts.min, facts.min);
  }
}

Survey settle_offsets(Survey seen, const std::function<Survey()>& in_double, Saved saved) {
  if (!may_lose_digits(seen)) return seen;
  seen.forget_sample();  // the two would take twice the memory
  const Survey exact = in_double();
  refuse_lost_inputs(exact);
  return exact.shifted(column_offsets(exact, saved));
}

std::string offsets_text(const Schema& schema) {
  constexpr std::size_t kMost = 6;
  const std::vector<std::string> names = schema.input_names();
  std::string text;
  std::size_t count = 0;
  for (std::size_t j = 0; j < schema.offsets.size(); ++j)
    if (schema.offsets[j] != 0 && ++count <= kMost)
      text += fmt::format("{}{} - {:.17g}", text.empty() ? "" : ", ", names[j], schema.offsets[j]);
  return count > kMost ? text + fmt::format(" and {} more", count - kMost) : text;
}

}  // namespace bochner
