// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bochner/learner.h"
#include "bochner/rows.h"
#include "learn/newton/dense_design.h"
#include "random/draw.h"
#include "run/stream.h"

namespace bochner {

// Rows about as many centres as there are classes, or a bumpy function of them with a few gross errors.
struct LearnerProblem {
  Matrix<float> x;
  Matrix<double> y;
  std::vector<double> weights;
  Schema schema;

  LearnerProblem(std::size_t n, std::size_t d, std::size_t classes, double spread, std::uint64_t seed = 1)
      : x(n, d), y(n, 1), weights(n, 1.0) {
    schema.inputs = d;
    schema.targets = 1;
    schema.task = classes ? Task::classification : Task::regression;
    for (std::size_t c = 0; c < classes; ++c) schema.labels.push_back(std::to_string(c));
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const double center = classes ? normal(seed, Draw::candidate, i % classes, j) : 0;
        x(i, j) = float(center + spread * normal(seed, Draw::sample, i, j));
        sum += std::sin(2 * double(x(i, j)));
      }
      y(i, 0) = classes ? double(i % classes) : 10 + 5 * sum + (i % 50 == 0 ? 100 : 0);
    }
  }
  std::unique_ptr<Rows> rows(bool weighted = false) const {
    return memory_rows<float>(x.view(), y.view(), schema, weighted ? weights.data() : nullptr);
  }
  MapPtr map(std::size_t features) const {
    Kernel kernel;
    kernel.length_scales = {1.5};
    return fourier(schema.inputs, {.kernel = kernel, .features = features, .seed = 3});
  }
};

// The features of a problem, all kept as they are.
struct KeptFeatures {
  std::unique_ptr<Rows> rows;
  FeatureStore store;
  DenseDesign z;

  KeptFeatures(const LearnerProblem& p, std::size_t D, bool intercept, Threads& threads)
      : rows(p.rows()),
        store(Stream(*rows, p.map(D), threads, {}), p.x.rows(), std::size_t(1) << 40, FeatureStore::Rounding::none),
        z(store, intercept) {}
};

inline const LearnerOptions& learner_case(int i) {
  static const std::vector<LearnerOptions> all = {
      {.learner = Learner::svm, .loss = MarginLoss::linear, .C = {3.0}},
      {.learner = Learner::svm, .loss = MarginLoss::squared, .C = {3.0}},
      {.learner = Learner::logistic, .C = {3.0}},
      {.learner = Learner::huber, .C = {3.0}, .parameter = 2.0},
      {.learner = Learner::svr, .loss = MarginLoss::linear, .C = {3.0}, .parameter = 0.5},
      {.learner = Learner::svr, .loss = MarginLoss::squared, .C = {3.0}, .parameter = 0.5},
      {.learner = Learner::quantile, .C = {3.0}, .parameter = 0.8},
  };
  return all[std::size_t(i)];
}

inline LearnerProblem problem_for(const LearnerOptions& options, std::size_t n, std::size_t classes) {
  const bool numbers = learner_row(options.learner).task == Task::regression;
  return LearnerProblem(n, 4, numbers ? 0 : classes, 1.0);
}

}  // namespace bochner
