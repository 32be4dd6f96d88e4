// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/embedding_fold.h"

#include <algorithm>
#include <cmath>

#include "base/pieces.h"
#include "base/require.h"
#include "base/wrapped.h"

namespace bochner {

namespace {

constexpr std::size_t kFoldStrip = 256;

// A power of two q with q * most <= 2^31: 2^31 rows of such numbers fit 64 bits.
double quanta(double most) {
  int exponent = 0;
  std::frexp(most, &exponent);
  return std::ldexp(1.0, 31 - exponent);
}

double checked(double value, const char* name) {
  require(value > 0 && std::isfinite(value), "embedding: the bound of the {} is {}, expected a positive number", name,
          value);
  return value;
}

}  // namespace

EmbeddingFold::EmbeddingFold(std::size_t features, double bound, double weight_bound, std::size_t groups)
    : weight_bound_(checked(weight_bound, "weights")),
      per_unit_(quanta(checked(bound, "features") * weight_bound)),
      weight_per_unit_(quanta(weight_bound)),
      square_per_unit_(quanta(weight_bound * weight_bound * bound * bound * double(features))),
      squared_weight_per_unit_(quanta(weight_bound * weight_bound)),
      by_target_(groups > 0),
      sums_(std::max<std::size_t>(groups, 1), features),
      rows_(sums_.rows()),
      weights_(sums_.rows()),
      squared_weights_(sums_.rows()),
      squares_(sums_.rows()) {}

template <class T>
void EmbeddingFold::add(const Workers& on, const RowBlock<T>& z) {
  require(!z.sparse() && z.cols == features(), "embedding: a block of {} columns, expected {} dense ones", z.cols,
          features());
  require(!by_target_ || z.target_count == 1, "embedding: rows without a target, expected the class of each");
  std::vector<std::size_t> group(z.rows);
  std::vector<double> weight(z.rows, 1.0), square(z.rows);
  for (std::size_t i = 0; i < z.rows; ++i) {
    if (z.weights) weight[i] = z.weights[i];
    require(weight[i] >= 0 && weight[i] <= weight_bound_, "embedding: row {} has the weight {}, expected 0 to {}",
            z.first + i, weight[i], weight_bound_);
    if (by_target_) group[i] = std::size_t(z.targets[i]);
    require(group[i] < groups(), "embedding: row {} has the class {}, expected one below {}", z.first + i, group[i],
            groups());
    for (std::size_t j = 0; j < z.cols; ++j)
      square[i] += double(z.values[i * z.stride + j]) * double(z.values[i * z.stride + j]);
  }
  in_pieces(on.threads, features(), kFoldStrip, [&](std::size_t begin, std::size_t count) {
    const std::size_t end = begin + count;
    for (std::size_t i = 0; i < z.rows; ++i) {
      const double scale = weight[i] * per_unit_;
      const T* const row = z.values + i * z.stride;
      std::int64_t* const sum = &sums_(group[i], 0);
      for (std::size_t j = begin; j < end; ++j) sum[j] += std::int64_t(std::nearbyint(double(row[j]) * scale));
    }
  });
  for (std::size_t i = 0; i < z.rows; ++i) {
    const double w = weight[i];
    ++rows_[group[i]];
    weights_[group[i]] += std::llround(w * weight_per_unit_);
    squared_weights_[group[i]] += std::llround(w * w * squared_weight_per_unit_);
    squares_[group[i]] += std::llround(w * w * square[i] * square_per_unit_);
  }
}

template void EmbeddingFold::add(const Workers&, const RowBlock<float>&);
template void EmbeddingFold::add(const Workers&, const RowBlock<double>&);

void EmbeddingFold::change(const EmbeddingFold& other, std::int64_t sign) {
  require(sums_.rows() == other.sums_.rows() && features() == other.features() && per_unit_ == other.per_unit_ &&
              weight_bound_ == other.weight_bound_,
          "embedding: sums of {} x {} numbers, expected {} x {} with the same bounds", other.groups(), other.features(),
          groups(), features());
  for (std::size_t g = 0; g < groups(); ++g) {
    require(sign > 0 || rows_[g] >= other.rows_[g], "embedding: {} rows cannot be taken from {}", other.rows_[g],
            rows_[g]);
    rows_[g] += sign * other.rows_[g];
    add_wrapped(weights_[g], other.weights_[g], sign);
    add_wrapped(squared_weights_[g], other.squared_weights_[g], sign);
    add_wrapped(squares_[g], other.squares_[g], sign);
  }
  for (std::size_t i = 0; i < groups() * features(); ++i) add_wrapped(sums_.data()[i], other.sums_.data()[i], sign);
}

void EmbeddingFold::save(Archive& archive) const {
  archive.put<std::int64_t>("sums", {sums_.data(), groups() * features()}, {groups(), features()});
  archive.put<std::int64_t>("rows", rows_, {groups()});
  archive.put<std::int64_t>("weights", weights_, {groups()});
  archive.put<std::int64_t>("squared_weights", squared_weights_, {groups()});
  archive.put<std::int64_t>("squares", squares_, {groups()});
}

void EmbeddingFold::load(const Archive& archive) {
  archive.get_into("sums", {groups(), features()}, std::span(sums_.data(), groups() * features()));
  rows_ = archive.get<std::int64_t>("rows", {groups()});
  weights_ = archive.get<std::int64_t>("weights", {groups()});
  squared_weights_ = archive.get<std::int64_t>("squared_weights", {groups()});
  squares_ = archive.get<std::int64_t>("squares", {groups()});
  for (std::size_t g = 0; g < groups(); ++g)
    if (rows_[g] < 0 || rows_[g] > std::int64_t{1} << 53 || weights_[g] < 0)
      fail(Error::Kind::model, "embedding: group {} has {} rows; the file is damaged", g, rows_[g]);
}

EmbeddingFold EmbeddingFold::group(std::size_t g) const {
  EmbeddingFold one = *this;
  one.by_target_ = false;
  one.sums_ = Matrix<std::int64_t>(1, features());
  std::copy_n(&sums_(g, 0), features(), one.sums_.data());
  one.rows_ = {rows_[g]};
  one.weights_ = {weights_[g]};
  one.squared_weights_ = {squared_weights_[g]};
  one.squares_ = {squares_[g]};
  return one;
}

double EmbeddingFold::weight(std::size_t g) const { return double(weights_[g]) / weight_per_unit_; }
double EmbeddingFold::squared_weights(std::size_t g) const {
  return double(squared_weights_[g]) / squared_weight_per_unit_;
}
double EmbeddingFold::squares(std::size_t g) const { return double(squares_[g]) / square_per_unit_; }

std::vector<double> EmbeddingFold::sum(std::size_t g) const {
  std::vector<double> all(features());
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = double(sums_(g, j)) / per_unit_;
  return all;
}

}  // namespace bochner
