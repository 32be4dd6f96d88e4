// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/sample.h"

#include <algorithm>

#include "base/require.h"
#include "bochner/mixture.h"
#include "maps/map_rows.h"
#include "random/draw.h"
#include "run/check_memory.h"
#include "run/compute.h"

namespace bochner {

namespace {

std::size_t draw_class(const std::vector<double>& priors, double left) {
  std::size_t c = 0;
  while (c + 1 < priors.size() && (left -= priors[c]) > 0) ++c;
  return c;
}

// Leads features back to inputs, through one map's inverse after the other.
Matrix<double> led_back(const Model& model, Matrix<double> z) {
  const std::vector<MapPtr>& maps = model.maps();
  Threads threads{Execution{}};
  for (auto map = maps.rbegin(); map != maps.rend(); ++map) {
    const MapPtr back = (*map)->inverse(*map);
    require(back != nullptr, "sample: {} has no way back to the inputs, expected a mixture of inputs or a projection",
            (*map)->spec().substr(0, (*map)->spec().find(':')));
    check_memory(fmt::format("sample: {} rows of {} inputs", z.rows(), back->outputs()),
                 double(back->held_bytes()) + double(z.rows()) * double(back->outputs()) * sizeof(double), {},
                 "draw fewer rows at a time");
    Matrix<double> x(z.rows(), back->outputs());
    map_rows(workers_on(threads), *back, RowBlock<double>::dense(z.view()), x.view());
    z = std::move(x);
  }
  return z;
}

// The inputs of each text column become one indicator, a mark of missing cells 0 or 1.
void choose_levels(const Schema& schema, double* row) {
  std::size_t first = 0;
  for (const Column& column : schema.columns) {
    double* begin = row + first;
    double* end = begin + column.inputs();
    first += column.inputs();
    if (column.marked) begin[1] = begin[1] > 0.5 ? 1 : 0;
    if (column.kind != Column::Kind::category) continue;
    double* most = std::max_element(begin, end);
    for (double* cell = begin; cell != end; ++cell) *cell = cell == most ? 1 : 0;
  }
}

}  // namespace

Matrix<double> rows_of_features(const Model& model, Matrix<double> features) {
  Matrix<double> rows = led_back(model, std::move(features));
  const std::vector<double>& offsets = model.schema().offsets;
  const auto& ranges = model.report().input_ranges;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      if (j < ranges.size() && ranges[j].first == ranges[j].second) rows(i, j) = ranges[j].first;
      if (j < offsets.size()) rows(i, j) += offsets[j];
    }
  return rows;
}

SampledRows sample_rows_of(const Model& model, std::size_t rows, std::uint64_t seed) {
  const std::vector<Mixture> mixtures = mixtures_of(*model.head());
  require(!mixtures.empty(), "sample: the model has no density to draw from, expected a mixture");
  const std::vector<double> priors = mixture_priors(*model.head());
  SampledRows made;
  std::vector<std::vector<std::size_t>> of_class(mixtures.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t c = draw_class(priors, uniform(seed, Draw::pick, i, 1));
    of_class[c].push_back(i);
    if (mixtures.size() > 1) made.classes.push_back(c);
  }
  Matrix<double> z(rows, mixtures[0].gaussians.inputs());
  for (std::size_t c = 0; c < mixtures.size(); ++c) {
    const Matrix<double> drawn = sample_mixture(mixtures[c], of_class[c].size(), bits(seed, Draw::pick, c, 2));
    for (std::size_t k = 0; k < of_class[c].size(); ++k)
      std::copy_n(drawn.view().row(k), drawn.cols(), z.view().row(of_class[c][k]));
  }
  made.inputs = rows_of_features(model, std::move(z));
  for (std::size_t i = 0; i < rows; ++i) choose_levels(model.schema(), made.inputs.view().row(i));
  return made;
}

}  // namespace bochner
