// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/archive.h"
#include "base/option.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/strict_json.h"
#include "base/threads.h"
#include "bochner/hmm.h"
#include "bochner/learner.h"
#include "bochner/mixture.h"
#include "bochner/visible_text.h"
#include "choose/offsets.h"
#include "learn/evaluator.h"
#include "maps/link.h"
#include "maps/load.h"
#include "maps/measured.h"
#include "maps/threshold.h"
#include "model/as_double.h"
#include "model/background.h"
#include "model/examine_levels.h"
#include "model/gathered_rows.h"
#include "model/model_file.h"
#include "model/predictions.h"
#include "model/report_json.h"
#include "model/uncertainty_file.h"
#include "random/powers.h"
#include "rows/schema_json.h"
#include "rows/shifted.h"
#include "run/check_memory.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr std::size_t kMostOutputs = std::size_t(1) << 22;  // each has a name

MapPtr chain_or_none(const std::vector<MapPtr>& maps) { return maps.empty() ? nullptr : chain(maps); }

Outputs outputs_from_json(const nlohmann::json& tree) {
  Outputs outputs{parse_outputs_name(get_text(tree, "kind"))};
  for (const nlohmann::json& name : get_node(tree, "names")) {
    if (!name.is_string()) fail(Error::Kind::model, "outputs: a name is no text; the file is damaged");
    outputs.names.push_back(name.get<std::string>());
  }
  return outputs;
}

Precision precision_of(const Model& model) {
  return model.double_precision() ? Precision::float64 : Precision::float32;
}

// Maps draw what their file does not hold: a file of a few bytes may ask for gigabytes. rows: that are mapped at a
// time, whose outputs are held as double too.
void check_held(const Model& model, const MapPtr& map, std::size_t rows, const Execution& execution) {
  const double element = model.double_precision() ? sizeof(double) : sizeof(float);
  check_memory("the map " + map->spec(),
               element / sizeof(float) * double(map->held_bytes()) +
                   (element + sizeof(double)) * double(rows) * double(map->outputs()),
               execution, fmt::format("allow more ({}), or train with fewer features", Option::memory));
}

// The first few numbers and the last one.
std::string figures_line(const std::string& name, const std::vector<double>& numbers) {
  constexpr std::size_t kFew = 8;
  std::string line = fmt::format("{:<9}", name);
  for (std::size_t i = 0; i < std::min(numbers.size(), kFew); ++i) line += fmt::format(" {:.6g}", numbers[i]);
  if (numbers.size() > kFew + 1) line += " ...";
  if (numbers.size() > kFew) line += fmt::format(" {:.6g}", numbers.back());
  return line + "\n";
}

template <class T>
Matrix<double> predict_matrix(const Model& model, MatrixView<const T> x) {
  const auto rows = memory_rows<T>(x, {}, model.schema());
  check_numbers(model.schema(), x);
  return model.predict(*rows);
}

}  // namespace

Model::Model(Schema schema, std::vector<MapPtr> before_head, MapPtr head, Report report, bool double_precision,
             std::optional<Outputs> outputs)
    : schema_(std::move(schema)),
      before_head_(std::move(before_head)),
      head_(std::move(head)),
      features_(chain_or_none(before_head_)),
      map_(features_ ? chain({features_, head_}) : head_),
      report_(std::move(report)),
      double_precision_(double_precision),
      told_outputs_(outputs.has_value()) {
  require(map_->inputs() == schema_.inputs, "model: its maps take {} inputs, its schema gives {}", map_->inputs(),
          schema_.inputs);
  const double largest = head_->largest_coefficient();
  if (!(largest <= (double_precision_ ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max())))
    fail(Error::Kind::data,
         "model: a coefficient is {}, expected finite ones: targets or weights differ by too many orders of magnitude; "
         "divide the targets by their unit, even out the weights, or raise lambda",
         std::isfinite(largest) ? "beyond the range of float" : "not finite");
  puts_out_ = described(std::move(outputs));
}

// What comes out, checked, with names.
Outputs Model::described(std::optional<Outputs> told) const {
  if (!told) told = map_->puts_out();
  const bool classification = schema_.task == Task::classification;
  Outputs out = told.value_or(Outputs{classification ? Outputs::Kind::scores : Outputs::Kind::values});
  const std::size_t count = map_->outputs(), classes = schema_.labels.size();
  // A model of each class, or one of all rows: sequences then have no labels, and rows may.
  const std::size_t chains = hmms_of(*head_).size(), known = chains ? chains : mixtures_of(*head_).size();
  require(known > 1 ? known == classes : chains == 0 || classes == 0,
          "model: its head is of {} class{}, its schema has {} labels", known, known == 1 ? "" : "es", classes);
  require(count <= kMostOutputs, "model: its maps give {} outputs, expected at most {}", count, kMostOutputs);
  require(!(out.of_classes() || (!told && classification)) || classes >= 2,
          "model: found {} class label{}, expected two or more", classes, classes == 1 ? "" : "s");
  std::size_t expected = count;
  if (out.kind == Outputs::Kind::values) expected = schema_.targets;
  if (out.kind == Outputs::Kind::scores) expected = classes == 2 ? 1 : classes;
  if (out.kind == Outputs::Kind::probabilities) expected = classes;
  if (out.kind == Outputs::Kind::quantiles) {
    const std::optional<Link> link = link_of(*head_);
    expected = link && link->kind == Link::Kind::ascending && schema_.targets <= 1 ? link->levels.size() : 0;
  }
  require(count == expected, "model: its maps give {} outputs, its task needs {}", count, expected);
  require(out.names.empty() || out.names.size() == count, "model: found {} names for {} outputs", out.names.size(),
          count);
  if (!out.names.empty()) return out;
  if (out.kind == Outputs::Kind::values) out.names = schema_.target_names();
  if (out.of_classes())  // two classes have one score, that of the second
    out.names.assign(schema_.labels.end() - std::ptrdiff_t(count), schema_.labels.end());
  for (std::size_t k = out.names.size(); k < count; ++k)
    out.names.push_back(fmt::format("{}{}", outputs_name(out.kind), k));
  return out;
}

Archive model_archive(const Model& model, bool with_outputs) {
  Archive archive;
  archive.tree["type"] = "bochner model";
  archive.tree["schema"] = schema_to_json(model.schema());
  archive.tree["report"] = report_to_json(model.report());
  if (model.double_precision()) archive.tree["precision"] = "double";
  if (!model.target_offsets().empty()) archive.tree["target_offsets"] = model.target_offsets();
  const Outputs& out = model.puts_out();
  if (with_outputs) archive.tree["outputs"] = {{"kind", outputs_name(out.kind)}, {"names", out.names}};
  archive.tree["maps"] = model.maps().size();
  for (std::size_t i = 0; i < model.maps().size(); ++i) {
    Archive part;
    model.maps()[i]->save(part);
    archive.put_child(fmt::format("map{}", i), std::move(part));
  }
  Archive head;
  model.head()->save(head);
  archive.put_child("head", std::move(head));
  save_uncertainty(model.calibration(), model.intervals(), archive);
  save_deviation(model.deviation(), archive);
  save_background(model.background(), model.double_precision(), archive);
  return archive;
}

void Model::save(const std::string& path) const { write_archive(path, model_archive(*this, told_outputs_)); }

Model Model::load(const std::string& path) { return model_of_archive(read_archive(path), path); }

Model model_of_archive(const Archive& archive, const std::string& path) {
  try {
    if (get_text(archive.tree, "type") != "bochner model")
      fail(Error::Kind::model, "found {}, expected a bochner model", printable(get_text(archive.tree, "type")));
    Schema schema = schema_from_json(get_node(archive.tree, "schema"));
    Report report = report_from_json(get_node(archive.tree, "report"));
    std::vector<MapPtr> maps;
    const std::size_t count = get_count(archive.tree, "maps", 8);
    for (std::size_t i = 0; i < count; ++i) maps.push_back(load_map(archive.child(fmt::format("map{}", i))));
    bool wide = false;
    if (archive.tree.contains("precision")) {
      const std::string precision = get_text(archive.tree, "precision");
      if (precision != "float" && precision != "double")
        fail(Error::Kind::model, "precision: found \"{}\", expected float or double; the file is damaged", precision);
      wide = precision == "double";
    }
    std::optional<Outputs> outputs;
    if (archive.tree.contains("outputs")) outputs = outputs_from_json(get_node(archive.tree, "outputs"));
    Model model(std::move(schema), std::move(maps), load_map(archive.child("head")), std::move(report), wide,
                std::move(outputs));
    if (archive.tree.contains("target_offsets")) model.set_target_offsets(get_numbers(archive.tree, "target_offsets"));
    model.set_calibration(load_calibration(archive));
    model.set_intervals(load_intervals(archive));
    model.set_deviation(load_deviation(archive));
    model.set_background(load_background(archive, wide, model.schema().inputs));
    return model;
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "{}: {}; train the model again", path, e.what());
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", path, e.what());
  }
}

Model model_of_bytes(std::string_view bytes, const std::string& name) {
  return model_of_archive(archive_of_bytes(bytes, name), name);
}

void Model::predict(Rows& rows, const Execution& execution, const Visit& visit) const {
  predict_by(map_, rows, execution, visit);
}

void Model::predict_by(const MapPtr& map, Rows& rows, const Execution& execution, const Visit& visit) const {
  const std::size_t rows_at_once = Stream::block_rows(map->outputs(), precision_of(*this), execution);
  check_held(*this, map, rows_at_once, execution);
  Threads threads(execution);
  std::unique_ptr<Rows> shifted;
  Execution alone = execution;
  alone.ranks = nullptr;
  const Stream stream(with_offsets(rows, schema_.offsets, shifted), map, threads, alone, precision_of(*this));
  const auto each = [&](const Visit& visit_own) {
    Matrix<double> values;
    stream.each("predict", [&](const auto& block) {
      const RowBlock<double> predictions = as_double(block, values);
      add_offsets(target_offsets_, values.view().slice(0, block.rows));
      check_finite(values.view().slice(0, block.rows), block.first);
      visit_own(predictions);
    });
  };
  if (!execution.ranks) return each(visit);
  const RowShape shape{map->outputs(), rows.schema().targets};
  const double bytes = 8.0 * double(shape.cols + shape.targets + 2) * double(rows.counts().rows);
  const RowBuffer<double> all = gathered_blocks(each, shape, kMostGatheredBytes / bytes, 0, *execution.ranks);
  for (std::size_t begin = 0; begin < all.rows; begin += rows_at_once)
    visit(all.view(begin, std::min(rows_at_once, all.rows - begin), begin));
}

Matrix<double> Model::predict(Rows& rows, const Execution& execution) const {
  return gathered(outputs(), [&](const Visit& visit) { predict(rows, execution, visit); });
}

Matrix<double> Model::gathered(std::size_t columns, const Predict& predict) {
  std::vector<double> values;
  predict([&](const RowBlock<double>& p) { values.insert(values.end(), p.values, p.values + p.rows * p.cols); });
  Matrix<double> all(values.size() / columns, columns);
  std::copy(values.begin(), values.end(), all.data());
  return all;
}

Matrix<double> Model::predict(MatrixView<const float> x) const { return predict_matrix(*this, x); }
Matrix<double> Model::predict(MatrixView<const double> x) const { return predict_matrix(*this, x); }

const std::string& Model::label(const double* scores) const {
  require(puts_out_.of_classes(), "model: it puts out {}, which have no labels", outputs_name(puts_out_.kind));
  return schema_.labels[predicted_class(scores, outputs())];
}

bool Model::has_probabilities() const {
  if (calibration_) return true;
  if (puts_out_.kind != Outputs::Kind::scores) return puts_out_.kind == Outputs::Kind::probabilities;
  const LearnerRow* learner = find_learner(report_.learner);  // no map knows the loss that its scores were fitted by
  return (learner && learner->probabilities) || head_->spec().starts_with("mixture:");  // log posteriors
}

void Model::probabilities(const double* scores, double* of_classes) const {
  require(has_probabilities(),
          "model: the scores of {} are no probabilities; calibrate it, or train with the logistic learner",
          report_.learner);
  if (calibration_) return calibration_->apply(scores, of_classes);
  double* const u = of_classes;
  std::size_t classes = outputs();
  if (puts_out_.kind == Outputs::Kind::probabilities) {
    std::copy_n(scores, classes, u);
    return;
  }
  if (classes == 1) {  // sigmoid(u) is the softmax of (0, u)
    u[1] = scores[0];
    u[0] = 0;
    classes = 2;
  } else {
    std::copy_n(scores, classes, u);
  }
  const double most = *std::max_element(u, u + classes);
  double sum = 0;
  for (std::size_t c = 0; c < classes; ++c) sum += u[c] = portable_exp_negative(u[c] - most);
  for (std::size_t c = 0; c < classes; ++c) u[c] /= sum;
}

std::vector<double> Model::probabilities(const double* scores) const {
  std::vector<double> u(schema_.labels.size());
  probabilities(scores, u.data());
  return u;
}

Score Model::evaluate(Rows& rows, const Execution& execution) const { return examine(rows, execution).score; }

namespace {

// Rows of another label than the normal one are the anomalies: a class of their own, whose score is how far a row is
// above the threshold.
Evaluation examine_anomalies(const Model& model, const Threshold& threshold, Rows& rows, const Execution& execution,
                             bool by_weight) {
  const std::vector<std::string>& labels = model.schema().labels;
  const auto normal = std::find(labels.begin(), labels.end(), threshold.normal);
  require(normal != labels.end() && rows.schema().targets > 0,
          "evaluate: nothing tells which rows are anomalies; name their column as the target when the model is made");
  const double label = double(normal - labels.begin());
  Evaluator evaluator(Task::classification, 1,
                      {threshold.normal, labels.size() == 2 ? labels[label == 0 ? 1 : 0] : "anomaly"});
  model.predict(rows, execution, [&](const RowBlock<double>& p) {
    for (std::size_t i = 0; i < p.rows; ++i) {
      const double score = p.values[i * p.stride] - threshold.value;
      const double target = p.targets[i * p.target_count] == label ? 0 : 1;
      evaluator.add(&score, &target, by_weight ? weight_of(p.weights, i) : 1, nullptr);
    }
  });
  return evaluator.evaluation();
}

}  // namespace

Evaluation Model::examine(Rows& rows, const Execution& execution, bool by_weight) const {
  if (puts_out_.kind == Outputs::Kind::density)
    if (const std::optional<Threshold> threshold = threshold_of(*head_))
      return examine_anomalies(*this, *threshold, rows, execution, by_weight);
  const std::optional<Link> link = link_of(*head_);
  if (puts_out_.kind == Outputs::Kind::quantiles)
    return examine_levels(*this, link->levels, rows, execution, by_weight);
  MapPtr density = log_density(head_);
  if (density && features_) density = chain({features_, density});
  if (density && !puts_out_.of_targets()) return examine_density(density, rows, execution, by_weight);
  require(puts_out_.of_targets(), "evaluate: the model puts out {}, which no target tells",
          outputs_name(puts_out_.kind));
  require(rows.schema().targets > 0, "evaluate: the rows have no target");
  const bool classes = schema_.task == Task::classification, likely = has_probabilities();
  Evaluator evaluator(schema_.task, outputs(), classes ? schema_.labels : schema_.target_names(),
                      link ? std::optional(link->power) : std::nullopt);
  IntervalCounts counts(intervals_);
  double likelihood = 0, all = 0;
  predict_by(density ? concat({map_, density}) : map_, rows, execution, [&](const RowBlock<double>& p) {
    for (std::size_t i = 0; i < p.rows; ++i) {
      const double* scores = p.values + i * p.stride;
      const std::vector<double> chances = likely ? probabilities(scores) : std::vector<double>();
      const double weight = by_weight ? weight_of(p.weights, i) : 1;
      evaluator.add(scores, p.targets + i * p.target_count, weight, likely ? chances.data() : nullptr);
      counts.add(scores, p.targets + i * p.target_count, weight);
      if (density) likelihood += weight * scores[outputs()], all += weight;
    }
  });
  Evaluation evaluation = evaluator.evaluation();
  evaluation.coverage = counts.coverage();
  if (density && all > 0) evaluation.log_likelihood = likelihood / all;
  return evaluation;
}

std::string Model::description() const {
  std::string text;
  if (!puts_out_.of_targets()) {
    text = fmt::format("output    {} of {}", outputs(), outputs_name(puts_out_.kind));
  } else if (schema_.task == Task::classification) {
    text = fmt::format("task      classification of {} classes:", schema_.labels.size());
    for (std::size_t c = 0; c < std::min<std::size_t>(schema_.labels.size(), 12); ++c)
      text.append(" ").append(one_line(schema_.labels[c]));
    if (schema_.labels.size() > 12) text += " ...";
  } else {
    text = fmt::format("task      regression of {} target{}", schema_.targets, schema_.targets == 1 ? "" : "s");
  }
  text += fmt::format("\ninputs    {}{}\n", schema_.inputs, schema_.sparse ? " (sparse)" : "");
  if (!schema_.offsets.empty()) text += fmt::format("offsets   {}\n", one_line(offsets_text(schema_)));
  for (std::size_t k = 0; k < target_offsets_.size(); ++k)
    if (target_offsets_[k] != 0)
      text += fmt::format("offset    {:.17g} is added to what the head answers for {}\n", target_offsets_[k],
                          one_line(puts_out_.names[k]));
  if (double_precision_) text += "precision double\n";
  for (const MapPtr& map : before_head_) text += fmt::format("map       {}\n", map->spec());
  text += report_.learner.empty() ? fmt::format("{:<9} {}\n", puts_out_.of_targets() ? "head" : "map", head_->spec())
          : report_.learner == "automatic"
              ? fmt::format("head      the automatic estimator: {} of {} candidates blended\n",
                            report_.part_weights.size(), report_.candidates.size())
          : puts_out_.of_targets()
              ? fmt::format("head      {} by {}, lambda {:.3g}\n", report_.learner, report_.solver, report_.lambda)
              : fmt::format("head      {} by {}\n", report_.learner, report_.solver);
  if (report_.rows > 0) text += fmt::format("trained   on {} rows\n", report_.rows);
  for (const auto& [name, numbers] : figures_of(*head_)) text += figures_line(name, numbers);
  if (report_.score) text += fmt::format("score     {} ({})\n", report_.score->text(), report_.validation);
  if (report_.test) text += fmt::format("test      {}\n", report_.test->text());
  if (calibration_) text += fmt::format("calibrated {}\n", calibration_->text());
  if (intervals_) text += fmt::format("intervals {}\n", intervals_->text());
  if (deviation_) text += fmt::format("deviation {}\n", deviation_->text());
  if (background_) text += fmt::format("background {} rows of the training, for explain\n", background_->rows.rows());
  if (!report_.log_marginal_likelihood.empty()) text += figures_line("evidence", report_.log_marginal_likelihood);
  for (const std::string& note : report_.notes) text += fmt::format("note      {}\n", one_line(note));
  return text;
}

}  // namespace bochner
