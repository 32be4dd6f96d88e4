// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/ridge/ridge.h"
#include "maps/map_rows.h"
#include "methods/clusters/fit_kmeans.h"
#include "methods/clusters/lloyd_steps.h"
#include "methods/clusters/silhouette.h"
#include "methods/clusters/start.h"

namespace bochner {

namespace {

// The rows farthest from the nearest centre, the first of equals: what begins an empty cluster anew.
class FarRows {
 public:
  FarRows(std::shared_ptr<const Centres> centres, std::size_t most) : centres_(std::move(centres)), most_(most) {}

  template <class T>
  void add(const RowBlock<T>& x) {
    std::vector<double> z(x.cols);
    for (std::size_t i = 0; i < x.rows; ++i) {
      if (x.weights && !(x.weights[i] > 0)) continue;
      const double square = widen(x.values + i * x.stride, x.cols, 1, z.data());
      const double distance = from_nearest(z);
      if (distance > 1e-9 * square) rows_.push_back({distance, x.first + i, z});
    }
    keep_farthest();
  }
  void merge(const FarRows& other) {
    rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
    keep_farthest();
  }
  void save(Archive& archive) const {
    std::vector<double> distances, values;
    std::vector<std::uint64_t> numbers;
    for (const Far& row : rows_) {
      distances.push_back(row.distance);
      numbers.push_back(row.number);
      values.insert(values.end(), row.z.begin(), row.z.end());
    }
    archive.put<double>("distances", distances, {rows_.size()});
    archive.put<std::uint64_t>("numbers", numbers, {rows_.size()});
    archive.put<double>("values", values, {rows_.size(), centres_->width()});
  }
  void load(const Archive& archive) {
    const std::size_t count = archive.length("numbers"), width = centres_->width();
    const auto distances = archive.get<double>("distances", {count});
    const auto numbers = archive.get<std::uint64_t>("numbers", {count});
    const auto values = archive.get<double>("values", {count, width});
    rows_.clear();
    for (std::size_t r = 0; r < count; ++r) {
      const auto begin = values.begin() + std::ptrdiff_t(r * width);
      rows_.push_back({distances[r], numbers[r], {begin, begin + std::ptrdiff_t(width)}});
    }
  }

  std::size_t count() const { return rows_.size(); }
  const std::vector<double>& row(std::size_t r) const { return rows_[r].z; }

 private:
  struct Far {
    double distance;
    std::uint64_t number;
    std::vector<double> z;
    bool operator<(const Far& other) const {
      return distance > other.distance || (distance == other.distance && number < other.number);
    }
  };

  double from_nearest(const std::vector<double>& z) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centres_->count(); ++c) {
      double d = 0;
      for (std::size_t j = 0; j < z.size(); ++j) {
        const double difference = z[j] - centres_->points(c, j);
        d += difference * difference;
      }
      least = std::min(least, d);
    }
    return least;
  }
  void keep_farthest() {
    const std::size_t kept = std::min(rows_.size(), most_);
    std::partial_sort(rows_.begin(), rows_.begin() + std::ptrdiff_t(kept), rows_.end());
    rows_.resize(kept);
  }

  std::shared_ptr<const Centres> centres_;
  std::size_t most_;
  std::vector<Far> rows_ = {};
};

// Empty clusters begin anew at the rows farthest from all centres; how many. None: none is empty, or no row is away.
std::size_t begin_empty_anew(const Stream& stream, const LloydFold& sums, const std::shared_ptr<const Centres>& centres,
                             Matrix<double>& next) {
  std::vector<std::size_t> empty;
  const std::vector<double> weights = sums.weights();
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (!(weights[c] > 0)) empty.push_back(c);
  if (empty.empty()) return 0;
  const FarRows far = stream.fold(FarRows(centres, empty.size()), "far rows");
  for (std::size_t e = 0; e < far.count(); ++e) std::copy(far.row(e).begin(), far.row(e).end(), &next(empty[e], 0));
  return far.count();
}

// The sampled rows, mapped.
Matrix<double> mapped_sample(const Stream& stream, const Survey& survey) {
  Matrix<double> x = survey.sample_inputs(survey.sampled());
  if (!stream.map()) return x;
  Matrix<double> z(x.rows(), stream.map()->outputs());
  map_rows(stream.workers(), *stream.map(), RowBlock<double>::dense(x.view()), z.view());
  return z;
}

}  // namespace

Clustered kmeans_on_ranks(const Stream& stream, const Survey& survey, const KMeansOptions& options) {
  const Matrix<double> sample = mapped_sample(stream, survey);
  std::vector<double> weights;
  for (const Survey::SampledRow& row : survey.sample(survey.sampled())) weights.push_back(row.weight);
  auto rows = RowBlock<double>::dense(sample.view());
  rows.weights = weights.data();
  const RowUnits units{.bound = feature_bound(stream), .weight_bound = survey.largest_weight()};
  Clustered found;
  auto centres = std::make_shared<const Centres>(
      best_start(stream.workers(), rows, options.clusters, options.features.seed, options.restarts).centres);
  for (int pass = 1;; ++pass) {
    const LloydFold sums = stream.fold(LloydFold(centres, units), fmt::format("pass {}", pass));
    found.inertia.push_back(sums.inertia(*centres));
    Matrix<double> next = next_centres(sums, centres->points);
    const std::size_t mended = found.converged ? 0 : begin_empty_anew(stream, sums, centres, next);
    found.mended += mended;
    if (found.converged || pass > options.most_passes) {
      end_lloyd(found, sums, centres->points, stream.features());
      break;
    }
    found.converged =
        mended == 0 && squared_step(next, centres->points) <= settled_step(sums, options.tolerance, stream.features());
    centres = std::make_shared<const Centres>(std::move(next));
  }
  found.silhouette = silhouette(stream.workers(), rows, Centres(found.centres));
  return found;
}

}  // namespace bochner
