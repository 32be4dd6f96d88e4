// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/archive.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/threads.h"
#include "choose/offsets.h"
#include "learn/evaluator.h"
#include "maps/composed.h"
#include "maps/load.h"
#include "model/predictions.h"
#include "model/report_json.h"
#include "rows/schema_json.h"
#include "rows/shifted.h"
#include "run/stream.h"

namespace bochner {

namespace {

MapPtr chain_or_none(const std::vector<MapPtr>& maps) { return maps.empty() ? nullptr : chain(maps); }

// float or double, of a block of either.
template <class Block>
using Number = std::remove_cvref_t<decltype(*std::declval<Block>().values)>;

template <class T>
Matrix<double> predict_matrix(const Model& model, MatrixView<const T> x) {
  const auto rows = memory_rows<T>(x, {}, model.schema());
  return model.predict(*rows);
}

}  // namespace

Model::Model(Schema schema, std::vector<MapPtr> before_head, MapPtr head, Report report, bool double_precision)
    : schema_(std::move(schema)),
      before_head_(std::move(before_head)),
      head_(std::move(head)),
      features_(chain_or_none(before_head_)),
      map_(features_ ? chain({features_, head_}) : head_),
      report_(std::move(report)),
      double_precision_(double_precision) {
  require(map_->inputs() == schema_.inputs, "model: its maps take {} inputs, its schema gives {}", map_->inputs(),
          schema_.inputs);
  const std::size_t classes = schema_.labels.size();
  require(schema_.task == Task::regression || classes >= 2, "model: found {} class label{}, expected two or more",
          classes, classes == 1 ? "" : "s");
  const std::size_t expected = schema_.task == Task::regression ? schema_.targets : classes == 2 ? 1 : classes;
  const double largest = largest_coefficient(*head_);
  if (!(largest <= (double_precision_ ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max())))
    fail(Error::Kind::data,
         "model: a coefficient is {}, expected finite ones: targets or weights differ by too many orders of magnitude; "
         "divide the targets by their unit, even out the weights, or raise lambda",
         std::isfinite(largest) ? "beyond the range of float" : "not finite");
  require(map_->outputs() == expected, "model: its maps give {} outputs, its task needs {}", map_->outputs(), expected);
}

void Model::save(const std::string& path) const {
  Archive archive;
  archive.tree["type"] = "bochner model";
  archive.tree["schema"] = schema_to_json(schema_);
  archive.tree["report"] = report_to_json(report_);
  if (double_precision_) archive.tree["precision"] = "double";
  archive.tree["maps"] = before_head_.size();
  for (std::size_t i = 0; i < before_head_.size(); ++i) {
    Archive part;
    before_head_[i]->save(part);
    archive.put_child(fmt::format("map{}", i), std::move(part));
  }
  Archive head;
  head_->save(head);
  archive.put_child("head", std::move(head));
  write_archive(path, archive);
}

Model Model::load(const std::string& path) {
  const Archive archive = read_archive(path);
  try {
    if (get_text(archive.tree, "type") != "bochner model")
      fail(Error::Kind::model, "found \"{}\", expected a bochner model", get_text(archive.tree, "type"));
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
    return Model(std::move(schema), std::move(maps), load_map(archive.child("head")), std::move(report), wide);
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "{}: {}; train the model again", path, e.what());
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", path, e.what());
  }
}

void Model::predict(Rows& rows, const Execution& execution, const Visit& visit) const {
  Threads threads(execution);
  std::unique_ptr<Rows> shifted;
  const Stream stream(with_offsets(rows, schema_.offsets, shifted), map_, threads, execution,
                      double_precision_ ? Precision::float64 : Precision::float32);
  Matrix<double> values;
  stream.each("predict", [&](const auto& block) {
    if (values.rows() < block.rows) values = Matrix<double>(block.rows, block.cols);
    copy_finite<Number<decltype(block)>>({block.values, block.rows, block.cols, block.stride}, block.first,
                                         values.view().slice(0, block.rows));
    RowBlock<double> predictions;
    predictions.first = block.first;
    predictions.rows = block.rows;
    predictions.cols = predictions.stride = block.cols;
    predictions.values = values.data();
    predictions.targets = block.targets;
    predictions.target_count = block.target_count;
    predictions.weights = block.weights;
    visit(predictions);
  });
}

Matrix<double> Model::predict(Rows& rows, const Execution& execution) const {
  std::vector<double> values;
  std::size_t count = 0;
  predict(rows, execution, [&](const RowBlock<double>& p) {
    values.insert(values.end(), p.values, p.values + p.rows * p.cols);
    count += p.rows;
  });
  Matrix<double> all(count, outputs());
  std::copy(values.begin(), values.end(), all.data());
  return all;
}

Matrix<double> Model::predict(MatrixView<const float> x) const { return predict_matrix(*this, x); }
Matrix<double> Model::predict(MatrixView<const double> x) const { return predict_matrix(*this, x); }

const std::string& Model::label(const double* scores) const {
  require(schema_.task == Task::classification, "model: a regression has no labels");
  return schema_.labels[predicted_class(scores, outputs())];
}

bool Model::has_probabilities() const { return report_.learner == "logistic"; }

void Model::probabilities(const double* scores, double* of_classes) const {
  require(has_probabilities(), "model: the scores of {} are no probabilities; train with the logistic learner",
          report_.learner);
  double* const u = of_classes;
  std::size_t classes = outputs();
  if (classes == 1) {  // sigmoid(u) is the softmax of (0, u)
    u[1] = scores[0];
    u[0] = 0;
    classes = 2;
  } else {
    std::copy_n(scores, classes, u);
  }
  const double most = *std::max_element(u, u + classes);
  double sum = 0;
  for (std::size_t c = 0; c < classes; ++c) sum += u[c] = std::exp(u[c] - most);
  for (std::size_t c = 0; c < classes; ++c) u[c] /= sum;
}

std::vector<double> Model::probabilities(const double* scores) const {
  std::vector<double> u(schema_.labels.size());
  probabilities(scores, u.data());
  return u;
}

Score Model::evaluate(Rows& rows, const Execution& execution) const { return examine(rows, execution).score; }

Evaluation Model::examine(Rows& rows, const Execution& execution, bool by_weight) const {
  require(rows.schema().targets > 0, "evaluate: the rows have no target");
  const bool classes = schema_.task == Task::classification, likely = has_probabilities();
  Evaluator evaluator(schema_.task, outputs(), classes ? schema_.labels : schema_.target_names());
  predict(rows, execution, [&](const RowBlock<double>& p) {
    for (std::size_t i = 0; i < p.rows; ++i) {
      const double* scores = p.values + i * p.stride;
      const std::vector<double> chances = likely ? probabilities(scores) : std::vector<double>();
      const double weight = by_weight ? weight_of(p.weights, i) : 1;
      evaluator.add(scores, p.targets + i * p.target_count, weight, likely ? chances.data() : nullptr);
    }
  });
  return evaluator.evaluation();
}

std::string Model::description() const {
  std::string text;
  if (schema_.task == Task::classification) {
    text = fmt::format("task      classification of {} classes:", schema_.labels.size());
    for (std::size_t c = 0; c < std::min<std::size_t>(schema_.labels.size(), 12); ++c) text += " " + schema_.labels[c];
    if (schema_.labels.size() > 12) text += " ...";
  } else {
    text = fmt::format("task      regression of {} target{}", schema_.targets, schema_.targets == 1 ? "" : "s");
  }
  text += fmt::format("\ninputs    {}{}\n", schema_.inputs, schema_.sparse ? " (sparse)" : "");
  if (!schema_.offsets.empty()) text += fmt::format("offsets   {}\n", offsets_text(schema_));
  if (double_precision_) text += "precision double\n";
  for (const MapPtr& map : before_head_) text += fmt::format("map       {}\n", map->spec());
  text += fmt::format("head      {} by {}, lambda {:.3g}\n", report_.learner, report_.solver, report_.lambda);
  text += fmt::format("trained   on {} rows\n", report_.rows);
  if (report_.score) text += fmt::format("score     {} ({})\n", report_.score->text(), report_.validation);
  if (report_.test) text += fmt::format("test      {}\n", report_.test->text());
  for (const std::string& note : report_.notes) text += fmt::format("note      {}\n", note);
  return text;
}

}  // namespace bochner
