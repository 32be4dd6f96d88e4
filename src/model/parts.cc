// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/parts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "backend/machine.h"
#include "base/option.h"
#include "base/require.h"
#include "bochner/file_hash.h"
#include "choose/map_parts.h"
#include "choose/offsets.h"
#include "choose/plan.h"
#include "choose/plan_memory.h"
#include "folds/part_gram.h"
#include "learn/learner.h"
#include "learn/ridge/ridge_sums.h"
#include "model/background.h"
#include "model/sum.h"
#include "rows/content_hash.h"
#include "rows/scan_notes.h"
#include "rows/shifted.h"
#include "rows/weighted.h"
#include "run/host.h"
#include "run/stream.h"

namespace bochner {

namespace {

// A bound on the features: from the map where it knows; otherwise maps here are monotone in each input, so that the
// ends of the ranges tell.
double feature_bound(const MapPtr& map, const Survey& survey) {
  if (map && map->bound() > 0) return map->bound();
  const std::size_t d = survey.columns().size();
  Matrix<double> ends(2, d);
  for (std::size_t j = 0; j < d; ++j)
    if (survey.columns()[j].max >= survey.columns()[j].min) {
      ends(0, j) = survey.columns()[j].min;
      ends(1, j) = survey.columns()[j].max;
    }
  if (map) {
    require(map->outputs() == d, "accumulate: the map {} has no bound known; use another", map->spec());
    const Matrix<double> raw = ends;
    map->apply(host_backend(), RowBlock<double>::dense(raw.view()), ends.view());
  }
  double most = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < d; ++j) most = std::max(most, std::abs(ends(i, j)));
  return most > 0 ? most * (1 + 1e-6) : 1;
}

void check_rows(const Rows& rows, const Schema& schema, const PartName& part) {
  const Schema& own = rows.schema();
  require(own.inputs == schema.inputs && own.labels == schema.labels && own.targets == schema.targets &&
              own.task == schema.task,
          "{}: the rows were not read by the schema of the spec; open them with open_rows(path, spec.schema())",
          part.name);
}

// Before the sums are made: their features come in multiples of `step`, 0: as the spec says.
void plan_memory(const SumSpec& spec, const MapPtr& map, std::size_t outputs, std::size_t step,
                 const TrainOptions& options) {
  FitSize size;
  size.rows = std::size_t(1) << 30;
  size.features = map ? map->outputs() : spec.schema.inputs;
  size.outputs = outputs;
  size.targets = spec.schema.targets;
  size.map_weights = map ? double(spec.schema.inputs) / 2 : 0;
  size.weighted = is_weighted(spec.schema) || !spec.class_weights.empty();
  size.precision = spec.double_precision ? Precision::float64 : Precision::float32;
  size.block_rows = options.execution.block_rows;
  size.threads = threads_within(options.execution.threads, options.execution.memory);
  plan_sums_memory(size, spec.schema, step, options);
}

Sum sum_rows(Rows& rows, SumSpec spec, GramFold gram, const PartName& part, const Execution& execution, double most) {
  check_rows(rows, spec.schema, part);
  Threads threads(execution);
  std::unique_ptr<Rows> shifted, weighted;
  Rows& read = with_offsets(rows, spec.schema.offsets, shifted);
  if (!spec.class_weights.empty()) weighted = class_weighted_rows(read, spec.class_weights);
  const Stream stream(weighted ? *weighted : read, spec.map(), threads, execution,
                      spec.double_precision ? Precision::float64 : Precision::float32);
  const TargetCode code = gram.code();
  gram = stream.fold(PartGram{std::move(gram), {code, part.name, most}}, "accumulate").gram;
  if (gram.rows() == 0) fail(Error::Kind::data, "{}: there are no rows; leave the part out", part.name);
  auto state = std::make_unique<Sum::State>();
  state->origin = {part.name, {{part.name, part.number, gram.rows()}}, {}};
  // Sums of whole numbers are the same wherever they are made.
  if (gram.products() != GramFold::Products::whole) state->origin.machines = {machine_name()};
  state->spec = std::move(spec);
  state->gram = std::move(gram);
  return Sum(std::move(state));
}

}  // namespace

PartName part_of_file(const std::string& path) {
  std::error_code ignored;
  const bool plain = std::filesystem::is_regular_file(path, ignored);
  return {std::filesystem::path(path).filename().string(), plain ? content_hash(path) : file_hash(path)};
}

std::optional<Sum> survey_if_any(Rows& rows, const PartName& part, const Execution& execution, std::uint64_t seed) {
  Threads threads(execution);
  Schema schema = rows.schema();
  check_survey_memory(schema, threads.count(), execution);
  for (Column& column : schema.columns) column.fill = 0;
  auto state = std::make_unique<Sum::State>();
  const auto look = [&](Precision precision) {
    return Stream(rows, nullptr, threads, execution, precision)
        .fold(Survey(schema, seed, part.source ? part.source : part.number), "survey");
  };
  // Offsets are settled from the surveys of all parts, which must then have the digits.
  state->survey = look(Precision::float32);
  if (may_lose_digits(*state->survey)) state->survey = look(Precision::float64);
  if (state->survey->rows() == 0) return std::nullopt;
  state->origin = {part.name, {{part.name, part.number, state->survey->rows()}}, {}};
  return Sum(std::move(state));
}

Sum survey_part(Rows& rows, const PartName& part, std::uint64_t seed, const Execution& execution) {
  require(rows.schema().targets > 0, "{}: the rows have no target; name one", part.name);
  std::optional<Sum> survey = survey_if_any(rows, part, execution, seed);
  if (!survey) fail(Error::Kind::data, "{}: there are no rows; leave the part out", part.name);
  return std::move(*survey);
}

void check_parts(const TrainOptions& options) {
  const LearnerRow& learner = learner_row(options.learner.learner);
  require(*learner.no_parts == 0, "learner: {} cannot be trained in parts: {}", learner.name, learner.no_parts);
  if (const MapKind* const map = kind_without_sums(options.map))
    mistake("map: {} cannot be trained in parts: {}; use the fourier map, or train on all rows at once", map->name,
            map->no_sums);
}

Sum sum_part(Rows& rows, const Sum& spec, const PartName& part, const TrainOptions& options) {
  check_parts(options);
  if (spec.kind() == Sum::Kind::gram) {
    const SumSpec& chosen = *spec.state().spec;
    plan_memory(chosen, chosen.map(), spec.state().gram->code().columns(), 0, options);
    return sum_rows(rows, *spec.state().spec, GramFold::like(*spec.state().gram), part, options.execution, 1 + 1e-6);
  }
  const Schema schema = spec.schema();
  Schema unshifted = schema;
  unshifted.offsets.clear();
  Survey survey = spec.state().survey->recoded(unshifted).shifted(schema.offsets);
  const std::vector<double> weights = class_weights(schema, survey, options);
  if (!weights.empty()) survey = survey.reweighted(weights);
  check_classes(schema, survey.class_rows(), spec.state().origin.name);
  refuse_lost_inputs(*spec.state().survey);
  Threads threads(options.execution);
  Plan plan = make_plan(schema, survey, options, threads, nullptr, PlanFor::sums);
  const MapPtr map = plan.map();
  std::vector<std::string> notes = schema_notes(schema);
  notes.insert(notes.end(), plan.notes.begin(), plan.notes.end());
  SumSpec chosen{schema,        std::move(plan.maps), weights, options.ridge.intercept, options.double_precision,
                 survey.rows(), std::move(notes)};
  if (options.keep_background) chosen.background = background_of(survey);
  const TargetCode code = target_code(schema, survey, options.ridge.intercept);
  plan_memory(chosen, map, code.columns(), map_size(options, schema, survey.rows()).step, options);
  GramFold gram(map ? map->outputs() : schema.inputs, feature_bound(map, survey), code, survey.largest_weight(),
                GramFold::products_for(map.get(), chosen.double_precision));
  return sum_rows(rows, std::move(chosen), std::move(gram), part, options.execution, 1 + 1e-6);
}

Sum sum_part(Rows& rows, const Model& spec, const PartName& part, const TrainOptions& options) {
  check_parts(options);
  require(!options.keep_background, "{}: a model as {} does not know the rows of all parts; use their survey",
          Option::keep_background, Option::spec);
  const Schema& schema = spec.schema();
  const MapPtr map = spec.feature_map();
  require(map && map->bound() > 0, "accumulate: the map of this model has no bound known; use a survey as {}",
          Option::spec);
  for (const Column& column : schema.columns)
    require(column.kind != Column::Kind::weight,
            "accumulate: a model does not tell how large the weights of rows may be; use a survey as {}", Option::spec);
  require(!options.balanced, "class weights: a model does not tell how many rows a class has; use a survey as {}",
          Option::spec);
  TargetCode code{schema.task, schema.labels.size(), {}, {}};
  if (schema.task == Task::regression) {
    require(spec.report().target_ranges.size() == schema.targets,
            "accumulate: this model does not tell the range of its targets; use a survey as {}", Option::spec);
    for (const auto& [low, high] : spec.report().target_ranges) {
      const double center = options.ridge.intercept ? 0.5 * (low + high) : 0;
      const double reach = std::max(high - center, center - low);
      code.center.push_back(center);
      code.unit.push_back(reach > 0 ? reach : 1);
    }
  }
  const Survey nothing(schema, 0);
  const std::vector<double> weights = class_weights(schema, nothing, options);
  const double weight_bound = weights.empty() ? 1 : *std::max_element(weights.begin(), weights.end());
  const bool wide = options.double_precision || spec.double_precision();
  SumSpec chosen{schema, spec.maps(), weights, options.ridge.intercept, wide, 0, {}};
  plan_memory(chosen, map, code.columns(), 0, options);
  GramFold gram(map->outputs(), map->bound(), std::move(code), weight_bound,
                GramFold::products_for(map.get(), chosen.double_precision));
  // A sample need not hold the largest target; 16 times its range costs one digit and four bits of the 30 for rows.
  return sum_rows(rows, std::move(chosen), std::move(gram), part, options.execution, 16);
}

Model solve(const Sum& sum, const std::vector<double>& lambdas, const Execution& execution,
            const std::function<void(const std::string&)>& say) {
  const Sum::State& state = sum.state();
  if (sum.kind() == Sum::Kind::survey)
    fail(Error::Kind::data,
         "{} is a survey, expected the sums of the second round; accumulate each part with {}, "
         "merge the results and solve those",
         state.origin.name, spelled(Option::spec, state.origin.name));
  const SumSpec& spec = *state.spec;
  Threads threads(execution);
  plan_solve_memory(state.gram->features(), state.gram->code().columns(), threads.count(), execution, say);
  Fitted fitted = fit_ridge_sums(*state.gram, lambdas, spec.intercept, threads, execution.progress);
  Report& report = fitted.report;
  const MapPtr map = spec.map();
  report.inputs = spec.schema.inputs;
  report.map = map ? map->spec() : "none";
  const TargetCode& code = state.gram->code();
  for (std::size_t k = 0; k < code.center.size(); ++k)
    report.target_ranges.emplace_back(code.center[k] - code.unit[k], code.center[k] + code.unit[k]);
  report.notes.insert(report.notes.begin(), spec.notes.begin(), spec.notes.end());
  report.notes.push_back(fmt::format("rows: {} in {} parts", sum.rows(), sum.parts()));
  if (spec.survey_rows > 0 && spec.survey_rows != sum.rows())
    report.notes.push_back(fmt::format("the survey saw {} rows, the sums {}: is a part missing, or one too many?",
                                       spec.survey_rows, sum.rows()));
  Model model(spec.schema, spec.maps, fitted.head, std::move(report), spec.double_precision);
  model.set_target_offsets(std::move(fitted.target_offsets));
  model.set_background(spec.background);
  return model;
}

}  // namespace bochner
