// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/check.h"

#include <algorithm>

#include "base/require.h"
#include "base/spec.h"
#include "bochner/bandwidth.h"
#include "model/check_subject.h"
#include "model/map_parts.h"
#include "model/plan.h"
#include "model/plan_binning.h"
#include "run/stream.h"

namespace bochner {

namespace {

// The last rows of the survey's sample: the first are the ones that choices such as landmarks were made from.
struct CheckedRows {
  std::vector<std::uint64_t> numbers;
  Matrix<float> values;
};

CheckedRows checked_rows(const Survey& survey, const std::vector<MapPtr>& before, std::size_t most) {
  const std::size_t count = std::min(most, survey.sampled()), begin = survey.sampled() - count;
  const std::span<const Survey::SampledRow> sampled = survey.sample(survey.sampled()).subspan(begin);
  CheckedRows rows;
  Matrix<float> x(count, survey.schema().inputs);
  for (std::size_t i = 0; i < count; ++i) {
    rows.numbers.push_back(sampled[i].row);
    for (std::size_t k = 0; k < sampled[i].values.size(); ++k)
      x(i, survey.schema().sparse ? sampled[i].columns[k] : k) = float(sampled[i].values[k]);
  }
  for (const MapPtr& map : before) {
    RowBlock<float> block;
    block.rows = count;
    block.cols = block.stride = x.cols();
    block.values = x.data();
    Matrix<float> next(count, map->outputs());
    map->apply(cpu_backend(), block, next.view());
    x = std::move(next);
  }
  rows.values = std::move(x);
  return rows;
}

Survey survey_of(Rows& rows, std::uint64_t seed, Threads& threads, const Execution& execution) {
  Survey survey = Stream(rows, nullptr, threads, execution).fold(Survey(rows.schema(), seed), "survey");
  if (survey.rows() < 2) fail(Error::Kind::data, "check: found {} rows, expected at least 2", survey.rows());
  return survey;
}

MapCheck run(const CheckSubject& subject, const Survey& survey, const std::vector<MapPtr>& before,
             const CheckOptions& options, Threads& threads, std::vector<std::string> notes) {
  const CheckedRows rows = checked_rows(survey, before, options.sample);
  MapCheck check = check_subject_on(
      subject, rows.values.view(), [&](std::size_t i) { return rows.numbers[i]; }, options, threads);
  check.notes.insert(check.notes.begin(), notes.begin(), notes.end());
  return check;
}

}  // namespace

MapCheck check(Rows& rows, const TrainOptions& train_options, const CheckOptions& options) {
  TrainOptions chosen = train_options;
  require(Spec(chosen.map).name() != "none", "check: found map none, expected a map that has a kernel");
  require(map_parts(chosen).size() == 1,
          "check: found a mixture of maps, expected one; check the parts one by one, each with its kernel");
  const bool binning = asks_for_binning(chosen), unset = chosen.bandwidth.empty();
  if (unset) chosen.bandwidth = binning ? "1" : "median";  // of the grids: below
  require(chosen.bandwidth != "auto" || (!binning && rows.schema().targets > 0),
          "check: bandwidth auto fits the target on the rows, expected a target and another map than binning; train a "
          "model and check that");
  Threads threads(chosen.execution.threads);
  const Survey survey = survey_of(rows, options.seed, threads, chosen.execution);
  Plan plan = make_plan(rows.schema(), survey, chosen, threads);
  if (!binning) {
    const MapPtr map = plan.maps.back();
    plan.maps.pop_back();
    return run(*check_subject(map, chosen.double_precision), survey, plan.maps, options, threads, plan.notes);
  }
  BinningOptions grids = binning_fit(map_parts(chosen)[0].options, rows.schema().inputs, survey.rows()).binning;
  if (unset) {
    const Matrix<float> x = checked_rows(survey, plan.maps, options.sample).values;
    Matrix<double> sample(x.rows(), x.cols());
    std::copy_n(x.data(), x.rows() * x.cols(), sample.data());
    grids.length_scales = {median_bandwidth(laplacian(), sample.view())};
    plan.notes.push_back(fmt::format("bandwidth: {:.4g} by the median rule", grids.length_scales[0]));
    if (chosen.say) chosen.say(plan.notes.back());
  }
  return run(*check_grids(rows.schema().inputs, grids), survey, plan.maps, options, threads, plan.notes);
}

MapCheck check(Rows& rows, const Model& model, const CheckOptions& options, const Execution& execution) {
  Threads threads(execution.threads);
  CheckOptions given = options;
  if (!given.lambda && model.report().lambda > 0) given.lambda = model.report().lambda;
  const Survey survey = survey_of(rows, options.seed, threads, execution);
  std::vector<MapPtr> before = model.maps();
  // The head of a binning model holds its grids; other models have their features before it.
  const bool binning = model.report().map.starts_with("binning");
  const MapPtr map = binning ? model.head() : before.empty() ? nullptr : before.back();
  if (!binning && !before.empty()) before.pop_back();
  return run(*check_subject(map), survey, before, given, threads, {});
}

MapCheck check(const MapPtr& map, MatrixView<const float> rows, const CheckOptions& options,
               const Execution& execution) {
  require(map && rows.cols == map->inputs(), "check: rows of {} inputs, the map takes {}", rows.cols,
          map ? map->inputs() : 0);
  Threads threads(execution.threads);
  const std::size_t count = std::min(rows.rows, options.sample);
  return check_subject_on(
      *check_subject(map), rows.slice(0, count), [](std::size_t i) { return i; }, options, threads);
}

std::string MapCheck::text() const {
  std::string out = fmt::format("map       {}\nkernel    {}\nsample    {} rows, {} pairs\n", map, kernel, rows, pairs);
  out += fmt::format("error     z(x).z(y) - k(x, y): mean {:+.2e}, rms {:.2e}\n", mean_error, rms_error);
  out += fmt::format("worst     {:.2e}: rows {} and {}, k = {:.4f}, estimate {:.4f}\n", worst_error, worst_pair.first,
                     worst_pair.second, worst_kernel, worst_estimate);
  for (const Bound& bound : bounds) {
    const char* says = !one_sided && bound.epsilon >= 1 ? " (says nothing: k is at most 1)" : "";
    out += fmt::format("bound     {:.2e} for {}{}\n", bound.epsilon, bound.of, says);
  }
  if (bias)
    out += fmt::format("bias      {:+.2e}, standard deviation {:.2e}, of {} draws\n", *bias, *bias_deviation, draws);
  if (variance)
    out +=
        fmt::format("variance  {:.2e}, standard deviation {:.2e}, of {} draws", *variance, *variance_deviation, draws);
  if (variance && expected_variance) out += fmt::format("; {:.2e} by theory", *expected_variance);
  if (variance) out += "\n";
  out += fmt::format("spectral  {:.2e} of |K|_2; {:.2e} relative to K + lambda n I, lambda {:.3g}\n", spectral_error,
                     ridge_error, lambda);
  out += fmt::format("trace     {:+.2e} of tr K is missing{}\n", trace_error,
                     one_sided ? "; K - Z Z^T has no negative eigenvalue" : "");
  double most = 0;
  for (const Band& band : bands) most = std::max(most, band.rms_error);
  out += "by k         pairs  mean error  rms error" + std::string(expected_variance ? "  by theory" : "") + "\n";
  for (const Band& band : bands) {
    out += fmt::format("{:.1f}-{:.1f} {:>10}   {:+.2e}   {:.2e}", band.low, band.high, band.pairs, band.mean_error,
                       band.rms_error);
    if (band.expected_rms) out += fmt::format("   {:.2e}", *band.expected_rms);
    const int width = most > 0 ? int(0.5 + 30 * band.rms_error / most) : 0;
    out += fmt::format("  {:#<{}}\n", "", width);
  }
  for (const std::string& note : notes) out += fmt::format("note      {}\n", note);
  return out;
}

}  // namespace bochner
