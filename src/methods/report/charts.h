// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/insight.h"

namespace bochner {

// A line of HTML each, which stays legible on a phone: a bar with a whisker of two standard errors, and a thin second
// bar where `second` is not negative.
struct Bar {
  std::string name;
  double value = 0, error = 0, second = -1;
};
std::string bar_chart(const std::vector<Bar>& bars, const std::string& unit);

// Neighbours are joined until each has so much of the weight: few rows swing by chance.
std::vector<Evaluation::Promise> joined_promises(const std::vector<Evaluation::Promise>& promises, double least);
// Found shares over predicted probabilities, with the 95 % interval of each share; rows: how many there are in all.
std::string promise_chart(const std::vector<Evaluation::Promise>& promises, double rows, const std::string& of);
// The ROC curve and, if `precision`, precision over recall, with what a model that knows nothing would have.
std::string ranking_chart(const std::vector<Evaluation::RankingPoint>& ranking, bool precision);
// Targets over predictions with the 90 % interval, where the model has some.
std::string pair_chart(const std::vector<Insight::Pair>& pairs, const Intervals* intervals, std::size_t target,
                       const std::string& name);
// What is left over as a histogram of residuals.
std::string residual_chart(const std::vector<Insight::Pair>& pairs, const std::string& name);
std::string confusion_chart(const Evaluation& evaluation);
std::string dependence_chart(const Insight::Dependence& dependence, bool classes);
std::string curve_chart(const std::vector<Report::CurvePoint>& curve);

// The look of curve i.
std::string curve_look(std::size_t i);

}  // namespace bochner
