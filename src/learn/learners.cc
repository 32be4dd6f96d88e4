// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "bochner/learner.h"

namespace bochner {

namespace {

constexpr const char* kIterates = "it passes over all rows again and again; train it on the whole, or use ridge";

constexpr LearnerRow kLearners[] = {
    {.learner = Learner::ridge, .name = "ridge"},
    {.learner = Learner::svm,
     .name = "svm",
     .task = Task::classification,
     .has_C = true,
     .has_loss = true,
     .rounds_features = true,
     .no_parts = kIterates},
    {.learner = Learner::hard_svm, .name = "hard-svm", .task = Task::classification, .no_parts = kIterates},
    {.learner = Learner::logistic,
     .name = "logistic",
     .task = Task::classification,
     .has_C = true,
     .rounds_features = true,
     .probabilities = true,
     .no_parts = kIterates},
    {.learner = Learner::huber,
     .name = "huber",
     .task = Task::regression,
     .has_C = true,
     .has_delta = true,
     .no_parts = kIterates},
    {.learner = Learner::svr,
     .name = "svr",
     .task = Task::regression,
     .has_C = true,
     .has_loss = true,
     .has_epsilon = true,
     .no_parts = kIterates},
    {.learner = Learner::knn,
     .name = "knn",
     .has_neighbors = true,
     .no_parts = "it keeps the rows themselves; train it on the whole, or use ridge"},
};

}  // namespace

std::span<const LearnerRow> learners() { return kLearners; }

const LearnerRow& learner_row(Learner learner) {
  return *std::find_if(std::begin(kLearners), std::end(kLearners),
                       [&](const LearnerRow& row) { return row.learner == learner; });
}

const LearnerRow* find_learner(std::string_view name) {
  const auto row = std::find_if(std::begin(kLearners), std::end(kLearners),
                                [&](const LearnerRow& candidate) { return candidate.name == name; });
  return row == std::end(kLearners) ? nullptr : row;
}

}  // namespace bochner
