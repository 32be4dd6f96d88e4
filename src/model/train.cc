// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/train.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/clock.h"
#include "base/memory.h"
#include "base/require.h"
#include "base/spec.h"
#include "bochner/bandwidth.h"
#include "learn/bandwidth_search.h"
#include "learn/ridge.h"
#include "learn/scaling_rule.h"
#include "rows/weighted.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr std::size_t kSearchFeatures = 768;  // enough to rank bandwidths
constexpr std::size_t kMedianRows = 1000;

// More rows pay for more features; the cost of a pass grows with their product.
std::size_t default_features(std::uint64_t rows) {
  const double wanted = 4 * std::sqrt(double(rows));
  return std::size_t(std::clamp(std::exp2(std::round(std::log2(wanted))), 128.0, 4096.0));
}

std::vector<double> parse_bandwidth(const std::string& text) {
  std::vector<double> values;
  const char *p = text.data(), *end = p + text.size();
  while (p != end) {
    double value = 0;
    const auto [next, ok] = std::from_chars(p, end, value);
    require(ok == std::errc() && (next == end || *next == ',') && value > 0 && std::isfinite(value),
            "bandwidth: found \"{}\", expected a positive number, one per input with commas between, scale or median",
            text);
    values.push_back(value);
    p = next == end ? end : next + 1;
  }
  return values;
}

// The sampled inputs after scaling, for the bandwidth rules.
Matrix<double> scaled_sample(const Survey& survey, const MapPtr& scaling, std::size_t inputs) {
  const Matrix<double> x = survey.sample_inputs(std::clamp<std::size_t>((8u << 20) / inputs, 100, kMedianRows));
  if (!scaling) return x;
  RowBlock<double> block;
  block.rows = x.rows();
  block.cols = block.stride = x.cols();
  block.values = x.data();
  Matrix<double> scaled(x.rows(), x.cols());
  scaling->apply(cpu_backend(), block, scaled.view());
  return scaled;
}

class Training {
 public:
  Training(Rows& rows, const TrainOptions& options)
      : options_(options), threads_(options.execution.threads), rows_(rows), survey_(rows.schema(), options.seed) {}

  Model run() {
    keep_in_memory();
    Clock clock;
    survey_ = Stream(*current_, nullptr, threads_, options_.execution, precision())
                  .fold(Survey(schema(), options_.seed), "survey");
    require(survey_.rows() > 0, "train: there are no rows");
    apply_class_weights();
    seconds_.emplace_back("survey", clock.lap());

    std::vector<MapPtr> maps;
    if (const MapPtr scaling = choose_scale()) maps.push_back(scaling);
    if (const MapPtr features = choose_map(maps.empty() ? nullptr : maps[0])) maps.push_back(features);
    seconds_.emplace_back("choices", clock.lap());

    const MapPtr map = maps.empty() ? nullptr : chain(maps);
    const Stream stream(*current_, map, threads_, options_.execution, precision());
    std::optional<Stream> validation;
    if (options_.validation) validation.emplace(*options_.validation, map, threads_, options_.execution, precision());
    Fitted fitted = fit_ridge(stream, survey_, options_.ridge, validation ? &*validation : nullptr);
    fitted.report.map = map ? map->spec() : "none";
    fitted.report.notes.insert(fitted.report.notes.begin(), notes_.begin(), notes_.end());
    fitted.report.seconds.insert(fitted.report.seconds.begin(), seconds_.begin(), seconds_.end());
    if (options_.validation) fitted.report.validation = options_.validation_name;
    return Model(schema(), std::move(maps), fitted.head, std::move(fitted.report));
  }

 private:
  const Schema& schema() const { return rows_.schema(); }
  Precision precision() const { return options_.double_precision ? Precision::float64 : Precision::float32; }

  void note(const std::string& text) {
    notes_.push_back(text);
    if (options_.say) options_.say(text);
  }

  // Several passes over rows that fit are best made in memory.
  void keep_in_memory() {
    Clock clock;
    const std::size_t budget = options_.execution.memory ? options_.execution.memory : default_memory();
    const std::size_t bytes = rows_.memory_bytes(options_.double_precision ? sizeof(double) : sizeof(float));
    current_ = &rows_;
    if (bytes > 0 && bytes < budget / 2) {
      cached_ = options_.double_precision ? cached_rows<double>(rows_) : cached_rows<float>(rows_);
      current_ = cached_.get();
      seconds_.emplace_back("read", clock.lap());
    } else if (bytes > 0 && options_.say) {
      options_.say(
          fmt::format("rows take {:.1f} GB in memory and are read from disk on every pass", double(bytes) / 1e9));
    }
  }

  void apply_class_weights() {
    if (!options_.balanced && options_.class_weights.empty()) return;
    require(schema().task == Task::classification, "class weights: the targets are numbers, not classes");
    std::vector<double> weights(schema().labels.size(), 1.0);
    if (options_.balanced)
      for (std::size_t c = 0; c < weights.size(); ++c)
        weights[c] = double(survey_.rows()) /
                     (double(weights.size()) * double(std::max<std::uint64_t>(1, survey_.class_rows()[c])));
    for (const auto& [label, weight] : options_.class_weights) {
      const auto found = std::find(schema().labels.begin(), schema().labels.end(), label);
      require(found != schema().labels.end(), "class weights: there is no class \"{}\"", label);
      require(weight > 0 && std::isfinite(weight),
              "class weights: class \"{}\" has weight {}, expected a positive number", label, weight);
      weights[std::size_t(found - schema().labels.begin())] = weight;
    }
    weighted_ = class_weighted_rows(*current_, weights);
    current_ = weighted_.get();
    survey_ = Stream(*current_, nullptr, threads_, options_.execution, precision())
                  .fold(Survey(schema(), options_.seed), "survey");
  }

  MapPtr choose_scale() {
    ScalingChoice choice{options_.scale, {}};
    const std::vector<std::string> names = schema().input_names();
    for (const auto& [name, method] : options_.scale_inputs) {
      const auto found = std::find(names.begin(), names.end(), name);
      require(found != names.end(), "scale: there is no numeric input \"{}\"", name);
      choice.per_input.emplace_back(std::size_t(found - names.begin()), method);
    }
    const ChosenScaling chosen = choose_scaling(schema(), survey_, choice);
    note("scaling: " + chosen.summary);
    return chosen.map();
  }

  MapPtr choose_map(const MapPtr& scaling) {
    const Spec spec(options_.map);
    if (spec.name() == "none") {
      spec.allow({});
      if (!scaling && schema().sparse) return bochner::scaling(std::vector<ColumnScaling>(schema().inputs));
      return nullptr;
    }
    require(spec.name() == "fourier", "map: found \"{}\", expected fourier or none", spec.name());
    spec.allow({"form"});
    const std::string form = spec.text("form", "cossin");
    require(form == "cossin" || form == "shifted", "map: found form={}, expected cossin or shifted", form);
    FourierOptions fourier_options{
        .kernel = options_.kernel,
        .features = options_.features ? options_.features : default_features(survey_.rows()),
        .form = form == "cossin" ? FourierOptions::Form::cossin : FourierOptions::Form::shifted,
        .seed = options_.seed};
    if (!options_.features) note(fmt::format("features: {} for {} rows", fourier_options.features, survey_.rows()));
    choose_bandwidth(fourier_options, scaling);
    return fourier(schema().inputs, fourier_options);
  }

  void choose_bandwidth(FourierOptions& fourier_options, const MapPtr& scaling) {
    Kernel& kernel = fourier_options.kernel;
    if (!options_.bandwidth.empty() && options_.bandwidth != "scale" && options_.bandwidth != "median") {
      kernel.length_scales = parse_bandwidth(options_.bandwidth);
      const std::size_t count = kernel.length_scales.size();
      require(count == 1 || count == schema().inputs, "bandwidth: found {} length scales for {} inputs", count,
              schema().inputs);
      return;
    }
    const Matrix<double> sample = scaled_sample(survey_, scaling, schema().inputs);
    const bool by_scale = options_.bandwidth == "scale";
    const double rule = by_scale ? scale_bandwidth(kernel, sample.view()) : median_bandwidth(kernel, sample.view());
    kernel.length_scales = {rule};
    if (!options_.bandwidth.empty()) {
      note(fmt::format("bandwidth: {:.4g} by the {} rule", rule, options_.bandwidth));
      return;
    }
    FourierOptions trial = fourier_options;
    trial.features = std::min(fourier_options.features, kSearchFeatures);
    const BandwidthSearch found = search_bandwidth(schema(), survey_, threads_, [&](double factor) {
      trial.kernel.length_scales = {rule * factor};
      const MapPtr map = fourier(schema().inputs, trial);
      return scaling ? chain({scaling, map}) : map;
    });
    kernel.length_scales = {rule * found.factor};
    note(fmt::format("bandwidth: {:.4g}, {:.3g} x the median distance, by cross-validation on {} rows",
                     rule * found.factor, found.factor, found.rows));
  }

  const TrainOptions& options_;
  Threads threads_;
  Rows& rows_;
  Rows* current_ = nullptr;
  std::unique_ptr<Rows> cached_, weighted_;
  Survey survey_;
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace

Model train(Rows& rows, const TrainOptions& options) { return Training(rows, options).run(); }

Model fit(Rows& rows, MapPtr map, const RidgeOptions& ridge, const Execution& execution) {
  Threads threads(execution.threads);
  const Survey survey = Stream(rows, nullptr, threads, execution).fold(Survey(rows.schema(), ridge.seed), "survey");
  Fitted fitted = fit_ridge(Stream(rows, map, threads, execution), survey, ridge);
  fitted.report.map = map->spec();
  return Model(rows.schema(), {std::move(map)}, fitted.head, std::move(fitted.report));
}

}  // namespace bochner
