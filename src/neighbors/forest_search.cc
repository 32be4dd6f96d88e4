// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/forest_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "folds/covariance.h"
#include "maps/components.h"
#include "maps/map_rows.h"
#include "random/draw.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kSampleQueries = 256;
constexpr std::size_t kFewDims = 32;  // as many inputs are searched as they are
constexpr std::size_t kMostDims = 512;
constexpr std::size_t kCovarianceRows = 8192;
constexpr std::size_t kWidest = 2048;  // inputs whose covariance is formed; above them the products of fewer rows
constexpr std::size_t kProductRows = 1024;
constexpr std::size_t kLeaf = 256;
constexpr std::size_t kMostTrees = 64;

// Rows far apart, the same for the same seed: one of each of `count` equal stretches.
std::vector<std::uint32_t> spread_rows(std::size_t rows, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < std::min(rows, count); ++i) {
    const std::size_t begin = rows * i / std::min(rows, count), end = rows * (i + 1) / std::min(rows, count);
    places.push_back(std::uint32_t(begin + bits(seed, Draw::sample, i, begin) % (end - begin)));
  }
  return places;
}

Matrix<float> rows_at(MatrixView<const float> points, std::span<const std::uint32_t> places) {
  Matrix<float> some(places.size(), points.cols);
  for (std::size_t i = 0; i < places.size(); ++i) std::copy_n(points.row(places[i]), points.cols, &some(i, 0));
  return some;
}

// (x - m)' directions of largest variance, from a sample of the rows.
struct Axes {
  std::vector<double> mean;
  Eigen eigen;
};

std::vector<double> mean_of(const Matrix<float>& x) {
  std::vector<double> mean(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j) mean[j] += double(x(i, j)) / double(x.rows());
  return mean;
}

// Of wide rows A, less their mean: A A^T = U S^2 U^T, the axes are A^T U / S.
Axes axes_of_few(const Matrix<float>& some, std::size_t count) {
  Axes axes{mean_of(some), {}};
  Matrix<double> a(some.rows(), some.cols()), products(some.rows(), some.rows());
  for (std::size_t i = 0; i < some.rows(); ++i)
    for (std::size_t j = 0; j < some.cols(); ++j) a(i, j) = double(some(i, j)) - axes.mean[j];
  multiply_transposed(1, a.view(), a.view(), 0, products.view());
  Eigen small = largest_eigen(std::move(products), std::min(count, some.rows() / 2));
  while (!small.values.empty() && small.values.back() <= 1e-10 * small.values.front()) small.values.pop_back();
  if (small.values.empty() || small.values.front() <= 0) return axes;
  Matrix<double> u(some.rows(), small.values.size());
  for (std::size_t i = 0; i < u.rows(); ++i)
    for (std::size_t k = 0; k < u.cols(); ++k) u(i, k) = small.vectors(i, k) / std::sqrt(small.values[k]);
  axes.eigen = {small.values, Matrix<double>(some.cols(), u.cols())};
  transposed_multiply(1, a.view(), u.view(), 0, axes.eigen.vectors.view());
  return axes;
}

Axes leading_axes(const Workers& on, MatrixView<const float> points, std::size_t count, std::uint64_t seed) {
  const bool wide = points.cols > kWidest;
  const Matrix<float> some = rows_at(points, spread_rows(points.rows, wide ? kProductRows : kCovarianceRows, seed + 1));
  if (wide) return axes_of_few(some, count);
  Axes axes{mean_of(some), {}};
  double bound = 0;
  for (std::size_t i = 0; i < some.rows(); ++i)
    for (std::size_t j = 0; j < points.cols; ++j) bound = std::max(bound, std::abs(double(some(i, j)) - axes.mean[j]));
  if (bound == 0) return axes;  // all rows are equal, as far as these tell
  CovarianceFold fold(points.cols, axes.mean, bound, false);
  fold.add(on, RowBlock<float>::dense(some.view()));
  axes.eigen = largest_eigen(fold.matrix(on.threads), std::min(count, points.cols));
  return axes;
}

MapPtr first_axes(const Axes& axes, std::size_t dims) {
  Matrix<double> directions(axes.mean.size(), dims);
  for (std::size_t i = 0; i < directions.rows(); ++i)
    for (std::size_t j = 0; j < dims; ++j) directions(i, j) = axes.eigen.vectors(i, j);
  return components(std::move(directions), axes.mean);
}

}  // namespace

double RecallSample::recall(const Neighbors& found) const {
  std::size_t hits = 0, all = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double* distances = truth.distances.data() + i * k;
    std::size_t count = k;
    while (count > 0 && truth.rows[i * k + count - 1] < 0) --count;
    all += count;
    const double limit = count ? distances[count - 1] * (1 + 1e-6) : 0;
    for (std::size_t c = 0; c < count; ++c)
      hits += found.rows[i * found.k + c] >= 0 && found.distances[i * found.k + c] <= limit;
  }
  return all ? double(hits) / double(all) : 1;
}

RecallSample recall_sample(const Workers& on, Metric metric, MatrixView<const float> points, std::size_t k,
                           std::uint64_t seed) {
  RecallSample sample{.places = spread_rows(points.rows, kSampleQueries, seed), .k = k, .truth = {}};
  const Matrix<float> queries = rows_at(points, sample.places);
  Best best(queries.rows(), k + std::max<std::size_t>(8, k / 4));
  meet_all(on, {queries.view(), sample.places}, {points, half_norms(metric, points)}, best);
  sample.truth = rank_candidates(on, {metric, k}, queries.view(), points, best);
  return sample;
}

Matrix<float> Coordinates::of(const Workers& on, MatrixView<const float> queries) const {
  Matrix<float> coords(queries.rows, dims);
  map_rows(on, *map, RowBlock<float>::dense(queries), coords.view());
  return coords;
}

Coordinates coordinates_by(const Workers& on, MapPtr map, MatrixView<const float> points, std::size_t candidates) {
  Coordinates found;
  found.map = std::move(map);
  found.dims = found.map ? found.map->outputs() : points.cols;
  found.candidates = candidates;
  if (found.map) found.rows = found.of(on, points);
  // Rows of length 1 are as near as their differences are small: distances serve for both metrics.
  found.half = half_norms(Metric::euclidean, found.field(points).rows);
  return found;
}

Coordinates choose_coordinates(const Workers& on, MatrixView<const float> points, const RecallSample& sample,
                               const IndexOptions& options) {
  const std::size_t k = sample.k, few = k + std::max<std::size_t>(8, k / 4);
  if (points.cols <= kFewDims) return coordinates_by(on, nullptr, points, few);
  const double wanted =
      options.recall + (1 - options.recall) * 0.6;  // the trees lose some of what coordinates could find
  const Axes axes = leading_axes(on, points, std::min(kMostDims, points.cols / 2), options.seed);
  const Matrix<float> queries = rows_at(points, sample.places);
  const std::size_t most = axes.eigen.values.size();
  for (std::size_t dims = std::min(kFewDims, most); dims > 0 && dims <= most; dims *= 2) {
    const MapPtr map = first_axes(axes, dims);
    Coordinates found = coordinates_by(on, map, points, 0);
    const Matrix<float> coords = found.of(on, queries.view());
    for (const std::size_t candidates : {few, 2 * few, 4 * few}) {
      Best best(queries.rows(), candidates);
      meet_all(on, {coords.view(), sample.places}, found.field(points), best);
      if (sample.recall(rank_candidates(on, {options.metric, k}, queries.view(), points, best)) < wanted) continue;
      found.candidates = candidates;
      return found;
    }
  }
  return coordinates_by(on, nullptr, points, few);
}

void meet_leaves(const Workers& on, const Tree& tree, const Queries& queries, const Field& points, Best& best) {
  const std::vector<std::uint32_t> leaf = tree.find(on, queries.rows);
  std::vector<std::uint32_t> order(queries.rows.rows);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return leaf[a] < leaf[b]; });
  std::vector<Meeting> meetings;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && leaf[order[end]] == leaf[order[begin]]) ++end;
    meetings.push_back({std::span(order).subspan(begin, end - begin), tree.leaf(leaf[order[begin]])});
  }
  meet_some(on, queries, points, meetings, best);
}

Neighbors Forest::query(const Workers& on, Metric metric, const Queries& queries, MatrixView<const float> points,
                        std::size_t k) const {
  const Matrix<float> mapped = coordinates.map ? coordinates.of(on, queries.rows) : Matrix<float>();
  const Queries there{coordinates.map ? MatrixView<const float>(mapped.view()) : queries.rows, queries.self};
  Best best(queries.rows.rows, std::max(coordinates.candidates, k + std::max<std::size_t>(8, k / 4)));
  for (const Tree& tree : trees) meet_leaves(on, tree, there, coordinates.field(points), best);
  const std::vector<double> origins = squared_lengths(there.rows);
  return rank_candidates(on, {metric, k, origins}, queries.rows, points, best);
}

Forest grow_forest(const Workers& on, MatrixView<const float> points, const RecallSample& sample,
                   const IndexOptions& options, const SearchProgress& progress) {
  Forest forest;
  forest.coordinates = choose_coordinates(on, points, sample, options);
  const Matrix<float> queries = rows_at(points, sample.places);
  forest.leaf = std::max(kLeaf, 2 * forest.coordinates.candidates);
  const std::size_t most = std::min(kMostTrees, std::max<std::size_t>(1, points.rows / forest.leaf / 2));
  for (std::size_t next = 4; forest.trees.size() < most;) {
    forest.trees.push_back(
        Tree::grow(on, forest.coordinates.field(points).rows, options.seed, forest.trees.size(), forest.leaf));
    if (forest.trees.size() < std::min(next, most)) continue;
    next += std::max<std::size_t>(2, next / 4);
    forest.recall = sample.recall(forest.query(on, options.metric, {queries.view(), sample.places}, points, sample.k));
    if (progress) progress("trees", std::min(0.99, forest.recall / options.recall));
    if (forest.recall >= options.recall) return forest;
  }
  forest.trees.clear();  // it would compare half of the rows: all of them cost no more
  return forest;
}

}  // namespace bochner
