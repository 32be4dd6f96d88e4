// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("people.csv", {.targets = {"income"}});
//   LdaOptions options;
//   options.features.map = Fourier{};  // kernel discriminant; without it of the scaled inputs
//   const Model model = lda(*rows, options);
//   std::printf("%zu coordinates\n", model.feature_map()->outputs());
//   if (const auto fresh = open_rows("new.csv", model.schema()); model.evaluate(*fresh).error > 0.2) std::puts("hard");

#include <vector>

#include "bochner/feature_options.h"
#include "bochner/figures.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct LdaOptions {
  // The penalty in S_w / n + lambda I. Empty: searched, by how well least squares on the classes predicts rows held or
  // left out; several: the best of them.
  std::vector<double> lambdas = {};
  FeatureOptions features = {};
};

// Linear discriminant analysis of the features of rows with classes: the directions in which the means of classes lie
// farthest apart for the scatter within them (Fisher 1936), at most classes - 1. With a map whose inner products are a
// kernel it is the kernel discriminant (Mika et al. 1999).
// A model that predicts classes, by the nearest mean in those directions and the shares of the classes; its features,
// what transform writes, are the coordinates, whose scatter within classes is 1. The head has the figures "ratios":
// scatter between by scatter within classes, of each direction. Weights count. The same bytes for any threads and
// blocks. Calls may run at the same time in several threads, each on rows of its own.
Model lda(Rows& rows, const LdaOptions& options = {});

}  // namespace bochner
