// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   TrainOptions options;
//   options.keep_background = true;
//   train(*rows, options).save("cars.model");
//   const Model model = Model::load("cars.model");
//   const auto fresh = open_rows("new.csv", model.schema());
//   const Explanation found = explain(model, *fresh);  // the background: rows of cars.csv

#include <cstddef>

#include "bochner/sparse_rows.h"

namespace bochner {

// Rows of a training that stay with its model, so that explain() needs no file of them: the most that it takes if the
// training had more, drawn uniformly by the hash of their numbers. Any threads, blocks and parts draw the same.
struct Background {
  static constexpr std::size_t kMostRows = 2000;

  SparseRows<double> rows = {};  // encoded inputs that are not 0, less the schema's offsets; in random order
};

}  // namespace bochner
