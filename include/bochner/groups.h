// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("measurements.csv", {.targets = {"age"}, .ignore = {"patient"}});
//   FeatureOptions options;
//   options.map = Fourier{};
//   options.features = 256;
//   const Model features = feature_model(*rows, options);
//   const GroupMeans patients = group_means(features, "measurements.csv", "patient");
//   for (const std::string& patient : patients.groups) std::puts(patient.c_str());

#include <cstdint>
#include <string>
#include <vector>

#include "bochner/feature_options.h"
#include "bochner/matrix.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

// Rows -> features alone, as a model that transforms: scaling and bandwidth come from the rows, the bandwidth without a
// look at their targets, which the model keeps for group_means().
Model feature_model(Rows& rows, const FeatureOptions& options);

// A row for each group of rows: the mean of their features. Where the features are those of a kernel this is the kernel
// mean of the group, and a learner of these rows learns from distributions (Szabo, Sriperumbudur, Poczos & Gretton,
// JMLR 2016).
struct GroupMeans {
  std::vector<std::string> groups;  // as the file has them, in the order of their first rows
  std::vector<std::uint64_t> rows;  // number of rows of each group
  Matrix<double> means;             // groups x what the model makes of a row; rows count by their weights
  Matrix<double> targets;           // groups x targets: the mean of numbers, the class; none where the file has none
};

// column: of a CSV file, by name or index from 0; rows of a group may lie anywhere. Throws Error::Kind::data for a
// group whose rows are of two classes or have no weight. One pass; memory for the groups alone.
GroupMeans group_means(const Model& model, const std::string& path, const std::string& column,
                       const RowsOptions& reading = {}, const Execution& execution = {});

}  // namespace bochner
