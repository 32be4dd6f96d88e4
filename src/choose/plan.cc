// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/require.h"
#include "base/spec.h"
#include "bochner/suggest.h"
#include "bochner/bandwidth.h"
#include "choose/bandwidth_search.h"
#include "choose/landmarks.h"
#include "choose/map_parts.h"
#include "choose/offsets.h"
#include "choose/plan_binning.h"
#include "choose/plan_nystroem.h"
#include "choose/scaling_rule.h"

namespace bochner {

namespace {

constexpr std::size_t kMedianRows = 1000;
constexpr std::size_t kMixedFeatures = 1024;  // beside bins

// More rows pay for more features; the cost of a pass grows with their product.
std::size_t default_features(std::uint64_t rows) {
  const double wanted = 4 * std::sqrt(double(rows));
  return std::size_t(std::clamp(std::exp2(std::round(std::log2(wanted))), 128.0, 4096.0));
}

bool is_rule(const std::string& bandwidth) {
  return bandwidth.empty() || bandwidth == "auto" || bandwidth == "scale" || bandwidth == "median";
}

std::size_t features_of(const MapPart& part, bool mixture, std::uint64_t rows) {
  std::size_t features = part.options.features ? part.options.features : default_features(rows);
  if (!part.options.features && mixture) features = std::min(features, kMixedFeatures);  // bins do the rest
  return part.sharing > 1 ? std::max<std::size_t>(2, features / part.sharing / 2 * 2) : features;
}

// Cos and sin come in pairs: one more where the number is odd.
std::size_t in_pairs(std::size_t features, const FourierOptions& options) {
  return options.form == FourierOptions::Form::cossin ? features + features % 2 : features;
}

// What the text says of a Fourier map; none for other maps.
std::optional<FourierOptions> parse_map(const std::string& text) {
  const Spec spec(text);
  if (spec.name() == "binning" || spec.name() == "nystroem") return std::nullopt;
  if (spec.name() == "none") {
    spec.allow({});
    return std::nullopt;
  }
  if (spec.name() != "fourier") {
    const bool feature = spec.name() == "rff" || spec.name() == "rbf" || spec.name() == "rks";
    throw std::invalid_argument(fmt::format(
        "map: found \"{}\", expected fourier, binning, nystroem or none{}", spec.name(),
        feature ? "; did you mean 'fourier'?" : suggestion(spec.name(), {"fourier", "binning", "nystroem", "none"})));
  }
  spec.allow({"form", "draw"});
  const std::string form = spec.text("form", "cossin");
  require(form == "cossin" || form == "shifted", "map: found form={}, expected cossin or shifted", form);
  const std::string draw = spec.text("draw", "independent");
  require(draw == "independent" || draw == "orthogonal", "map: found draw={}, expected independent or orthogonal",
          draw);
  return FourierOptions{.form = form == "cossin" ? FourierOptions::Form::cossin : FourierOptions::Form::shifted,
                        .orthogonal = draw == "orthogonal"};
}

// At most so many of the sampled inputs after scaling.
Matrix<double> scaled_sample(const Survey& survey, const MapPtr& scaling, std::size_t most) {
  const Matrix<double> x = survey.sample_inputs(most);
  if (!scaling) return x;
  RowBlock<double> block;
  block.rows = x.rows();
  block.cols = block.stride = x.cols();
  block.values = x.data();
  Matrix<double> scaled(x.rows(), x.cols());
  scaling->apply(cpu_backend(), block, scaled.view());
  return scaled;
}

class Planning {
 public:
  Planning(const Schema& schema, const Survey& survey, const TrainOptions& options, Threads& threads,
           Checkpoint* checkpoint)
      : schema_(schema), survey_(survey), options_(options), threads_(threads), checkpoint_(checkpoint) {}

  Plan run() {
    if (!schema_.offsets.empty()) note("offsets: " + offsets_text(schema_) + ", before rounding to float");
    if (asks_for_mixture(options_)) return mixture();
    if (const MapPtr scaling = choose_scale(options_)) plan_.maps.push_back(scaling);
    if (const MapPtr features = choose_map(plan_.maps.empty() ? nullptr : plan_.maps[0]))
      plan_.maps.push_back(features);
    return std::move(plan_);
  }

 private:
  void note(const std::string& text) {
    plan_.notes.push_back(text);
    if (options_.say) options_.say(text);
  }

  // Bins and dense features are scaled each in their own way.
  Plan mixture() {
    const std::vector<MapPart> parts = map_parts(options_);
    const auto bins = std::find_if(parts.begin(), parts.end(), [](const MapPart& part) { return part.binning(); });
    plan_.bins_scaling = choose_scale(bins->options);
    TrainOptions dense = options_;
    dense.map = "fourier";
    const MapPtr scaling = choose_scale(dense), features = choose_map(scaling);
    plan_.dense = scaling ? chain({scaling, features}) : features;
    return std::move(plan_);
  }

  MapPtr choose_scale(const TrainOptions& options) {
    ScalingChoice choice{options.scale, {}};
    if (!choice.method && asks_for_binning(options)) choice.method = binning_scaling(options, schema_);
    const std::vector<std::string> names = schema_.input_names();
    for (const auto& [name, method] : options_.scale_inputs) {
      const auto found = std::find(names.begin(), names.end(), name);
      require(found != names.end(), "scale: there is no numeric input \"{}\"", name);
      choice.per_input.emplace_back(std::size_t(found - names.begin()), method);
    }
    choice.keep_constants = Spec(options.map).name() == "none" && !has_intercept();
    const ChosenScaling chosen = choose_scaling(schema_, survey_, choice);
    note("scaling: " + chosen.summary);
    note_constants(chosen.constants);
    return chosen.map();
  }

  bool has_intercept() const {
    return options_.learner.learner == Learner::ridge ? options_.ridge.intercept : options_.learner.intercept;
  }

  void note_constants(const std::vector<std::size_t>& constants) {
    constexpr std::size_t kNamed = 5;
    if (constants.empty() || constants_noted_) return;
    constants_noted_ = true;
    if (schema_.sparse || constants.size() > 2 * kNamed) {
      note(fmt::format("constant inputs: {} of {} never vary and are left out", constants.size(), schema_.inputs));
      return;
    }
    const std::vector<std::string> names = schema_.input_names();
    for (const std::size_t j : constants)
      note(fmt::format("{}: constant ({:g}), left out", names[j],
                       survey_.columns()[j].min + (schema_.offsets.empty() ? 0 : schema_.offsets[j])));
  }

  MapPtr choose_map(const MapPtr& scaling) {
    std::vector<MapPtr> maps;
    std::vector<double> weights;
    const std::vector<MapPart> parts = map_parts(options_);
    for (const MapPart& part : parts) {
      if (parts.size() > 1 && part.binning()) continue;
      maps.push_back(choose_part(part, scaling));
      weights.push_back(part.weight.value_or(1));
    }
    if (maps.size() > 1) plan_.kernel.clear(), plan_.bandwidth.clear();  // each part has its own, in the map's spec
    return maps.size() == 1 ? maps[0] : concat(std::move(maps), std::move(weights));
  }

  MapPtr choose_part(const MapPart& part, const MapPtr& scaling) {
    const TrainOptions& options = part.options;
    const std::optional<FourierOptions> given = parse_map(options.map);
    if (!given) {
      if (asks_for_binning(options)) return nullptr;
      if (asks_for_nystroem(options)) return choose_landmarks(part, scaling);
      if (!scaling && schema_.sparse) return bochner::scaling(std::vector<ColumnScaling>(schema_.inputs));
      return nullptr;
    }
    FourierOptions fourier_options = *given;
    fourier_options.kernel = options.kernel;
    fourier_options.features = features_of(part, asks_for_mixture(options_), survey_.rows());
    fourier_options.seed = options.seed;
    if (!options.features) note(fmt::format("features: {} for {} rows", fourier_options.features, survey_.rows()));
    if (const std::size_t D = in_pairs(fourier_options.features, *given); D != fourier_options.features) {
      note(fmt::format("features: {}, since cos and sin come in pairs", D));
      fourier_options.features = D;
    }
    choose_bandwidth(options, fourier_options.kernel, fourier_options.features, scaling);
    plan_.kernel = kernel_name(fourier_options.kernel);
    plan_.bandwidth = fourier_options.kernel.length_scales;
    return fourier(schema_.inputs, fourier_options);
  }

  MapPtr choose_landmarks(const MapPart& part, const MapPtr& scaling) {
    NystroemOptions nystroem_options = landmarks_of(part, survey_.rows());
    if (!part.options.features)
      note(fmt::format("features: {} for {} rows", nystroem_options.landmarks, survey_.rows()));
    choose_bandwidth(part.options, nystroem_options.kernel, 2 * nystroem_options.landmarks, scaling);
    plan_.kernel = kernel_name(nystroem_options.kernel);
    plan_.bandwidth = nystroem_options.kernel.length_scales;
    const Matrix<double> sample = scaled_sample(survey_, scaling, landmark_rows(nystroem_options));
    const MapPtr map = nystroem(sample.view(), nystroem_options, {.threads = threads_.count()});
    note(landmarks_note(nystroem_options, map->outputs(), survey_.sampled()));
    return map;
  }

  // `features`: of the map that is planned; the search is by as many Fourier features, or fewer.
  void choose_bandwidth(const TrainOptions& options, Kernel& kernel, std::size_t features, const MapPtr& scaling) {
    if (!is_rule(options.bandwidth)) {
      kernel.length_scales = parse_bandwidth(options.bandwidth);
      return;
    }
    const bool searched = options.bandwidth.empty() || options.bandwidth == "auto";
    const Matrix<double> sample =
        scaled_sample(survey_, scaling, std::clamp<std::size_t>((8u << 20) / schema_.inputs, 100, kMedianRows));
    const bool by_scale = options.bandwidth == "scale";
    const double rule = by_scale ? scale_bandwidth(kernel, sample.view()) : median_bandwidth(kernel, sample.view());
    kernel.length_scales = {rule};
    if (!searched) {
      note(fmt::format("bandwidth: {:.4g} by the {} rule", rule, options.bandwidth));
      return;
    }
    const SampleTrial trial(schema_, survey_, scaling, threads_, checkpoint_);
    const std::size_t tried = std::min(features / 2 * 2, kSearchFeatures);
    const BandwidthSearch found = options.bandwidth == "auto" ? search_length_scales(trial, kernel, tried, options.seed)
                                                              : search_bandwidth(trial, kernel, tried, options.seed);
    kernel.length_scales = found.length_scales;
    if (found.length_scales.size() == 1)
      note(fmt::format("bandwidth: {:.4g}, {:.3g} x the median distance, by {} on {} rows", found.length_scales[0],
                       found.length_scales[0] / rule,
                       trial.leaves_one_out(tried) ? "leave-one-out" : "cross-validation", trial.rows()));
    else
      note_length_scales(found, trial.rows());
  }

  // The shortest length scales: the inputs that matter most.
  void note_length_scales(const BandwidthSearch& found, std::size_t rows) {
    const std::vector<std::string> names = schema_.input_names();
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return found.length_scales[a] < found.length_scales[b]; });
    std::string text = fmt::format("bandwidth: one per input, {} round{} on {} rows", found.rounds,
                                   found.rounds == 1 ? "" : "s", rows);
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 6); ++i)
      text += fmt::format("{} {} {:.3g}", i ? "," : "; shortest", names[order[i]], found.length_scales[order[i]]);
    note(text);
  }

  const Schema& schema_;
  const Survey& survey_;
  const TrainOptions& options_;
  Threads& threads_;
  Checkpoint* checkpoint_;
  bool constants_noted_ = false;  // parts of a mixture are scaled apart
  Plan plan_;
};

}  // namespace

std::vector<double> parse_bandwidth(const std::string& text) {
  std::vector<double> values;
  const char *p = text.data(), *end = p + text.size();
  while (p != end) {
    double value = 0;
    const auto [next, ok] = std::from_chars(p, end, value);
    require(
        ok == std::errc() && (next == end || *next == ',') && value > 0 && std::isfinite(value),
        "bandwidth: found \"{}\", expected a positive number, one per input with commas between, scale, median or auto",
        text);
    values.push_back(value);
    p = next == end ? end : next + 1;
  }
  return values;
}

MapPtr Plan::map() const { return maps.empty() ? nullptr : chain(maps); }

namespace {

void check_part(const TrainOptions& options, std::size_t inputs) {
  std::optional<FourierOptions> given = parse_map(options.map);
  if (given) {
    given->kernel = options.kernel;
    given->kernel.length_scales = {1.0};
    if (options.features > 0) given->features = in_pairs(options.features, *given);
    fourier(1, *given);
  }
  if (asks_for_binning(options)) binning_fit(options, inputs, 0);
  if (asks_for_nystroem(options)) nystroem_options(options);
  if ((!given && !asks_for_nystroem(options)) || is_rule(options.bandwidth)) return;
  const std::size_t count = parse_bandwidth(options.bandwidth).size();
  require(count == 1 || inputs == 0 || count == inputs, "bandwidth: found {} length scales for {} inputs", count,
          inputs);
}

}  // namespace

void check_options(const TrainOptions& options, std::size_t inputs) {
  const std::vector<MapPart> parts = map_parts(options);
  if (asks_for_mixture(options)) mixture_fit(options, inputs, 0);
  if (parts.size() > 1) {
    for (const MapPart& part : parts) check_options(part.options, inputs);
    return;
  }
  check_part(parts[0].options, inputs);
}

MapSize map_size(const TrainOptions& all, const Schema& schema, std::uint64_t rows) {
  const std::vector<MapPart> parts = map_parts(all);
  MapSize size{.bounded = true};
  for (const MapPart& part : parts) {
    const std::optional<FourierOptions> given = parse_map(part.options.map);
    if (!asks_for_bins(all) && asks_for_nystroem(part.options)) {
      NystroemOptions options = landmarks_of(part, rows);
      if (rows > 0) options.landmarks = std::size_t(std::min<std::uint64_t>(options.landmarks, rows));
      size.features += options.landmarks;
      size.step = parts.size() > 1 ? 0 : 1;
      size.weights = std::max(size.weights, landmark_weights(options, schema.inputs, rows));
      size.searched |= part.options.bandwidth.empty() || part.options.bandwidth == "auto";
      continue;
    }
    if (asks_for_bins(all)) {
      size.searched |= !part.binning() && (part.options.bandwidth.empty() || part.options.bandwidth == "auto");
      continue;
    }
    if (!given) return {.features = schema.inputs, .step = 0};
    const bool pairs = given->form == FourierOptions::Form::cossin;
    size.features += in_pairs(features_of(part, false, rows), *given);
    size.step = parts.size() > 1 ? 0 : pairs ? 2 : 1;
    // While an orthogonal W is made it lies there in double too.
    const double weights = double(schema.inputs) / (pairs ? 2 : 1) * (given->orthogonal ? 3 : 1);
    size.weights = std::max(size.weights, weights);
    size.searched |= part.options.bandwidth.empty() || part.options.bandwidth == "auto";
  }
  if (asks_for_bins(all)) return {.features = schema.inputs, .step = 0, .searched = size.searched};
  return size;
}

Plan make_plan(const Schema& schema, const Survey& survey, const TrainOptions& options, Threads& threads,
               Checkpoint* checkpoint) {
  check_options(options, schema.inputs);
  return Planning(schema, survey, options, threads, checkpoint).run();
}

std::vector<double> class_weights(const Schema& schema, const Survey& survey, const TrainOptions& options) {
  if (!options.balanced && options.class_weights.empty()) return {};
  require(schema.task == Task::classification, "class weights: the targets are numbers, not classes");
  std::vector<double> weights(schema.labels.size(), 1.0);
  if (options.balanced)
    for (std::size_t c = 0; c < weights.size(); ++c)
      weights[c] =
          double(survey.rows()) / (double(weights.size()) * double(std::max<std::uint64_t>(1, survey.class_rows()[c])));
  for (const auto& [label, weight] : options.class_weights) {
    const auto found = std::find(schema.labels.begin(), schema.labels.end(), label);
    require(found != schema.labels.end(), "class weights: there is no class \"{}\"", label);
    require(weight > 0 && std::isfinite(weight),
            "class weights: class \"{}\" has weight {}, expected a positive number", label, weight);
    weights[std::size_t(found - schema.labels.begin())] = weight;
  }
  return weights;
}

}  // namespace bochner
