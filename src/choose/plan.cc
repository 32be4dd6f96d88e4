// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/option.h"
#include "base/require.h"
#include "bochner/bandwidth.h"
#include "choose/bandwidth_search.h"
#include "choose/column_notes.h"
#include "choose/feature_search.h"
#include "choose/labelled.h"
#include "choose/learnt_with_head.h"
#include "choose/map_parts.h"
#include "choose/nested_score.h"
#include "choose/offsets.h"
#include "choose/scaling_rule.h"
#include "choose/whitening.h"
#include "learn/nested.h"
#include "maps/map_rows.h"
#include "run/compute.h"

namespace bochner {

namespace {

constexpr std::size_t kMedianRows = 1000;

// At most so many of the sampled inputs after scaling.
Matrix<double> scaled_sample(const Survey& survey, const MapPtr& scaling, std::size_t most, Threads& threads) {
  const Matrix<double> x = survey.sample_inputs(most);
  if (!scaling) return x;
  Matrix<double> scaled(x.rows(), scaling->outputs());
  map_rows(workers_on(threads), *scaling, RowBlock<double>::dense(x.view()), scaled.view());
  return scaled;
}

// The sample with every row as often as its weight says, on the average, in as many rows; without weights as it is.
Matrix<double> by_weight(Matrix<double> sample, std::span<const Survey::SampledRow> rows) {
  double total = 0, before = 0;
  bool same = true;
  for (const Survey::SampledRow& row : rows) total += row.weight, same = same && row.weight == rows[0].weight;
  if (same || !(total > 0)) return sample;
  Matrix<double> drawn(sample.rows(), sample.cols());
  std::size_t at = 0;
  for (std::size_t i = 0; i < sample.rows(); ++i) {
    const double place = (double(i) + 0.5) / double(sample.rows()) * total;
    while (at + 1 < rows.size() && before + rows[at].weight <= place) before += rows[at++].weight;
    std::copy_n(&sample(at, 0), sample.cols(), &drawn(i, 0));
  }
  return drawn;
}

class Planning {
 public:
  Planning(const Schema& schema, const Survey& survey, const TrainOptions& options, Threads& threads,
           Checkpoint* checkpoint, PlanFor aim)
      : schema_(schema),
        survey_(survey),
        options_(options),
        parts_(chosen_parts(options, schema)),
        threads_(threads),
        checkpoint_(checkpoint),
        aim_(aim) {}

  Plan run() {
    for (const std::string& line : counters_notes(schema_, survey_)) note_odd(line);
    if (!schema_.offsets.empty()) note(offsets_note(schema_));
    for (const PartPlan& part : parts_)
      if (parts_.size() > 1 && wants_as_given(part) && !options_.scale && options_.map.before.empty())
        note_odd(
            fmt::format("scaling: {} sees scaled inputs, as other parts do; as a kernel of named columns it does not",
                        part.kind->name));
    if (has_mixed_bins(options_.map)) return mixture();
    scaling_ = choose_scale(parts_.size() == 1 ? &parts_[0] : nullptr);
    if (scaling_) plan_.maps.push_back(scaling_);
    add_before(plan_.maps);
    if (const MapPtr features = choose_map(plan_.map())) plan_.maps.push_back(features);
    return std::move(plan_);
  }

 private:
  void note(const std::string& text) {
    plan_.notes.push_back(text);
    if (options_.say) options_.say(text);
  }

  void note_odd(const std::string& text) {
    plan_.notes.push_back(text);
    give_notice(options_, text);
  }

  // The maps that the rows go through before the parts, behind their scaling.
  void add_before(std::vector<MapPtr>& maps) {
    for (PartPlan& part : parts_before(options_)) {
      const MapPtr before = maps.empty() ? nullptr : maps.size() == 1 ? maps[0] : chain(maps);
      tell_rows(part.request, before);
      maps.push_back(part.kind->make(part.request));
    }
  }
  // The maps before the parts, made again of these rows, which are scaled. Null: there are none.
  MapPtr before_again(const SampleTrial& rows) {
    MapPtr all;
    for (PartPlan& part : parts_before(options_)) {
      MapRequest& request = part.request;
      tell_rows(request, all);
      request.inputs = all ? all->outputs() : rows.inputs().cols();
      request.labelled = [&rows, all](std::size_t) {
        return all ? SampleTrial(rows, all).labelled() : rows.labelled();
      };
      request.sample = [&request](std::size_t most) { return request.labelled(most).inputs; };
      request.note = [](const std::string&) {};
      const MapPtr made = part.kind->make(request);
      all = all ? chain({all, made}) : made;
    }
    return all;
  }
  bool learns_before() const {
    const std::vector<PartPlan> before = parts_before(options_);
    return std::any_of(before.begin(), before.end(), [](const PartPlan& part) { return part.kind->learns_targets; });
  }
  bool learns_targets() const {
    return learns_before() ||
           std::any_of(parts_.begin(), parts_.end(), [](const PartPlan& part) { return part.kind->learns_targets; });
  }

  // What a map that is made behind `before` may know of the rows.
  void tell_rows(MapRequest& request, const MapPtr& before) {
    request.inputs = before ? before->outputs() : schema_.inputs;
    request.rows = survey_.rows();
    request.sparse = schema_.sparse && !before;
    request.execution.threads = threads_.count();
    request.sample = [this, before](std::size_t most) { return scaled_sample(survey_, before, most, threads_); };
    request.labelled = [this, before](std::size_t most) {
      require(schema_.targets > 0,
              "map: {} learns from targets, which this command does not use; leave it out (train and rank take it)",
              learns_before() ? "metric" : parts_.front().kind->name);
      const auto rows = survey_.sample(most);
      return labelled_rows(
          scaled_sample(survey_, before, most, threads_), target_code(schema_, survey_, true),
          [&](std::size_t i) { return rows[i].targets.data(); }, [&](std::size_t i) { return rows[i].weight; });
    };
    request.note = [this](const std::string& text) { note(text); };
  }
  MapPtr with_before(const MapPtr& scaling) {
    std::vector<MapPtr> maps;
    if (scaling) maps.push_back(scaling);
    add_before(maps);
    return maps.empty() ? nullptr : chain(std::move(maps));
  }

  // Bins and dense features are scaled each in their own way.
  Plan mixture() {
    plan_.bins_scaling = with_before(choose_scale(bins_of(parts_)));
    const MapPtr scaling = with_before(choose_scale(nullptr)), features = choose_map(scaling);
    plan_.dense = scaling ? chain({scaling, features}) : features;
    return std::move(plan_);
  }

  // alone: the part that sees these rows; null where several do.
  MapPtr choose_scale(const PartPlan* alone) {
    ScalingChoice choice{options_.scale, {}};
    if (!choice.method && alone && alone->kind->learnt_with_head)
      choice.method = learnt_with_head().scaling(*alone, schema_);
    const std::vector<std::string> names = schema_.input_names();
    for (const auto& [name, method] : options_.scale_inputs) {
      const auto found = std::find(names.begin(), names.end(), name);
      require(found != names.end(), "scale: there is no numeric input \"{}\"", name);
      choice.per_input.emplace_back(std::size_t(found - names.begin()), method);
    }
    std::vector<InputAsGiven> as_given;
    if (options_.map.before.empty()) as_given = inputs_as_given(parts_, schema_.inputs);
    for (std::size_t k = 0; k < as_given.size() && !choice.method; ++k) choice.as_given.push_back(as_given[k].input);
    choice.keep_constants = alone && std::holds_alternative<NoMap>(alone->request.options) && !has_intercept();
    if (choice.keep_constants && choice.method == ColumnScaling::Method::none && !schema_.offsets.empty())
      fail(Error::Kind::data,
           "offsets: float would lose digits of {}, and a fit through zero cannot do without the offset; {} keeps them",
           offsets_text(schema_), Option::double_precision);
    const ChosenScaling chosen = choose_scaling(schema_, survey_, choice);
    refuse_offsets(as_given, chosen);
    note("scaling: " + chosen.summary);
    note_constants(chosen.constants);
    return whitened(chosen);
  }

  // Less an offset, an input that is left alone would be another one to a kernel that depends on where zero is.
  void refuse_offsets(const std::vector<InputAsGiven>& as_given, const ChosenScaling& chosen) const {
    for (const auto& [input, from_zero] : as_given)
      if (from_zero && !schema_.offsets.empty() && schema_.offsets[input] != 0 &&
          chosen.columns[input].method == ColumnScaling::Method::none)
        fail(Error::Kind::data,
             "offsets: float would lose digits of {}, and a kernel that depends on where zero is cannot do without the "
             "offset; {} keeps them",
             schema_.input_names()[input], Option::double_precision);
  }

  MapPtr whitened(const ChosenScaling& chosen) const {
    const MapPtr scaling = chosen.map();
    if (chosen.whitened.empty()) return scaling;
    const Matrix<double> rows = scaled_sample(survey_, scaling, survey_.sampled(), threads_);
    std::vector<double> weights;
    for (const Survey::SampledRow& row : survey_.sample(survey_.sampled())) weights.push_back(row.weight);
    const MapPtr white = whitening(rows, weights, chosen.whitened, threads_);
    return scaling ? chain({scaling, white}) : white;
  }

  bool has_intercept() const {
    return options_.learner.learner == Learner::ridge ? options_.ridge.intercept : options_.learner.intercept;
  }

  void note_constants(const std::vector<std::size_t>& constants) {
    if (constants_noted_) return;
    constants_noted_ = !constants.empty();
    for (const std::string& line : constants_notes(schema_, survey_, constants)) note_odd(line);
  }

  MapPtr choose_map(const MapPtr& scaling) {
    std::vector<MapPtr> maps;
    std::vector<double> weights;
    for (const PartPlan& part : parts_) {
      if (part.kind->learnt_with_head) continue;
      maps.push_back(choose_part(part, scaling));
      weights.push_back(part.weight.value_or(1));
    }
    if (maps.size() > 1) plan_.kernel.clear(), plan_.bandwidth.clear();  // each part has its own, in the map's spec
    if (maps.empty()) return nullptr;
    return maps.size() == 1 ? maps[0] : concat(std::move(maps), std::move(weights));
  }

  // Length scales, and where they are chosen the number of features, by trials of some rows; told by request.note.
  using ChooseMap = std::function<void(const SampleTrial& trial, MapRequest& request)>;

  MapPtr choose_part(const PartPlan& part, const MapPtr& scaling) {
    MapRequest request = part.request;
    tell_rows(request, scaling);
    const MapSize size = map_size(*part.kind, request);
    const std::size_t wanted = size.wanted ? size.wanted : size.features;
    const std::size_t most = aim_ == PlanFor::features ? 0 : most_chosen_features(options_, schema_, survey_.rows());
    if (!request.features && size.step > 0 && !most)
      note(fmt::format("features: {} for {} rows", wanted, survey_.rows()));
    if (size.features > wanted) note(fmt::format("features: {}, since {}", size.features, size.rounded));
    std::optional<SampleTrial> trial;
    const bool searched = part.kind->has_kernel && part.bandwidth.searched();
    const std::vector<double>& lambdas = options_.ridge.lambdas;
    const bool nested =
        scores_by_choice() && (searched || most || learns_targets() || (lambdas.size() != 1 && !schema_.sparse));
    if (searched || most || nested)
      trial.emplace(schema_, survey_, scaling, threads_, checkpoint_, lambdas_of_trials());
    ChooseMap choose;
    if (part.kind->has_kernel) {
      choose = choose_bandwidth(part, request, size.trial_features ? size.trial_features : size.features, most, scaling,
                                trial ? &*trial : nullptr);
      plan_.kernel = kernel_name(request.kernel);
      plan_.bandwidth = request.kernel.length_scales;
    }
    const MapPtr map = part.kind->make(request);
    const bool bounded = map && map->bound() > 0;  // what trials sum up
    if (bounded && nested) score_nested(part, request, choose, map, *trial);
    return map;
  }

  void score_nested(const PartPlan& part, const MapRequest& request, const ChooseMap& choose, const MapPtr& map,
                    const SampleTrial& trial) {
    const std::vector<double>& lambdas = options_.ridge.lambdas;
    const auto chosen = [&](const SampleTrial& rest) -> Chosen {
      MapRequest again = request;
      again.note = [](const std::string&) {};
      again.inputs = rest.inputs().cols();
      again.labelled = [&rest](std::size_t) { return rest.labelled(); };
      again.sample = [&rest](std::size_t) { return rest.labelled().inputs; };
      if (choose) choose(rest, again);
      const MapPtr made = choose || learns_targets() ? part.kind->make(again) : map;
      return {made, lambdas.size() == 1 ? lambdas[0] : rest.judge(made).lambda};
    };
    if (!learns_before()) {
      plan_.nested = nested_score(trial, chosen);
      return;
    }
    plan_.nested = nested_score(SampleTrial(schema_, survey_, scaling_, threads_, nullptr, lambdas_of_trials()),
                                [&](const SampleTrial& scaled) {
                                  const MapPtr before = before_again(scaled);
                                  const SampleTrial rest(scaled, before);
                                  const Chosen found = chosen(rest);
                                  return Chosen{chain({before, found.map}), found.lambda};
                                });
  }

  // `features`: of the map that is planned; the search is by as many Fourier features, or fewer. most: that may be
  // chosen; 0: their number stands. Returns how the choice was made, if rows were tried.
  ChooseMap choose_bandwidth(const PartPlan& part, MapRequest& request, std::size_t features, std::size_t most,
                             const MapPtr& scaling, const SampleTrial* trial) {
    const Bandwidth& bandwidth = part.bandwidth;
    double rule = 0;
    if (bandwidth.rule == Bandwidth::Rule::given) {
      request.kernel.length_scales = bandwidth.length_scales;
    } else {
      const std::size_t rows = std::clamp<std::size_t>((8u << 20) / schema_.inputs, 100, kMedianRows);
      const Matrix<double> sample = by_weight(scaled_sample(survey_, scaling, rows, threads_), survey_.sample(rows));
      const bool by_scale = bandwidth.rule == Bandwidth::Rule::scale;
      rule =
          by_scale ? scale_bandwidth(request.kernel, sample.view()) : median_bandwidth(request.kernel, sample.view());
      request.kernel.length_scales = {rule};
      if (!bandwidth.searched())
        note(fmt::format("bandwidth: {:.4g} by the {} rule", rule, bandwidth_words(bandwidth)));
    }
    if (!bandwidth.searched() && !most) return {};
    const ChooseMap choose = [this, &part, features, most, rule, kernel = request.kernel](const SampleTrial& rows,
                                                                                          MapRequest& chosen) {
      BandwidthSearch found{kernel.length_scales, 0, 0, 0};
      const std::size_t tried = std::min(features / 2 * 2, kSearchFeatures);
      if (part.bandwidth.searched()) {
        const bool per_input = part.bandwidth.rule == Bandwidth::Rule::searched_per_input;
        found = (per_input ? search_length_scales : search_bandwidth)(rows, kernel, tried, part.request.seed);
        const char* by = rows.leaves_one_out(tried) ? "leave-one-out" : "cross-validation";
        if (found.length_scales.size() == 1)
          chosen.note(fmt::format("bandwidth: {:.4g}, {:.3g} x the median distance, by {} on {} rows",
                                  found.length_scales[0], found.length_scales[0] / rule, by, rows.rows()));
        else
          note_length_scales(found, rows.rows(), chosen.note);
      }
      chosen.kernel.length_scales = found.length_scales;
      // Nested folds keep the number of features: choosing it again would take most of their time.
      if (rows.coarse())
        for (double& scale : chosen.kernel.length_scales) scale *= stretch_;
      else if (most)
        choose_features(part, rows, found, {features, most, part.bandwidth.searched() ? rule : 0}, chosen);
    };
    choose(*trial, request);
    return choose;
  }

  void choose_features(const PartPlan& part, const SampleTrial& rows, const BandwidthSearch& found, FeatureRange range,
                       MapRequest& chosen) {
    range.lambdas = options_.ridge.lambdas;
    const auto make = [&](const Kernel& kernel, std::size_t features) {
      MapRequest trial = chosen;
      trial.kernel = kernel;
      trial.features = features;
      return part.kind->make(trial);
    };
    const FeatureSearch best = search_features(rows, chosen.kernel, found, range, make);
    const bool same = best.length_scales == chosen.kernel.length_scales;
    chosen.features = best.features;
    stretch_ = best.length_scales[0] / chosen.kernel.length_scales[0];
    chosen.kernel.length_scales = best.length_scales;
    chosen.note(fmt::format("features: {} of {} to {}{}, by the error of rows left out", best.features, range.least,
                            best.tried, same ? "" : fmt::format(", bandwidth {:.4g}", best.length_scales[0])));
  }

  // A learner other than ridge has its own penalty.
  std::vector<double> lambdas_of_trials() const {
    return options_.learner.learner == Learner::ridge ? options_.ridge.lambdas : std::vector<double>();
  }

  // Whether the score that the training prints would be the best of those that it chose by, on few rows.
  bool scores_by_choice() const {
    const RidgeOptions& ridge = options_.ridge;
    const bool few = schema_.task == Task::classification && survey_.rows() < kNestedRows;
    const bool learnt = learns_targets() && survey_.rows() <= SampleTrial::most_rows(schema_);
    return aim_ == PlanFor::training && survey_.rows() >= 2 * kNestedFolds && (few || learnt) &&
           options_.learner.learner == Learner::ridge && !options_.validation && parts_.size() == 1 &&
           ridge.intercept && ridge.select != RidgeOptions::Select::hold_out &&
           (ridge.lambdas.size() != 1 || ridge.lambdas[0] > 0);
  }

  // The shortest length scales: the inputs that matter most.
  void note_length_scales(const BandwidthSearch& found, std::size_t rows,
                          const std::function<void(const std::string&)>& told) const {
    std::vector<std::string> names = schema_.input_names();
    if (!options_.map.before.empty()) names.resize(0);  // projected inputs have none
    for (std::size_t j = names.size(); j < found.length_scales.size(); ++j) names.push_back(fmt::format("output{}", j));
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return found.length_scales[a] < found.length_scales[b]; });
    std::string text = fmt::format("bandwidth: one per input, {} round{} on {} rows", found.rounds,
                                   found.rounds == 1 ? "" : "s", rows);
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 6); ++i)
      text += fmt::format("{} {} {:.3g}", i ? "," : "; shortest", names[order[i]], found.length_scales[order[i]]);
    told(text);
  }

  const Schema& schema_;
  const Survey& survey_;
  const TrainOptions& options_;
  const std::vector<PartPlan> parts_;
  Threads& threads_;
  Checkpoint* checkpoint_;
  PlanFor aim_;
  MapPtr scaling_ = {};           // null: inputs go as they are, or several parts are scaled apart
  bool constants_noted_ = false;  // parts of a mixture are scaled apart
  double stretch_ = 1;            // length scales of the chosen number of features over those of the first
  Plan plan_;
};

}  // namespace

MapPtr Plan::map() const { return maps.empty() ? nullptr : chain(maps); }

Plan make_plan(const Schema& schema, const Survey& survey, const TrainOptions& options, Threads& threads,
               Checkpoint* checkpoint, PlanFor aim) {
  check_options(options, schema.inputs);
  return Planning(schema, survey, options, threads, checkpoint, aim).run();
}

}  // namespace bochner
