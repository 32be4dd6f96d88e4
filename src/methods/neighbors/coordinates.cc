// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/coordinates.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bochner/project.h"
#include "maps/map_rows.h"
#include "methods/components/components_map.h"
#include "methods/neighbors/axes.h"
#include "methods/neighbors/code_search.h"

namespace bochner {

namespace {

constexpr std::size_t kSampleQueries = 256;
constexpr std::size_t kFewDims = 32;  // as many inputs are searched as they are
constexpr std::size_t kMostDims = 512;

// Axes less their mean, and those from `begin` to `end`.
struct Axes {
  std::vector<double> mean;
  Matrix<double> directions;
};
MapPtr some_axes(const Axes& axes, std::size_t begin, std::size_t end) {
  Matrix<double> directions(axes.mean.size(), end - begin);
  for (std::size_t i = 0; i < directions.rows(); ++i)
    for (std::size_t j = begin; j < end; ++j) directions(i, j - begin) = axes.directions(i, j);
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

double RecallSample::with_error(double recall) const {
  return std::min(1.0, recall + 0.5 * std::sqrt(recall * (1 - recall) / double(places.size())));
}

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

double RecallSample::recall(const Workers& on, Metric metric, const Points& points, const Codes* codes,
                            const Best& best) const {
  if (!codes) return recall(rank_candidates(on, PointSearch{metric, queries, {}, points, k}, best));
  const Ranking ranking{.metric = metric, .k = k, .codes = codes, .self = places};
  return recall(rank_candidates(on, ranking, queries.dense, points.dense, best));
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
  Choices(const Workers& on, const Points& points, const Codes* codes, std::uint64_t seed)
      : on_(on), points_(points), codes_(codes), seed_(seed) {
    if (points.sparse) return;
    leading_.emplace(on, points.dense, seed);
    find_axes(kFirstAxes);
  }
  std::size_t first() const { return leading_ ? std::min(kFewDims, axes_.directions.cols()) : kFewHashes; }
  // Whether there are so many. Most points need few axes: the others are found when they are asked for.
  bool has(std::size_t dims) {
    if (!leading_) return dims <= kMostHashes;
    if (dims > kFirstAxes && dims <= kMostDims) find_axes(dims);
    return dims <= axes_.directions.cols();
  }
  // Twice as many candidates cost dense points more than twice as many coordinates; hashes must be many.
  std::size_t most_candidates(std::size_t few) const { return leading_ ? 2 * few : 4 * few; }
  // The points in so many; fewer of them are known. The first axes are found at once, so those stay what they are.
  Coordinates coordinates(std::size_t dims, Coordinates fewer) const {
    if (!leading_) return coordinates_by(on_, map(dims), points_, 0);
    const std::size_t known = dims <= kFirstAxes ? fewer.dims : 0;
    Matrix<float> more = along(known, dims);
    return with_rows(on_, map(dims), points_, known > 0 ? side_by_side(fewer.rows, more) : std::move(more), 0);
  }

 private:
  MapPtr map(std::size_t dims) const {
    return leading_ ? some_axes(axes_, 0, dims)
                    : project(points_.inputs,
                              {.kind = ProjectOptions::Kind::hash, .dims = dims, .seed = seed_, .signs = kSigns});
  }
  // The points along the axes from `begin` to `end`.
  Matrix<float> along(std::size_t begin, std::size_t end) const {
    if (!codes_) return mapped_rows(on_, *some_axes(axes_, begin, end), points_);
    MatrixView<const double> directions = axes_.directions.view();
    return project_codes(on_, *codes_, points_.size(),
                         {directions.data + begin, directions.rows, end - begin, directions.stride});
  }
  void find_axes(std::size_t count) {
    axes_ = {leading_->mean(), leading_->directions(on_, std::min(count, points_.inputs / 2))};
  }

  static constexpr std::size_t kFewHashes = 256, kMostHashes = 4096, kSigns = 8, kFirstAxes = 64;
  const Workers& on_;
  const Points& points_;
  const Codes* codes_;
  std::uint64_t seed_;
  std::optional<LeadingAxes> leading_;  // dense points only
  Axes axes_;
};

}  // namespace

Coordinates choose_coordinates(const Workers& on, const Points& points, const RecallSample& sample, double wanted,
                               const IndexOptions& options, const Codes* codes) {
  const std::size_t few = few_candidates(sample.k);
  if (!points.sparse && points.inputs <= kFewDims) return coordinates_by(on, nullptr, points, few);
  Choices choices(on, points, codes && can_search(*codes) ? codes : nullptr, options.seed);
  const std::size_t most_candidates = choices.most_candidates(few);
  Coordinates found;
  for (std::size_t dims = choices.first(); dims > 0 && choices.has(dims); dims *= 2) {
    found = choices.coordinates(dims, std::move(found));
    const Matrix<float> coords = DenseRows::of(found.field(points).rows).at(sample.places);
    Best most(coords.rows(), most_candidates);
    meet_all(on, {coords.view(), sample.places}, found.field(points), most);
    for (std::size_t candidates = few; candidates <= most_candidates; candidates += few / 2) {
      if (sample.recall(on, options.metric, points, codes, most.first(candidates)) < wanted) continue;
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
