// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/landmark_ridge.h"

#include <algorithm>
#include <cmath>

#include "base/pieces.h"
#include "methods/automatic/columns.h"
#include "methods/automatic/radial.h"
#include "solve/cholesky.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

constexpr std::size_t kLandmarkTile = 192;
constexpr std::size_t kChunk = 2048;  // rows whose kernel values are held as double
constexpr std::size_t kLandmarkPiece = 192, kLandmarkStrip = 48;

}  // namespace

Matrix<float> gathered(MatrixView<const float> u, std::span<const std::uint32_t> rows) {
  Matrix<float> out(rows.size(), u.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(u.row(rows[i]), u.cols, &out(i, 0));
  return out;
}

void kernel_values(const Workers& on, MatrixView<const float> x, const PointPanels<float>& points, double q,
                   MatrixView<double> K) {
  in_pieces(on.threads, x.rows, kLandmarkPiece, [&](std::size_t begin, std::size_t count) {
    Matrix<float> k(count, points.count);
    on.ops.radial_block(x.slice(begin, count), points, q, k.view());
    for (std::size_t i = 0; i < count; ++i) std::copy_n(&k(i, 0), points.count, K.row(begin + i));
  });
}

LandmarkRidge::LandmarkRidge(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> landmarks,
                             const std::vector<char>& held, double q)
    : threads_(on.threads), landmarks_(gathered(rows.u, landmarks)), q_(q), kernel_(landmarks.size(), kLandmarkTile) {
  const std::size_t M = landmarks.size();
  Matrix<double> K(M, M);
  kernel_values(on, std::as_const(landmarks_).view(), pack_points<float>(std::as_const(landmarks_).view()), q,
                K.view());
  for (std::size_t tile = 0; tile < kernel_.tile_count(); ++tile) {
    const auto [I, J] = tile_index(tile);
    const MatrixView<double> block = kernel_.block(I, J);
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) {
        const std::size_t r = I * kLandmarkTile + i, s = J * kLandmarkTile + j;
        block(i, j) = 0.5 * (K(r, s) + K(s, r));
      }
  }
  std::vector<std::uint32_t> sides[2];
  for (std::size_t i = 0; i < rows.u.rows; ++i) sides[held[i] ? 1 : 0].push_back(std::uint32_t(i));
  add(on, rows, sides[0], fitted_);
  add(on, rows, sides[1], held_);
}

// Threads add the products of a chunk's rows while others find the kernel values of the next one.
void LandmarkRidge::add(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> chosen,
                        Sums& sums) const {
  const std::size_t M = landmarks_.rows(), c = rows.y.cols, most = std::min(kChunk, chosen.size());
  sums.gram = TiledSymmetric<double>(M, kLandmarkTile, on.threads);
  sums.moment = Matrix<double>(M, c + 1);
  sums.mean.assign(c, 0.0);
  const PointPanels<float> points = pack_points<float>(landmarks_.view());
  Matrix<double> K(most, M), next(most, M);
  const auto find_values = [&](std::span<const std::uint32_t> part, MatrixView<double> values) {
    kernel_values(on, gathered(rows.u, part).view(), points, q_, values);
    for (std::size_t i = 0; i < part.size(); ++i)
      if (const double root = std::sqrt(rows.weight(part[i])); root != 1)
        for (std::size_t j = 0; j < M; ++j) values(i, j) *= root;
  };
  const auto chunk = [&](std::size_t begin) {
    const std::size_t first = std::min(begin, chosen.size());
    return chosen.subspan(first, std::min(kChunk, chosen.size() - first));
  };
  std::vector<std::pair<std::size_t, std::size_t>> strips;  // the tile and the first row in it
  for (std::size_t tile = 0; tile < sums.gram.tile_count(); ++tile)
    for (std::size_t i = 0; i < sums.gram.extent(tile_index(tile).row); i += kLandmarkStrip)
      strips.emplace_back(tile, i);
  std::span<const std::uint32_t> part, coming = chunk(0);
  for (std::size_t begin = 0;; begin += kChunk) {
    Matrix<double> y(part.size(), c + 1);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const double w = rows.weight(part[i]), root = std::sqrt(w);
      for (std::size_t k = 0; k < c; ++k) {
        y(i, k) = root * rows.y(part[i], k);
        sums.mean[k] += w * rows.y(part[i], k);
      }
      y(i, c) = root;
      sums.weight += w;
    }
    const auto columns = [&](std::size_t first, std::size_t count) {
      return MatrixView<const double>{K.data() + first, part.size(), count, M};
    };
    const std::size_t pieces = (coming.size() + kLandmarkPiece - 1) / kLandmarkPiece;
    on.threads.run(pieces + (part.empty() ? 0 : strips.size()), [&](std::size_t piece, int) {
      if (piece < pieces) {
        const std::size_t first = piece * kLandmarkPiece, count = std::min(kLandmarkPiece, coming.size() - first);
        return find_values(coming.subspan(first, count), next.view().slice(first, count));
      }
      const auto [tile, first] = strips[piece - pieces];
      const auto [I, J] = tile_index(tile);
      const std::size_t count = std::min(kLandmarkStrip, sums.gram.extent(I) - first), row = I * kLandmarkTile + first;
      fixed_order::add_product(columns(row, count), columns(J * kLandmarkTile, sums.gram.extent(J)),
                               sums.gram.block(I, J).slice(first, count));
      if (J == 0) fixed_order::add_product(columns(row, count), y.view(), sums.moment.view().slice(row, count));
    });
    if (coming.empty()) return;
    std::swap(K, next);
    part = coming;
    coming = chunk(begin + kChunk);
  }
}

void LandmarkRidge::solve(double lambda, bool all, MatrixView<double> alpha) const {
  const std::size_t M = landmarks_.rows();
  const double n = fitted_.weight + (all ? held_.weight : 0);
  TiledSymmetric<double> A = fitted_.gram.copy(threads_);
  for (std::size_t i = 0; i < A.values().size(); ++i)
    A.values()[i] += lambda * n * kernel_.values()[i] + (all ? held_.gram.values()[i] : 0);
  double diagonal = 0;
  for (std::size_t i = 0; i < M; ++i) diagonal += A.at(i, i) / double(M);
  for (double jitter = 1e-10 * diagonal;; jitter *= 100) {
    const Cholesky L(A.copy(threads_), jitter, threads_, Cholesky::Arithmetic::same_bits);
    if (L.failed_column() && jitter < diagonal) continue;
    L.solve(alpha, threads_);
    return;
  }
}

MapPtr LandmarkRidge::fit(std::span<const double> lambdas, bool all) const {
  const std::size_t M = landmarks_.rows(), c = fitted_.mean.size();
  const double n = fitted_.weight + (all ? held_.weight : 0);
  std::vector<double> mean(c);
  for (std::size_t k = 0; k < c; ++k) mean[k] = (fitted_.mean[k] + (all ? held_.mean[k] : 0)) / n;
  Matrix<double> alpha(M, c);
  for (std::size_t i = 0; i < M; ++i) {
    const double ones = fitted_.moment(i, c) + (all ? held_.moment(i, c) : 0);
    for (std::size_t k = 0; k < c; ++k)
      alpha(i, k) = fitted_.moment(i, k) + (all ? held_.moment(i, k) : 0) - mean[k] * ones;
  }
  each_alike(lambdas, [&](double lambda, std::span<const std::size_t> targets) {
    Matrix<double> part = some_columns(alpha, targets);
    solve(lambda, all, part.view());
    put_columns(part, targets, alpha);
  });
  return radial_machine(landmarks_, q_, std::move(alpha), std::move(mean));
}

Matrix<double> predict_rows(const Workers& on, const Map& map, MatrixView<const float> u) {
  Matrix<double> out(u.rows, map.outputs());
  const std::size_t piece_rows = std::max(kLandmarkPiece, map.rows_at_once());
  in_pieces(on.threads, u.rows, piece_rows, [&](std::size_t begin, std::size_t count) {
    RowBlock<float> block;
    block.first = begin;
    block.rows = count;
    block.cols = u.cols;
    block.stride = u.stride;
    block.values = u.row(begin);
    Matrix<float> y(count, map.outputs());
    map.apply(on.ops, block, y.view());
    std::copy_n(y.data(), count * map.outputs(), &out(begin, 0));
  });
  return out;
}

std::vector<double> squared_errors(const MetricRows& rows, const Matrix<double>& predictions,
                                   std::span<const std::uint32_t> of) {
  double weight = 0;
  std::vector<double> sums(rows.y.cols, 0.0);
  const std::size_t count = of.empty() ? rows.u.rows : of.size();
  for (std::size_t p = 0; p < count; ++p) {
    const std::size_t i = of.empty() ? p : of[p];
    weight += rows.weight(i);
    for (std::size_t k = 0; k < rows.y.cols; ++k) {
      const double r = rows.y(i, k) - predictions(p, k);
      sums[k] += rows.weight(i) * r * r;
    }
  }
  for (double& sum : sums) sum = weight > 0 ? sum / weight : 0;
  return sums;
}

double squared_error(const MetricRows& rows, const Matrix<double>& predictions, std::span<const std::uint32_t> of) {
  double sum = 0;
  for (const double e : squared_errors(rows, predictions, of)) sum += e;
  return sum;
}

}  // namespace bochner
