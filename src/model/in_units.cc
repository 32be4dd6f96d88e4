// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/in_units.h"

#include <cmath>

#include "base/archive.h"
#include "bochner/figures.h"
#include "run/host.h"

namespace bochner {

namespace {

// Rows of features, or of components, as inputs. back: may be null, if they are inputs already.
Matrix<double> as_inputs(const Model& model, const MapPtr& back, const Matrix<double>& rows) {
  const Schema& schema = model.schema();
  Matrix<double> inputs = rows;
  if (back) {
    inputs = Matrix<double>(rows.rows(), back->outputs());
    back->apply(host_backend(), RowBlock<double>::dense(rows.view()), inputs.view());
  }
  const auto& ranges = model.report().input_ranges;
  for (std::size_t i = 0; i < inputs.rows(); ++i)
    for (std::size_t j = 0; j < inputs.cols(); ++j) {
      if (j < schema.offsets.size()) inputs(i, j) += schema.offsets[j];
      if (j < ranges.size() && ranges[j].first == ranges[j].second) inputs(i, j) = ranges[j].first;
    }
  return inputs;
}

}  // namespace

std::optional<Matrix<double>> centres_of(const Model& model) {
  if (model.report().learner != "kmeans" || figures_of(*model.head()).empty()) return std::nullopt;
  const MapPtr features = model.feature_map(), back = features ? features->inverse(features) : nullptr;
  if (features && !back) return std::nullopt;
  Archive head;
  model.head()->save(head);  // its figures are saved beside it
  const Archive clusters = head.child("map");
  Matrix<double> centres(model.head()->outputs(), model.head()->inputs());
  clusters.get_into<double>("centres", {centres.rows(), centres.cols()},
                            {centres.data(), centres.rows() * centres.cols()});
  return as_inputs(model, back, centres);
}

std::optional<Matrix<double>> loadings_of(const Model& model) {
  const std::vector<double> variance = figure_of(*model.head(), "explained_variance");
  const MapPtr map = model.map(), back = variance.empty() ? nullptr : map->inverse(map);
  if (!back) return std::nullopt;
  const std::size_t rank = variance.size();
  Matrix<double> steps(rank + 1, rank);  // the last row is the mean
  for (std::size_t k = 0; k < rank; ++k) steps(k, k) = std::sqrt(variance[k]);
  const Matrix<double> inputs = as_inputs(model, back, steps);
  Matrix<double> loadings(rank, inputs.cols());
  for (std::size_t k = 0; k < rank; ++k)
    for (std::size_t j = 0; j < inputs.cols(); ++j) loadings(k, j) = inputs(k, j) - inputs(rank, j);
  return loadings;
}

}  // namespace bochner
