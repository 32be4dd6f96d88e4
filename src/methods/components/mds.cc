// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/mds.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "methods/components/components_map.h"
#include "model/mapped_rows.h"
#include "run/check_memory.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kMostLandmarks = 10'000;  // their square and its eigenvectors are in memory
constexpr double kSymmetric = 1e-6;             // how far both ways may differ, by the largest distance

// Refuses what is no distance, and cells that are empty: they would be taken for the mean of their column.
void check_distances(Rows& rows) {
  std::size_t at = 0;
  rows.rewind();
  for (RowBlock<double> block; rows.next(kChunkRows, block); at += block.rows)
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j)
        if (const double value = block.values[i * block.stride + j]; !(value >= 0))
          fail(Error::Kind::data, "mds: row {}, column {} (from 0) is {}, expected a distance, at least 0", at + i, j,
               value);
  if (const std::uint64_t missing = rows.counts().missing)
    fail(Error::Kind::data, "mds: found {} empty cells, expected a distance in each; leave their rows out", missing);
  rows.rewind();
}

// Squares of the distances of landmarks: those of the first rows.
Matrix<double> landmark_squares(Rows& rows, const Execution& execution) {
  const std::size_t L = rows.schema().inputs;
  if (rows.schema().sparse) fail(Error::Kind::data, "mds: found sparse rows, expected distances in every column");
  if (L < 2 || L > kMostLandmarks)
    fail(Error::Kind::data, "mds: found {} columns, expected the distances to 2 to {} landmarks", L, kMostLandmarks);
  check_memory("the distances of the landmarks, and their eigenvectors", 5.0 * sizeof(double) * double(L * L),
               execution, "take fewer landmarks");
  check_distances(rows);
  Matrix<double> d(L, L);
  rows.rewind();
  std::size_t at = 0;
  for (RowBlock<double> block; at < L && rows.next(L - at, block); at += block.rows)
    for (std::size_t i = 0; i < block.rows; ++i) std::copy_n(block.values + i * block.stride, L, &d(at + i, 0));
  rows.rewind();
  if (at < L) fail(Error::Kind::data, "mds: found {} rows of {} columns, expected each landmark as a row first", at, L);
  const double most = *std::max_element(d.data(), d.data() + L * L);
  if (most > 0 && !std::isnormal(most * most))
    fail(Error::Kind::data, "mds: the largest distance is {:g}, whose square is out of range; take another unit", most);
  for (std::size_t i = 0; i < L; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      if (std::fabs(d(i, j) - d(j, i)) > kSymmetric * most || (i == j && d(i, i) > kSymmetric * most))
        fail(Error::Kind::data,
             "mds: row {}, column {} (from 0) is {} and the other way {}, expected distances: at least 0, the same "
             "both ways, and 0 of a landmark to itself",
             i, j, d(i, j), d(j, i));
      const double mean = (d(i, j) + d(j, i)) / 2;
      d(i, j) = d(j, i) = mean * mean;
    }
  return d;
}

std::vector<double> column_means(const Matrix<double>& a) {
  std::vector<double> means(a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) means[j] += a(i, j) / double(a.rows());
  return means;
}

// -J A J / 2: the products of points, around their mean, whose squared distances are A.
Matrix<double> centred_products(const Matrix<double>& a, const std::vector<double>& means) {
  double mean = 0;
  for (const double each : means) mean += each / double(means.size());
  Matrix<double> b(a.rows(), a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) b(i, j) = -0.5 * (a(i, j) - means[i] - means[j] + mean);
  return b;
}

}  // namespace

// A row with squared distances s to the landmarks lies at y_k = -(s - mean) . v_k / (2 sqrt(lambda_k)).
Model mds(Rows& rows, const MdsOptions& options) {
  const Matrix<double> squares = landmark_squares(rows, options.execution);
  const std::size_t L = squares.rows();
  require(options.rank >= 1 && options.rank < L, "rank: found {}, expected 1 to {}, one less than the landmarks",
          options.rank, L - 1);
  const std::vector<double> means = column_means(squares);
  const Matrix<double> b = centred_products(squares, means);
  Matrix<double> all = b;
  std::vector<double> values(L);
  symmetric_eigenvalues(all.view(), values);
  double sizes = 0;
  for (const double value : values) sizes += std::fabs(value);
  const Eigen eigen = largest_eigen(b, options.rank);
  Matrix<double> directions(L, options.rank);
  std::vector<double> shares;
  for (std::size_t k = 0; k < options.rank; ++k) {
    const double value = eigen.values[k];
    shares.push_back(sizes > 0 ? std::max(value, 0.0) / sizes : 0);
    if (!(value > 1e-12 * sizes)) continue;  // the points have fewer dimensions: 0 in the others
    std::size_t largest = 0;
    for (std::size_t i = 0; i < L; ++i)
      if (std::fabs(eigen.vectors(i, k)) > std::fabs(eigen.vectors(largest, k)) * (1 + 1e-9)) largest = i;
    const double sign = eigen.vectors(largest, k) < 0 ? 1 : -1;  // the largest entry is positive
    for (std::size_t i = 0; i < L; ++i) directions(i, k) = sign * eigen.vectors(i, k) / (2 * std::sqrt(value));
  }
  FeatureOptions features;
  features.map = CustomMap{"squares"};
  features.scale = ColumnScaling::Method::none;
  features.double_precision = true;
  features.execution = options.execution;
  MappedRows mapped(rows, features, "mds");
  MapPtr head = measured(components(std::move(directions), means),
                         {{"eigenvalues", eigen.values}, {"shares", std::move(shares)}});
  return std::move(mapped).model(std::move(head), {});
}

}  // namespace bochner
