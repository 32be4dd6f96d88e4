// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/tall.h"

#include <algorithm>
#include <cmath>

#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kPiece = 2048;  // rows: as many whatever the threads

std::size_t pieces_of(std::size_t rows) { return (rows + kPiece - 1) / kPiece; }

template <class T>
MatrixView<T> piece_of(MatrixView<T> a, std::size_t piece) {
  return a.slice(piece * kPiece, std::min(kPiece, a.rows - piece * kPiece));
}

std::vector<double> lengths(const Matrix<double>& w, Threads& threads) {
  std::vector<Matrix<double>> parts(pieces_of(w.rows()), Matrix<double>(1, w.cols()));
  threads.run(parts.size(), [&](std::size_t p, int) {
    const MatrixView<const double> rows = piece_of(w.view(), p);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t k = 0; k < w.cols(); ++k) parts[p](0, k) += rows(i, k) * rows(i, k);
  });
  std::vector<double> length(w.cols());
  for (const Matrix<double>& part : parts)
    for (std::size_t k = 0; k < w.cols(); ++k) length[k] += part(0, k);
  for (double& value : length) value = std::sqrt(value);
  return length;
}

// w z, where z makes the columns of w orthonormal; those below the tolerance are left out.
Matrix<double> orthonormal_once(const Matrix<double>& w, double tolerance, Threads& threads) {
  if (w.cols() == 0) return w;
  const Eigen s = largest_eigen(cross(w, w, threads), w.cols());
  std::size_t kept = 0;
  while (kept < w.cols() && s.values[kept] > tolerance * s.values[0]) ++kept;
  Matrix<double> z(w.cols(), kept);
  for (std::size_t i = 0; i < w.cols(); ++i)
    for (std::size_t k = 0; k < kept; ++k) z(i, k) = s.vectors(i, k) / std::sqrt(s.values[k]);
  return combine(w, z, threads);
}

}  // namespace

Matrix<double> cross(const Matrix<double>& a, const Matrix<double>& b, Threads& threads) {
  Matrix<double> product(a.cols(), b.cols());
  const std::size_t pieces = pieces_of(a.rows()), group = 64;  // few enough parts to keep at a time
  std::vector<Matrix<double>> parts(std::min(group, pieces), Matrix<double>(a.cols(), b.cols()));
  for (std::size_t first = 0; first < pieces; first += group) {
    const std::size_t count = std::min(group, pieces - first);
    threads.run(count, [&](std::size_t p, int) {
      transposed_multiply(1, piece_of(a.view(), first + p), piece_of(b.view(), first + p), 0, parts[p].view());
    });
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t i = 0; i < a.cols() * b.cols(); ++i) product.data()[i] += parts[p].data()[i];
  }
  return product;
}

Matrix<double> combine(const Matrix<double>& a, const Matrix<double>& z, Threads& threads) {
  Matrix<double> product(a.rows(), z.cols());
  add_combined(1, a, z, product, threads);
  return product;
}

void add_combined(double alpha, const Matrix<double>& b, const Matrix<double>& z, Matrix<double>& a, Threads& threads) {
  if (z.rows() == 0 || z.cols() == 0) return;
  threads.run(pieces_of(a.rows()),
              [&](std::size_t p, int) { multiply(alpha, piece_of(b.view(), p), z.view(), 1, piece_of(a.view(), p)); });
}

Matrix<double> orthonormal(Matrix<double> w, const std::vector<Matrix<double>>& q, Threads& threads) {
  constexpr double kLost = 1e-6;  // of a column's length: what rows in float leave of it when q is taken away
  const auto scale = [&](double least) {
    const std::vector<double> length = lengths(w, threads);
    threads.run(pieces_of(w.rows()), [&](std::size_t p, int) {
      const MatrixView<double> rows = piece_of(w.view(), p);
      for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t k = 0; k < w.cols(); ++k) rows(i, k) = length[k] > least ? rows(i, k) / length[k] : 0;
    });
  };
  const auto project_out = [&] {
    for (const Matrix<double>& block : q)
      if (w.cols()) add_combined(-1, block, cross(block, w, threads), w, threads);
  };
  scale(0);
  project_out();
  scale(q.empty() ? 0 : kLost);
  w = orthonormal_once(w, 1e-12, threads);
  project_out();
  w = orthonormal_once(w, 1e-3, threads);
  project_out();
  return orthonormal_once(w, 1e-3, threads);
}

}  // namespace bochner
