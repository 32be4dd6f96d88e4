// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/model.h"

namespace bochner {

// How strange a row is to a model, and its loss.
struct Judged {
  double score = 0, loss = 0;
};

// Holds what a model says of rows against their targets, or asks how strange it finds rows that have none.
class Judge {
 public:
  explicit Judge(const Model& model);  // std::invalid_argument where nothing can be judged

  const Model& model() const { return model_; }  // puts out what is judged: a mixture's density for its clusters
  bool needs_targets() const { return by_ == By::squares || by_ == By::classes; }
  const char* loss_name() const;
  Judged row(const double* predicted, const double* target) const;

 private:
  enum class By { squares, classes, density, strangeness };

  Model model_;
  By by_;
  double (*strangeness_)(const double* outputs, std::size_t count) = nullptr;
  const char* strange_ = nullptr;
};

}  // namespace bochner
