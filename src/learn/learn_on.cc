// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/learn_on.h"

#include <algorithm>

#include "base/require.h"
#include "learn/learner.h"
#include "maps/saved_map.h"

namespace bochner {

Stream at_head(const Model& model, const Stream& rows) {
  return model.feature_map() ? rows.through(model.feature_map()) : rows;
}

namespace {

bool is_logistic(const Model& model) {
  return model.report().learner == learner_row(Learner::logistic).name && model.puts_out().of_classes() &&
         affine_of(*model.head());
}

// The penalty of a row stays, and an intercept of exactly 0 is none.
LearntOn learn_logistic(const Model& from, const Stream& rows, const Survey& survey) {
  AffineHead at = *affine_of(*from.head());
  const double lambda = from.report().lambda;
  require(lambda > 0, "watch: the model does not say its lambda, expected that of its training; train it again");
  LearnerOptions options{.learner = Learner::logistic, .lambdas = {lambda}};
  options.intercept = std::any_of(at.constant.begin(), at.constant.end(), [](double b) { return b != 0; });
  const Coefficients start{std::move(at.weights), std::move(at.constant)};
  Fitted fitted = fit_learner_from(at_head(from, rows), survey, options, start);
  return {from.maps(), std::move(fitted.head), std::move(fitted.report.notes)};
}

}  // namespace

const LearnsOn kLogisticLearnsOn{.is = is_logistic, .learn = learn_logistic};

}  // namespace bochner
