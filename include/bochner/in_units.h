// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("cars.clusters");  // made by kmeans()
//   if (const std::optional<Matrix<double>> centres = centres_of(model))
//     std::printf("%s of cluster 0: %g", model.schema().input_names()[0].c_str(), (*centres)(0, 0));

#include <optional>

#include "bochner/matrix.h"
#include "bochner/model.h"

namespace bochner {

// What clusters and components are in the inputs of the rows, in their own units: a column for each of
// schema().input_names(). None: the model is no such model, or its features have no way back to the inputs, as those of
// a kernel.

// The centres of kmeans(), a row each: the scaling is undone, so that an input scaled by its logarithm has the
// exponential of the mean logarithm. An input that never varied has its value.
std::optional<Matrix<double>> centres_of(const Model& model);

// What a step of one standard deviation along each component of pca() changes in each input, a row each, from the mean
// of the rows.
std::optional<Matrix<double>> loadings_of(const Model& model);

}  // namespace bochner
