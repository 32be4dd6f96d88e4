// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/coordinates.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bochner/project.h"
#include "folds/covariance.h"
#include "maps/components.h"
#include "maps/map_rows.h"
#include "neighbors/code_search.h"
#include "random/draw.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kSampleQueries = 256;
constexpr std::size_t kFewDims = 32;  // as many inputs are searched as they are
constexpr std::size_t kMostDims = 512;
constexpr std::size_t kCovarianceRows = 4096;
constexpr std::size_t kWidest = 2048;  // inputs whose covariance is formed; above them the products of fewer rows
constexpr std::size_t kProductRows = 1024;

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

// The axes from `begin` to `end`.
MapPtr some_axes(const Axes& axes, std::size_t begin, std::size_t end) {
  Matrix<double> directions(axes.mean.size(), end - begin);
  for (std::size_t i = 0; i < directions.rows(); ++i)
    for (std::size_t j = begin; j < end; ++j) directions(i, j - begin) = axes.eigen.vectors(i, j);
  return components(std::move(directions), axes.mean);
}

Matrix<float> mapped_rows(const Workers& on, const Map& map, const Points& points) {
  Matrix<float> coords(points.size(), map.outputs());
  points.each_block([&](std::size_t first, const RowBlock<float>& rows) {
    map_rows(on, map, rows, coords.view().slice(first, rows.rows));
  });
  return coords;
}

Matrix<float> side_by_side(const Matrix<float>& left, const Matrix<float>& right) {
  Matrix<float> both(left.rows(), left.cols() + right.cols());
  for (std::size_t i = 0; i < both.rows(); ++i) {
    std::copy_n(left.data() + i * left.cols(), left.cols(), &both(i, 0));
    std::copy_n(right.data() + i * right.cols(), right.cols(), &both(i, left.cols()));
  }
  return both;
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
    const auto* rows = found.rows.data() + i * found.k;
    for (std::size_t c = 0; c < count; ++c)
      hits +=
          rows[c] >= 0 && found.distances[i * found.k + c] <= limit && std::find(rows, rows + c, rows[c]) == rows + c;
  }
  return all ? double(hits) / double(all) : 1;
}

RecallSample recall_sample(const Workers& on, Metric metric, const Points& points, std::size_t k, std::uint64_t seed,
                           const Codes* codes) {
  RecallSample sample{.places = spread_rows(points.size(), kSampleQueries, seed), .k = k};
  sample.queries = points.at(sample.places);
  const PointSearch search{metric, sample.queries, sample.places, points, k};
  sample.truth = codes && can_search(*codes) ? search_by_codes(on, search, *codes) : search_exact(on, search);
  return sample;
}

Matrix<float> Coordinates::of(const Workers& on, const Points& queries) const { return mapped_rows(on, *map, queries); }

void Coordinates::look_at(const Points& points) {
  if (!map && rows.rows() == 0 && !points.dense.is_plain()) rows = points.dense.all();
}

namespace {

// rows: of the points by the map; none without one.
Coordinates with_rows(const Workers& on, MapPtr map, const Points& points, Matrix<float> rows, std::size_t candidates) {
  Coordinates found;
  found.map = std::move(map);
  found.rows = std::move(rows);
  found.dims = found.map ? found.map->outputs() : points.inputs;
  found.candidates = candidates;
  found.look_at(points);
  // Rows of length 1 are as near as their differences are small: distances serve for both metrics.
  found.half = half_norms(on, Metric::euclidean, DenseRows::of(found.field(points).rows));
  return found;
}

}  // namespace

Coordinates coordinates_by(const Workers& on, MapPtr map, const Points& points, std::size_t candidates) {
  Matrix<float> rows = map ? mapped_rows(on, *map, points) : Matrix<float>();
  return with_rows(on, std::move(map), points, std::move(rows), candidates);
}

namespace {

// Where points may be searched: leading components of dense rows, hashes of the inputs of sparse ones.
class Choices {
 public:
  Choices(const Workers& on, const Points& points, std::uint64_t seed) : on_(on), points_(points), seed_(seed) {
    if (!points.sparse) find_axes(kFirstAxes);
  }
  std::size_t first() const { return axes_ ? std::min(kFewDims, axes_->eigen.values.size()) : kFewHashes; }
  // Whether there are so many. Most points need few axes: the others are found when they are asked for.
  bool has(std::size_t dims) {
    if (!axes_) return dims <= kMostHashes;
    if (dims > kFirstAxes && !all_) find_axes(kMostDims);
    return dims <= axes_->eigen.values.size();
  }
  // Twice as many candidates cost dense points more than twice as many coordinates; hashes must be many.
  std::size_t most_candidates(std::size_t few) const { return axes_ ? 2 * few : 4 * few; }
  // The points in so many; fewer of them are known. Axes are found once, so those stay what they are.
  Coordinates coordinates(std::size_t dims, Coordinates fewer) const {
    if (!axes_ || fewer.dims == 0 || dims > kFirstAxes) return coordinates_by(on_, map(dims), points_, 0);
    const Matrix<float> more = mapped_rows(on_, *some_axes(*axes_, fewer.dims, dims), points_);
    return with_rows(on_, map(dims), points_, side_by_side(fewer.rows, more), 0);
  }

 private:
  MapPtr map(std::size_t dims) const {
    return axes_ ? some_axes(*axes_, 0, dims)
                 : project(points_.inputs,
                           {.kind = ProjectOptions::Kind::hash, .dims = dims, .seed = seed_, .signs = kSigns});
  }
  void find_axes(std::size_t count) {
    all_ = count >= std::min(kMostDims, points_.inputs / 2);
    axes_ = leading_axes(on_, points_.dense.view(), std::min(count, points_.inputs / 2), seed_);
  }

  static constexpr std::size_t kFewHashes = 256, kMostHashes = 4096, kSigns = 8, kFirstAxes = 128;
  const Workers& on_;
  const Points& points_;
  bool all_ = false;
  std::uint64_t seed_;
  std::optional<Axes> axes_;
};

}  // namespace

Coordinates choose_coordinates(const Workers& on, const Points& points, const RecallSample& sample, double wanted,
                               const IndexOptions& options) {
  const std::size_t few = few_candidates(sample.k);
  if (!points.sparse && points.inputs <= kFewDims) return coordinates_by(on, nullptr, points, few);
  Choices choices(on, points, options.seed);
  const std::size_t most_candidates = choices.most_candidates(few);
  Coordinates found;
  for (std::size_t dims = choices.first(); dims > 0 && choices.has(dims); dims *= 2) {
    found = choices.coordinates(dims, std::move(found));
    const Matrix<float> coords = found.of(on, sample.queries);
    Best most(coords.rows(), most_candidates);
    meet_all(on, {coords.view(), sample.places}, found.field(points), most);
    for (std::size_t candidates = few; candidates <= most_candidates; candidates += few / 2) {
      const Best best = most.first(candidates);
      const PointSearch search{options.metric, sample.queries, {}, points, sample.k};
      if (sample.recall(rank_candidates(on, search, best)) < wanted) continue;
      found.candidates = candidates;
      return found;
    }
  }
  return points.sparse ? Coordinates{} : coordinates_by(on, nullptr, points, few);
}

Neighbors Coordinates::search(const Workers& on, const PointSearch& search) const {
  const Matrix<float> mapped = map ? of(on, search.queries) : Matrix<float>();
  const MatrixView<const float> there = map ? mapped.view() : search.queries.dense.view();
  Best best(there.rows, std::max(candidates, few_candidates(search.k)));
  meet_all(on, {there, search.self}, field(search.points), best);
  return rank_candidates(on, search, best);
}

}  // namespace bochner
