// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("cars.mixture");
//   const SampledRows made = sample_rows_of(model, 1000, 7);
//   std::printf("the first input of the first row: %g\n", made.inputs(0, 0));

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/model.h"

namespace bochner {

struct SampledRows {
  Matrix<double> inputs;             // rows x inputs of the model's schema, in the units of the file
  std::vector<std::size_t> classes;  // one per row, if there is a mixture of each class; otherwise empty
};

// Rows drawn from a model that `mixture` made: classes by their shares, components by theirs, Gaussians, and back
// through the scaling to the inputs. Inputs that never varied have their value; of the indicators of a text column the
// largest becomes 1. A pure function of the model and the seed. std::invalid_argument where the model has no mixture
// or its features no way back.
SampledRows sample_rows_of(const Model& model, std::size_t rows, std::uint64_t seed);

// The inputs that have such features, as the means of a mixture or what was drawn from it: in the units of the file,
// and inputs that never varied with their value.
Matrix<double> rows_of_features(const Model& model, Matrix<double> features);

}  // namespace bochner
