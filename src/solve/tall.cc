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

// Columns of length 1; those of at most `least`, one each, become 0.
void scale_columns(Matrix<double>& w, const std::vector<double>& length, const std::vector<double>& least,
                   Threads& threads) {
  threads.run(pieces_of(w.rows()), [&](std::size_t p, int) {
    const MatrixView<double> rows = piece_of(w.view(), p);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t k = 0; k < w.cols(); ++k) rows(i, k) = length[k] > least[k] ? rows(i, k) / length[k] : 0;
  });
}

constexpr double kLost = 1e-6;  // relative to a column's length: what rows in float leave of it when q is projected out

// w z, where z makes the columns of w orthonormal; those below the tolerance are left out. spread: the least eigenvalue
// of w^T w that counted, of the largest.
Matrix<double> orthonormal_once(const Matrix<double>& w, double tolerance, Threads& threads, double* spread = nullptr) {
  if (w.cols() == 0) return w;
  const Eigen s = largest_eigen(cross(w, w, threads), w.cols());
  std::size_t kept = 0;
  while (kept < w.cols() && s.values[kept] > tolerance * s.values[0]) ++kept;
  if (spread && kept) *spread = s.values[kept - 1] / s.values[0];
  Matrix<double> z(w.cols(), kept);
  for (std::size_t i = 0; i < w.cols(); ++i)
    for (std::size_t k = 0; k < kept; ++k) z(i, k) = s.vectors(i, k) / std::sqrt(s.values[k]);
  return combine(w, z, threads);
}

}  // namespace

Matrix<double> cross(MatrixView<const double> a, MatrixView<const double> b, Threads& threads) {
  Matrix<double> product(a.cols, b.cols);
  const std::size_t pieces = pieces_of(a.rows), group = 64;  // few enough parts to keep at a time
  std::vector<Matrix<double>> parts(std::min(group, pieces), Matrix<double>(a.cols, b.cols));
  for (std::size_t first = 0; first < pieces; first += group) {
    const std::size_t count = std::min(group, pieces - first);
    threads.run(count, [&](std::size_t p, int) {
      transposed_multiply(1, piece_of(a, first + p), piece_of(b, first + p), 0, parts[p].view());
    });
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t i = 0; i < a.cols * b.cols; ++i) product.data()[i] += parts[p].data()[i];
  }
  return product;
}

Matrix<double> combine(const Matrix<double>& a, const Matrix<double>& z, Threads& threads) {
  Matrix<double> product(a.rows(), z.cols());
  add_combined(1, a, z, product, threads);
  return product;
}

Matrix<double> combine(Matrix<double>&& a, const Matrix<double>& z, Threads& threads) {
  if (z.rows() != z.cols() || z.rows() == 0) return combine(a, z, threads);
  threads.run(pieces_of(a.rows()), [&](std::size_t p, int) {
    const MatrixView<double> rows = piece_of(a.view(), p);
    const std::vector<double> before(rows.data, rows.data + rows.rows * rows.cols);
    multiply(1, {before.data(), rows.rows, rows.cols, rows.cols}, z.view(), 0, rows);
  });
  return std::move(a);
}

void add_combined(double alpha, MatrixView<const double> b, const Matrix<double>& z, Matrix<double>& a,
                  Threads& threads) {
  if (z.rows() == 0 || z.cols() == 0) return;
  threads.run(pieces_of(a.rows()),
              [&](std::size_t p, int) { multiply(alpha, piece_of(b, p), z.view(), 1, piece_of(a.view(), p)); });
}

Matrix<double> orthonormal(Matrix<double> w, const std::vector<Matrix<double>>& q, Threads& threads) {
  const auto scale = [&](double least) {
    scale_columns(w, lengths(w, threads), std::vector<double>(w.cols(), least), threads);
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

Matrix<double> orthonormal_beyond(MatrixView<const double> q, Matrix<double> w, const Matrix<double>& removed,
                                  double lost, Threads& threads) {
  constexpr double kLittle = 1e-2, kAlike = 1e-6;  // relative to a length, to the squared length of a combination
  const auto project_out = [&] { add_combined(-1, q, cross(q, w.view(), threads), w, threads); };
  std::vector<double> least(w.cols()), length = lengths(w, threads);
  bool again = false;
  for (std::size_t k = 0; k < w.cols(); ++k) {
    double square = length[k] * length[k];
    for (std::size_t i = 0; i < removed.rows(); ++i) square += removed(i, k) * removed(i, k);
    least[k] = lost * std::sqrt(square);
    again = again || (length[k] > least[k] && length[k] < kLittle * std::sqrt(square));
  }
  scale_columns(w, length, least, threads);
  if (again) project_out();
  double spread = 0;
  w = orthonormal_once(w, 1e-12, threads, &spread);
  if (w.cols() == 0 || spread > kAlike) return w;
  project_out();
  w = orthonormal_once(w, 1e-3, threads);
  project_out();
  return orthonormal_once(w, 1e-3, threads);
}

}  // namespace bochner
