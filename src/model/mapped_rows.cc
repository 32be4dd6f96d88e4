// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/mapped_rows.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "bochner/map_kind.h"
#include "choose/map_parts.h"
#include "choose/plan_memory.h"
#include "maps/map_rows.h"
#include "rows/shard.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

constexpr std::size_t kLookedAt = 256;                      // rows, for the size of features
constexpr std::size_t kKeptBytes = std::size_t(256) << 20;  // rows as they are

// The median rule replaces a search if there are no targets to search by.
Bandwidth settled(const Bandwidth& given, bool targets) {
  if (targets || !given.searched()) return given;
  require(given.rule == Bandwidth::Rule::searched,
          "bandwidth: found auto, which is searched by how well a target is predicted, expected scale, median or "
          "numbers where there is none");
  return Bandwidth::Rule::median;
}

TrainOptions training_options(const FeatureOptions& options, bool targets, const std::string& method) {
  TrainOptions training;
  training.map = options.map;
  training.kernel = options.kernel;
  training.bandwidth = settled(options.bandwidth, targets);
  for (MapPart& part : training.map.parts) {
    const MapKind& kind = kind_of(part.map);
    require(!kind.learnt_with_head, "map: found {}, which is learnt together with a target, expected {} for {}",
            kind.name, "fourier, nystroem, project or none", method);
    if (part.bandwidth) part.bandwidth = settled(*part.bandwidth, targets);
  }
  training.features = options.features;
  training.scale = options.scale;
  training.scale_inputs = options.scale_inputs;
  training.double_precision = options.double_precision;
  training.seed = training.ridge.seed = options.seed;
  training.execution = options.execution;
  training.say = options.say;
  return training;
}

// Whether squares of a feature would overflow in float, or vanish.
bool beyond_float(const Matrix<double>& features) {
  std::vector<double> largest(features.cols());
  for (std::size_t i = 0; i < features.rows(); ++i)
    for (std::size_t j = 0; j < features.cols(); ++j) largest[j] = std::max(largest[j], std::fabs(features(i, j)));
  return std::any_of(largest.begin(), largest.end(),
                     [](double most) { return most > 1e15 || (most > 0 && most < 1e-15); });
}

Precision precision_of(const FeatureOptions& options) {
  return options.double_precision ? Precision::float64 : Precision::float32;
}

}  // namespace

MappedRows::MappedRows(Rows& rows, const FeatureOptions& options, std::string method, Saved saved)
    : method_(std::move(method)),
      options_(options),
      execution_(options.execution),
      threads_(options.execution),
      rows_(numbered_from_0(rows, numbered_)),
      surveyed_(rows_, options.seed, precision_of(options), threads_, execution_) {
  const TrainOptions training = training_options(options_, rows_.schema().targets > 0, method_);
  check_options(training, rows_.schema().inputs);
  rows_.rewind();
  scanned_ = rows_.counts();
  for (const std::string& text : rows_.notes()) note(text);
  check_survey_memory(rows_.schema(), threads_.count(), execution_);
  if (worth_keeping(rows_, options_.double_precision ? sizeof(double) : sizeof(float), execution_))
    surveyed_.keep_in_memory();
  surveyed_.look_over(nullptr, saved == Saved::values ? saved_digits(training) : saved);
  if (survey().rows() == 0) fail(Error::Kind::data, "{}: found no rows, expected at least one", method_);
  if (survey().largest_weight() == 0)
    fail(Error::Kind::data, "{}: every row has the weight 0, expected some above; check the column of weights",
         method_);
  surveyed_.choose_unit_of_weights();
  plan_ = make_plan(schema(), survey(), training, threads_);
  notes_.insert(notes_.end(), plan_.notes.begin(), plan_.notes.end());
  if (!options_.double_precision && beyond_float(sample(kLookedAt))) {
    options_.double_precision = true;
    note("precision: double, since squares of the inputs are beyond what float holds; scaling them is better");
  }
  stream_.emplace(surveyed_.rows(), plan_.map(), threads_, execution_, precision_of(options_));
}

void MappedRows::note(const std::string& text) {
  notes_.push_back(text);
  if (options_.say) options_.say(text);
}

Stream MappedRows::own_stream() const {
  Execution alone = execution_;
  alone.ranks = nullptr;
  return Stream(surveyed_.rows(), stream_->map(), stream_->threads(), alone, precision());
}

Matrix<double> MappedRows::sample(std::size_t most) {
  Matrix<double> x = survey().sample_inputs(most);
  const MapPtr map = plan_.map();
  if (!map) return x;
  Matrix<double> z(x.rows(), map->outputs());
  map_rows(workers_on(threads_), *map, RowBlock<double>::dense(x.view()), z.view());
  return z;
}

Model MappedRows::model(MapPtr head, Report report, std::optional<Outputs> outputs, Targets targets,
                        std::vector<MapPtr> before_head) && {
  report.rows = rows();
  report.inputs = schema().inputs;
  report.features = features();
  report.map = plan_.map() ? plan_.map()->spec() : "none";
  report.kernel = plan_.kernel;
  report.bandwidth = plan_.bandwidth;
  report.input_ranges = surveyed_.input_ranges();
  if (scanned_.cells > 0) report.missing_share = double(scanned_.missing) / double(scanned_.cells);
  report.notes.insert(report.notes.begin(), notes_.begin(), notes_.end());
  before_head.insert(before_head.begin(), plan_.maps.begin(), plan_.maps.end());
  if (!head) {
    head = before_head.back();
    before_head.pop_back();
  }
  return Model(targets == Targets::kept ? schema() : without_targets(schema()), std::move(before_head), std::move(head),
               std::move(report), options_.double_precision, std::move(outputs));
}

bool worth_keeping(const Rows& rows, std::size_t element_bytes, const Execution& execution) {
  const std::size_t bytes = rows.memory_bytes(element_bytes);
  return bytes > 0 && bytes <= std::min(kKeptBytes, memory_limit(execution) / 8);
}

Schema without_targets(Schema schema) {
  for (Column& column : schema.columns)
    if (column.kind == Column::Kind::target || column.kind == Column::Kind::weight) column.kind = Column::Kind::ignored;
  schema.targets = 0;
  schema.task = Task::regression;
  schema.labels.clear();
  return schema;
}

MapPtr column_scaling(Rows& rows, const FeatureOptions& options) {
  FeatureOptions wide = options;
  wide.map = NoMap{};
  wide.double_precision = true;  // no offsets, which the scaling would rely on
  wide.say = {};
  const MappedRows mapped(rows, wide, "scale");
  if (options.say)
    for (const std::string& note : mapped.plan().notes) options.say(note);
  return mapped.plan().map();
}

}  // namespace bochner
