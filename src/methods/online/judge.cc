// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/online/judge.h"

#include <algorithm>
#include <limits>

#include "base/require.h"
#include "bochner/mixture.h"
#include "bochner/watch.h"
#include "learn/learn_on.h"

namespace bochner {

namespace {

// How far the best score of a wrong class is above that of the label, and whether it wins.
Judged judged_class(const double* scores, std::size_t outputs, std::size_t label) {
  if (outputs == 1) return {label == 1 ? -scores[0] : scores[0], (scores[0] > 0) == (label == 1) ? 0.0 : 1.0};
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < outputs; ++k)
    if (k != label) best = std::max(best, scores[k]);
  return {best - scores[label], std::size_t(std::max_element(scores, scores + outputs) - scores) == label ? 0.0 : 1.0};
}

}  // namespace

Judge::Judge(const Model& model) : model_(model), by_(By::squares) {
  if (const LearnsOn* sort = learns_on(model); sort && sort->strangeness) {
    by_ = By::strangeness;
    strangeness_ = sort->strangeness;
    strange_ = sort->strange;
    return;
  }
  const bool targets = model.puts_out().of_targets();
  if (const MapPtr density = targets ? MapPtr() : log_density(model.head()))
    model_ = Model(model.schema(), model.maps(), density, {}, model.double_precision());
  const Outputs::Kind kind = model_.puts_out().kind;
  require(
      targets || kind == Outputs::Kind::density,
      "watch: the model puts out {}, expected one that predicts a target, a density, clusters or anomalies: without, "
      "no error can grow; {}",
      outputs_name(kind),
      kind == Outputs::Kind::quantiles ? "train with one quantile" : "`bochner drift` compares rows themselves");
  if (!targets)
    by_ = By::density;
  else if (model.schema().task == Task::classification)
    by_ = By::classes;
}

const char* Judge::loss_name() const {
  constexpr const char* kNames[] = {"mean squared error", "share of wrong classes", "-log density"};
  return by_ == By::strangeness ? strange_ : kNames[std::size_t(by_)];
}

Judged Judge::row(const double* predicted, const double* target) const {
  const std::size_t outputs = model_.outputs();
  if (by_ == By::classes) return judged_class(predicted, outputs, std::size_t(target[0]));
  double loss = by_ == By::density ? -predicted[0] : 0;
  if (by_ == By::strangeness) loss = strangeness_(predicted, outputs);
  for (std::size_t k = 0; by_ == By::squares && k < outputs; ++k)
    loss += (predicted[k] - target[k]) * (predicted[k] - target[k]) / double(outputs);
  return {loss, loss};
}

std::string WatchHistory::loss_name(const Model& model) { return Judge(model).loss_name(); }

}  // namespace bochner
