// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const ReducedModel small = reduce(Model::load("cars.model"), {.points = 50});  // trained with --map nystroem
//   std::printf("%zu points for %zu landmarks", small.points, small.landmarks);
//   small.model.save("small.model");

#include "bochner/model.h"
#include "bochner/reduce.h"

namespace bochner {

struct ReducedModel {
  Model model;  // the same inputs and outputs, by fewer points
  std::size_t landmarks = 0, points = 0;
  double rkhs_distance = 0, norm = 0;  // all outputs: roots of the sums of their squared ones
  double seconds = 0;
};

// A kernel machine over landmarks (nystroem under a linear head) as one over fewer points, which answers as much
// faster. Points are those of reduce_together(); of classes, which are told by the largest score, scores may all move
// by the same amount. What the model knows of its training, its score too, stays that of the machine it was made of,
// and a note says so. Throws std::invalid_argument for another model.
ReducedModel reduce(const Model& model, const ReduceOptions& options = {});

// Whether a file is a model; false where it cannot be read.
bool is_model_file(const std::string& path);

}  // namespace bochner
