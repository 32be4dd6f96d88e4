// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/check.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/option.h"
#include "base/require.h"
#include "bochner/bandwidth.h"
#include "choose/map_parts.h"
#include "choose/offsets.h"
#include "choose/plan.h"
#include "choose/plan_memory.h"
#include "methods/bins/data.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/plan_binning.h"
#include "methods/check/subject.h"
#include "rows/shifted.h"
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
  Matrix<double> x(count, survey.schema().inputs);
  for (std::size_t i = 0; i < count; ++i) {
    rows.numbers.push_back(sampled[i].row);
    for (std::size_t k = 0; k < sampled[i].values.size(); ++k)
      x(i, survey.schema().sparse ? sampled[i].columns[k] : k) = sampled[i].values[k];
  }
  for (const MapPtr& map : before) x = mapped<double>(*map, x.view());
  rows.values = Matrix<float>(count, x.cols());
  std::copy_n(x.data(), count * x.cols(), rows.values.data());
  return rows;
}

// Length scales that are found by fitting the target.
bool searches(const TrainOptions& options) {
  const std::vector<PartPlan> parts = map_parts(options);
  return std::any_of(parts.begin(), parts.end(),
                     [](const PartPlan& part) { return part.bandwidth.rule == Bandwidth::Rule::searched_per_input; });
}

// settle: offsets are to be found, as in training; otherwise the rows come as they are.
Survey survey_of(Rows& rows, std::uint64_t seed, Threads& threads, const Execution& execution, bool wide, bool settle) {
  check_survey_memory(rows.schema(), threads.count(), execution);
  const auto look = [&](Precision precision) {
    return Stream(rows, nullptr, threads, execution, precision).fold(Survey(rows.schema(), seed), "survey");
  };
  Survey survey = look(wide ? Precision::float64 : Precision::float32);
  if (settle && !wide) survey = settle_offsets(std::move(survey), [&] { return look(Precision::float64); });
  if (survey.rows() < 2) fail(Error::Kind::data, "check: found {} rows, expected at least 2", survey.rows());
  return survey;
}

// A check of rows that were looked over.
struct CheckRun {
  const Survey& survey;
  const CheckOptions& options;
  Threads& threads;
  const Execution& execution;

  // Kernel, estimate, variance, their sums over draws and two factors for the spectrum: numbers for each pair of rows.
  void check_memory(const CheckSubject& subject) const {
    const double n = double(std::min(options.sample, survey.sampled()));
    MemoryPlan plan = program_memory(threads.count(), 0);
    plan.add("pairs", 6 * n * n * sizeof(double));
    plan.add("features", 3 * n * double(subject.features()) * sizeof(double));  // and what they are made from
    plan.add("sampled rows", double(survey.sampled()) * double(survey.schema().inputs) * sizeof(double));
    say_or_refuse(plan, double(memory_limit(execution)), fmt::format("a check of {} rows", n),
                  fmt::format("check fewer rows, or raise {}", Option::memory), {});
  }

  MapCheck operator()(const CheckSubject& subject, const std::vector<MapPtr>& before,
                      const std::vector<std::string>& notes) const {
    check_memory(subject);
    const CheckedRows rows = checked_rows(survey, before, options.sample);
    MapCheck check = check_subject_on(
        subject, rows.values.view(), [&](std::size_t i) { return rows.numbers[i]; }, options, threads);
    check.notes.insert(check.notes.begin(), notes.begin(), notes.end());
    return check;
  }
};

// Grids as training would draw them. Length scales that training would search are searched where the options say auto,
// which takes a target; otherwise they are the median rule's. scaling: of the rows that the grids see; may be null.
struct PlannedGrids {
  BinningOptions grids;
  std::vector<std::string> notes = {};
};
PlannedGrids planned_grids(Rows& rows, const Survey& survey, const MapPtr& scaling, const TrainOptions& options,
                           std::size_t sampled, Threads& threads) {
  const bool mixture = has_mixed_bins(options.map);
  const std::size_t inputs = rows.schema().inputs;
  BinningFit fit = mixture ? mixture_fit(options, inputs, survey.rows()).bins
                           : binning_fit(options, map_parts(options)[0], inputs, survey.rows());
  BinningOptions& grids = fit.binning;
  std::vector<std::string> notes;
  const auto note = [&](const std::string& text) {
    notes.push_back(text);
    if (options.say) options.say(text);
  };
  if (grids.order_high > 0) grids.groups = group_inputs(rows.schema().input_names());
  if (fit.search_scales && searches(options)) {
    Report found;
    const Precision precision = options.double_precision ? Precision::float64 : Precision::float32;
    choose_scales(Stream(rows, scaling, threads, options.execution, precision), survey, fit, found);
    for (const std::string& text : found.notes) note(text);
  } else if (fit.search_scales) {
    const Matrix<float> x =
        checked_rows(survey, scaling ? std::vector<MapPtr>{scaling} : std::vector<MapPtr>(), sampled).values;
    Matrix<double> sample(x.rows(), x.cols());
    std::copy_n(x.data(), x.rows() * x.cols(), sample.data());
    grids.length_scales = {median_bandwidth(laplacian(), sample.view())};
    note(fmt::format("bandwidth{}: {:.4g} by the median rule", mixture ? " of the bins" : "", grids.length_scales[0]));
  }
  if (fit.fit.pursuit > 1)
    note(fmt::format("grids: plain draws; training picks each from {} by the target", fit.fit.pursuit));
  return {grids, std::move(notes)};
}

std::unique_ptr<CheckSubject> mixture_subject(const Plan& plan, const TrainOptions& options,
                                              const BinningOptions& grids, std::vector<std::string>& notes) {
  const MixtureFit fit = mixture_fit(options, plan.dense->inputs(), 0);
  if (!fit.dense_weight) notes.push_back("weights: 1 each; training chooses them on rows held out");
  std::vector<CheckPart> parts;
  parts.push_back({fit.dense_weight.value_or(1), nullptr, check_subject(plan.dense, options.double_precision)});
  parts.push_back({fit.bins_weight, plan.bins_scaling, check_grids(plan.dense->inputs(), grids)});
  return check_mixture(std::move(parts));
}

// A head of grids holds them; others are coefficients on the features before.
bool holds_kernel(const MapPtr& head) { return head->check_subject(head, false) != nullptr; }

// The kernels that heads hold, and the maps of them that have none.
struct HeldKernels {
  std::vector<CheckPart> parts = {};
  std::vector<std::string> without = {};
};

// The kernels that a map holds. A chain's are those of its last map that holds any: the maps after it are coefficients.
// A sum's are those of its parts, which share its weight. before: the maps that rows go through first.
HeldKernels kernels_of(const MapPtr& map, std::vector<MapPtr> before, double weight, bool wide) {
  HeldKernels found;
  const MapParts made_of = map->parts();
  if (made_of.how == MapParts::How::concat || made_of.how == MapParts::How::none) {
    auto subject = made_of.how == MapParts::How::concat ? check_subject(map, wide) : own_subject(map, wide);
    if (subject)
      found.parts.push_back({weight, before.empty() ? nullptr : chain(std::move(before)), std::move(subject)});
    else
      found.without = {map->spec()};
  } else if (made_of.how == MapParts::How::chain) {
    for (std::size_t last = made_of.maps.size(); last-- > 0 && found.parts.empty();) {
      std::vector<MapPtr> all_before = before;
      all_before.insert(all_before.end(), made_of.maps.begin(), made_of.maps.begin() + std::ptrdiff_t(last));
      found = kernels_of(made_of.maps[last], std::move(all_before), weight, wide);
    }
    if (found.parts.empty()) found.without = {made_of.maps.back()->spec()};
  } else if (made_of.how == MapParts::How::sum) {
    double holding = 0;
    for (const MapPtr& part : made_of.maps) {
      HeldKernels of_part = kernels_of(part, before, weight, wide);
      holding += of_part.parts.empty() ? 0 : 1;
      std::move(of_part.parts.begin(), of_part.parts.end(), std::back_inserter(found.parts));
      found.without.insert(found.without.end(), of_part.without.begin(), of_part.without.end());
    }
    for (CheckPart& part : found.parts) part.weight /= holding;
  }
  return found;
}

// Those of a head that is a sum of parts, each of its weight in the model, or a chain.
HeldKernels kernels_of_head(const Model& model) {
  const MapPtr head = model.head();
  const MapParts made_of = head->parts();
  if (made_of.how != MapParts::How::sum && made_of.how != MapParts::How::chain) return {};
  const std::vector<double>& weights = model.report().part_weights;
  if (made_of.how == MapParts::How::chain) return kernels_of(head, {}, 1, model.double_precision());
  require(weights.size() == made_of.maps.size(), "check: the model does not say what its parts weigh; train it again");
  HeldKernels all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    HeldKernels found = kernels_of(made_of.maps[i], {}, weights[i], model.double_precision());
    std::move(found.parts.begin(), found.parts.end(), std::back_inserter(all.parts));
    all.without.insert(all.without.end(), found.without.begin(), found.without.end());
  }
  return all;
}

}  // namespace

MapCheck check(Rows& rows, const TrainOptions& train_options, const CheckOptions& options) {
  TrainOptions chosen = train_options;
  require(chosen.map.parts.empty() || !std::holds_alternative<NoMap>(chosen.map.parts[0].map),
          "check: found map none, expected a map that has a kernel");
  const bool mixture = has_mixed_bins(chosen.map), binning = has_bins(chosen.map) && !mixture;
  if (chosen.bandwidth == Bandwidth::Rule::searched && !binning) chosen.bandwidth = Bandwidth::Rule::median;
  require(!searches(chosen) || rows.schema().targets > 0,
          "check: bandwidth auto fits a target and found none, expected one; name it ({}), or give numbers",
          Option::targets);
  Threads threads(chosen.execution);
  const Survey survey = survey_of(rows, options.seed, threads, chosen.execution, chosen.double_precision, true);
  std::unique_ptr<Rows> shifted;
  Rows& read = with_offsets(rows, survey.schema().offsets, shifted);
  Plan plan = make_plan(read.schema(), survey, chosen, threads);
  std::unique_ptr<CheckSubject> subject;
  if (binning || mixture) {
    const MapPtr scaling = mixture ? plan.bins_scaling : plan.map();
    const auto [grids, notes] = planned_grids(read, survey, scaling, chosen, options.sample, threads);
    plan.notes.insert(plan.notes.end(), notes.begin(), notes.end());
    subject = mixture ? mixture_subject(plan, chosen, grids, plan.notes) : check_grids(rows.schema().inputs, grids);
  } else {
    subject = check_subject(plan.maps.back(), chosen.double_precision);
    plan.maps.pop_back();
  }
  return CheckRun{survey, options, threads, chosen.execution}(*subject, plan.maps, plan.notes);
}

MapCheck check(Rows& rows, const Model& model, const CheckOptions& options, const Execution& execution) {
  Threads threads(execution);
  CheckOptions given = options;
  if (!given.lambda && model.report().lambda > 0) given.lambda = model.report().lambda;
  std::unique_ptr<Rows> shifted;
  const Survey survey = survey_of(with_offsets(rows, model.schema().offsets, shifted), options.seed, threads, execution,
                                  model.double_precision(), false);
  const CheckRun run{survey, given, threads, execution};
  std::vector<MapPtr> before = model.maps();
  if (HeldKernels held = kernels_of_head(model); !held.parts.empty()) {
    std::vector<std::string> notes;
    for (const std::string& spec : held.without) notes.push_back("left out, since it has no kernel: " + spec);
    return run(*check_mixture(std::move(held.parts)), before, notes);
  }
  // A head of grids holds them; other models have their features before it.
  MapPtr map = model.head();
  if (!holds_kernel(map)) {
    map = before.empty() ? nullptr : before.back();
    if (!before.empty()) before.pop_back();
  }
  return run(*check_subject(map, model.double_precision()), before, {});
}

MapCheck check(const MapPtr& map, MatrixView<const float> rows, const CheckOptions& options,
               const Execution& execution) {
  require(map && rows.cols == map->inputs(), "check: rows of {} inputs, the map takes {}", rows.cols,
          map ? map->inputs() : 0);
  Threads threads(execution);
  const std::size_t count = std::min(rows.rows, options.sample);
  return check_subject_on(
      *check_subject(map), rows.slice(0, count), [](std::size_t i) { return i; }, options, threads);
}

namespace {

std::string bound_text(const MapCheck::Bound& bound) {
  const std::string surely = bound.probability < 1 ? fmt::format(" with probability {:.6g}", bound.probability) : "";
  return fmt::format("bound     {:.2e}{} for {}", bound.epsilon, surely, bound.of);
}

std::string distortion_text(const MapCheck& check) {
  const MapCheck::Distortion& found = *check.distortion;
  std::string out = fmt::format("map       {}\nsample    {} rows, {} pairs\n", check.map, check.rows, check.pairs);
  out += fmt::format("error     {}, after / before - 1: mean {:+.2e}, rms {:.2e}\n", check.kernel, check.mean_error,
                     check.rms_error);
  out += fmt::format("distorted by {:.2e} on average, {:.2e} for 99 % of the pairs, {:.2e} at worst: rows {} and {}\n",
                     found.mean, found.high, found.worst, check.worst_pair.first, check.worst_pair.second);
  for (const MapCheck::Bound& bound : check.bounds)
    out += std::isfinite(bound.epsilon) ? bound_text(bound) + "\n"
                                        : fmt::format("bound     none for {}: too few outputs\n", bound.of);
  if (check.bounds.empty()) out += "bound     none is known\n";
  out += fmt::format("bias      {:+.2e} over {} draw{}\n", *check.bias, check.draws, check.draws == 1 ? "" : "s");
  out += fmt::format("variance  {:.2e} over {} draw{}", *check.variance, check.draws, check.draws == 1 ? "" : "s");
  out += check.expected_variance ? fmt::format("; {:.2e} by theory\n", *check.expected_variance) : "\n";
  out += fmt::format("cost      {} bytes held, {} bytes and {:.2g} us for a row on one thread\n", found.map_bytes,
                     found.row_bytes, 1e6 * found.row_seconds);
  for (const std::string& note : check.notes) out += fmt::format("note      {}\n", note);
  return out;
}

}  // namespace

std::string MapCheck::text() const {
  if (distortion) return distortion_text(*this);
  std::string out = fmt::format("map       {}\nkernel    {}\nsample    {} rows, {} pairs\n", map, kernel, rows, pairs);
  out += fmt::format("error     z(x).z(y) - k(x, y): mean {:+.2e}, rms {:.2e}\n", mean_error, rms_error);
  out += fmt::format("worst     {:.2e}: rows {} and {}, k = {:.4f}, estimate {:.4f}\n", worst_error, worst_pair.first,
                     worst_pair.second, worst_kernel, worst_estimate);
  for (const Bound& bound : bounds) {
    const char* says = !one_sided && bound.epsilon >= 1 ? " (says nothing: k is at most 1)" : "";
    out += bound_text(bound) + says + "\n";
  }
  if (bounds.empty()) out += "bound     none is known\n";
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
