// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/embedding.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_rows.h"
#include "methods/embeddings/embedding_fold.h"
#include "run/part_sum.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr const char* kType = "bochner embedding";

double bound_of(const MapPtr& map) {
  require(map != nullptr, "embedding: found no map, expected one");
  require(map->bound() > 0,
          "embedding: features of {} have no bound, expected a map whose features have one, such as "
          "fourier",
          map->spec());
  return map->bound();
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Archive archive_of(const Map& map) {
  Archive archive;
  map.save(archive);
  return archive;
}

bool same(const MapPtr& a, const MapPtr& b) {
  if (a == b) return true;
  const Archive x = archive_of(*a), y = archive_of(*b);
  return static_cast<const nlohmann::json&>(x.tree) == static_cast<const nlohmann::json&>(y.tree) &&
         x.arrays == y.arrays;
}

void check_same(const MeanEmbedding& a, const MeanEmbedding& b) {
  require(same(a.map(), b.map()), "embedding: made by {} and {}, expected the same map with the same seed",
          a.map()->spec(), b.map()->spec());
}

EmbeddingFold folded(Rows& rows, const MapPtr& map, EmbeddingFold empty, const Execution& execution) {
  Threads threads(execution);
  const Stream stream(rows, map, threads, execution);
  return stream.fold(std::move(empty), "embedding");
}

}  // namespace

MeanEmbedding::MeanEmbedding(MapPtr map, double largest_weight) : map_(std::move(map)) {
  const double bound = bound_of(map_);
  sums_ = std::make_shared<EmbeddingFold>(map_->outputs(), bound, largest_weight);
}

void MeanEmbedding::add(Rows& rows, const Execution& execution) {
  const EmbeddingFold more =
      folded(rows, map_, EmbeddingFold(map_->outputs(), map_->bound(), sums_->weight_bound()), execution);
  auto both = std::make_shared<EmbeddingFold>(*sums_);
  merge_in_order<EmbeddingFold>(*both, {&more, 1});
  sums_ = std::move(both);
}

void MeanEmbedding::merge(const MeanEmbedding& other) {
  check_same(*this, other);
  auto both = std::make_shared<EmbeddingFold>(*sums_);
  merge_in_order<EmbeddingFold>(*both, {other.sums_.get(), 1});
  sums_ = std::move(both);
}

void MeanEmbedding::subtract(const MeanEmbedding& other) {
  check_same(*this, other);
  auto rest = std::make_shared<EmbeddingFold>(*sums_);
  rest->subtract(*other.sums_);
  sums_ = std::move(rest);
}

std::uint64_t MeanEmbedding::rows() const { return sums_->rows(); }
double MeanEmbedding::weight() const { return sums_->weight(); }

std::vector<double> MeanEmbedding::mean() const {
  std::vector<double> mu = sums_->sum();
  const double weight = sums_->weight();
  for (double& v : mu) v = weight > 0 ? v / weight : 0;
  return mu;
}

std::vector<double> MeanEmbedding::at(MatrixView<const double> points) const {
  require(points.cols == map_->inputs(), "embedding: points of {} inputs, expected {}", points.cols, map_->inputs());
  Threads threads(1);
  Matrix<double> z(points.rows, map_->outputs());
  map_rows(workers_on(threads), *map_, RowBlock<double>::dense(points), z.view());
  const std::vector<double> mu = mean();
  std::vector<double> values(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i)
    for (std::size_t j = 0; j < mu.size(); ++j) values[i] += mu[j] * z(i, j);
  return values;
}

void MeanEmbedding::save(const std::string& path) const {
  Archive archive;
  archive.put_text("type", kType);
  archive.put_number("largest_weight", sums_->weight_bound());
  archive.put_child("map", archive_of(*map_));
  Archive sums;
  sums_->save(sums);
  archive.put_child("sums", std::move(sums));
  write_archive(path, archive);
}

MeanEmbedding MeanEmbedding::load(const std::string& path) {
  const Archive archive = read_archive(path);
  if (const std::string type = archive.get_text("type"); type != kType)
    fail(Error::Kind::model, "{}: is a {}, expected a {}", path, type, kType);
  try {
    const Archive sums = archive.child("sums");
    const MapPtr map = load_map(archive.child("map"));
    check_shape(sums, "sums", {1, map->outputs()});  // before as much memory is taken
    MeanEmbedding found(map, archive.get_number("largest_weight"));
    found.sums_->load(sums);
    return found;
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "{}: {}; the file is damaged", path, e.what());
  }
}

bool MeanEmbedding::operator==(const MeanEmbedding& other) const {
  return same(map_, other.map_) && *sums_ == *other.sums_;
}

MeanEmbedding embed(Rows& rows, const MapPtr& map, const Execution& execution, double largest_weight) {
  MeanEmbedding found(map, largest_weight);
  found.add(rows, execution);
  return found;
}

std::vector<MeanEmbedding> embed_classes(Rows& rows, const MapPtr& map, double largest_weight,
                                         const Execution& execution) {
  const Schema& schema = rows.schema();
  require(schema.task == Task::classification && schema.targets == 1,
          "embedding: rows have no classes, expected one target that is read as a classification");
  const EmbeddingFold all =
      folded(rows, map, EmbeddingFold(map->outputs(), bound_of(map), largest_weight, schema.labels.size()), execution);
  std::vector<MeanEmbedding> found;
  for (std::size_t g = 0; g < all.groups(); ++g) {
    found.emplace_back(map, largest_weight);
    *found.back().sums_ = all.group(g);
  }
  return found;
}

double inner_product(const MeanEmbedding& a, const MeanEmbedding& b) {
  check_same(a, b);
  return dot(a.mean(), b.mean());
}

SquaredMmd squared_mmd(const MeanEmbedding& a, const MeanEmbedding& b) {
  check_same(a, b);
  const std::vector<double> x = a.mean(), y = b.mean();
  SquaredMmd found;
  for (std::size_t j = 0; j < x.size(); ++j) found.biased += (x[j] - y[j]) * (x[j] - y[j]);
  // (|S|^2 - sum w^2 |z|^2) / (W^2 - sum w^2): over pairs of different rows.
  const auto pairs = [](const EmbeddingFold& of) {
    const double own = of.weight() * of.weight() - of.squared_weights();
    if (of.rows() < 2 || !(own > 0)) return std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> sum = of.sum();
    return (dot(sum, sum) - of.squares()) / own;
  };
  found.unbiased = pairs(*a.sums_) + pairs(*b.sums_) - 2 * dot(x, y);
  return found;
}

MapPtr witness(const MeanEmbedding& a, const MeanEmbedding& b) {
  check_same(a, b);
  const std::vector<double> x = a.mean(), y = b.mean();
  Matrix<double> weights(x.size(), 1);
  for (std::size_t j = 0; j < x.size(); ++j) weights(j, 0) = x[j] - y[j];
  return chain({a.map(), linear(std::move(weights), {0.0})});
}

}  // namespace bochner
