// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/cholesky.h"

#include <algorithm>
#include <vector>

#include "backend/cpu/blas.h"
#include "base/aligned.h"
#include "solve/fixed_order.h"

namespace bochner {

using blas::Op;
using blas::Side;

Cholesky::Cholesky(TiledSymmetric<double> a, double shift, Threads& threads, Arithmetic arithmetic)
    : arithmetic_(arithmetic), a_(std::move(a)) {
  for (std::size_t i = 0; i < a_.size(); ++i) a_.at(i, i) += shift;
  if (same_bits()) {
    failed_ = fixed_order::factor(a_, threads);
    return;
  }

  const std::size_t side = a_.tiles_per_side();
  for (std::size_t K = 0; K < side; ++K) {
    const MatrixView<double> pivot = a_.block(K, K);
    if (const std::size_t bad = blas::potrf(pivot)) {  // L_KK
      failed_ = K * a_.tile() + bad - 1;
      return;
    }
    const std::size_t rest = side - K - 1;
    threads.run(rest, [&](std::size_t i, int) {  // L_IK = A_IK L_KK^-T
      blas::trsm(Side::right, Op::transposed, 1.0, pivot, a_.block(K + 1 + i, K));
    });
    threads.run(rest * (rest + 1) / 2, [&](std::size_t piece, int) {  // A_IJ -= L_IK L_JK^T
      const auto [i, j] = tile_index(piece);
      blas::gemm(-1.0, {Op::plain, a_.block(K + 1 + i, K)}, {Op::transposed, a_.block(K + 1 + j, K)}, 1.0,
                 a_.block(K + 1 + i, K + 1 + j));
    });
  }
}

namespace {

constexpr std::size_t kFewColumns = 3, kTogether = 16;

// One column of b after the other, where b has few, and otherwise kTogether at a time, whatever the number of threads:
// `run` shares them out.
template <class Run>
void solve_columns(const TiledSymmetric<double>& factor, MatrixView<double> b, const Run& run) {
  if (b.cols > kFewColumns)
    return run((b.cols + kTogether - 1) / kTogether, [&](std::size_t group) {
      const std::size_t first = group * kTogether;
      fixed_order::solve(factor,
                         MatrixView<double>{b.data + first, b.rows, std::min(kTogether, b.cols - first), b.stride});
    });
  run(b.cols, [&](std::size_t k) {
    std::vector<double> x(b.rows);
    for (std::size_t i = 0; i < b.rows; ++i) x[i] = b(i, k);
    fixed_order::solve(factor, std::span<double>(x));
    for (std::size_t i = 0; i < b.rows; ++i) b(i, k) = x[i];
  });
}

}  // namespace

void Cholesky::solve(MatrixView<double> b) const {
  if (same_bits())
    return solve_columns(a_, b, [](std::size_t columns, const auto& column) {
      for (std::size_t k = 0; k < columns; ++k) column(k);
    });
  const std::size_t side = a_.tiles_per_side();
  const auto part = [&](std::size_t I) { return b.slice(I * a_.tile(), a_.extent(I)); };
  for (std::size_t I = 0; I < side; ++I) {  // L y = b
    for (std::size_t J = 0; J < I; ++J)
      blas::gemm(-1.0, {Op::plain, a_.block(I, J)}, {Op::plain, part(J)}, 1.0, part(I));
    blas::trsm(Side::left, Op::plain, 1.0, a_.block(I, I), part(I));
  }
  for (std::size_t I = side; I-- > 0;) {  // L^T x = y
    for (std::size_t J = I + 1; J < side; ++J)
      blas::gemm(-1.0, {Op::transposed, a_.block(J, I)}, {Op::plain, part(J)}, 1.0, part(I));
    blas::trsm(Side::left, Op::transposed, 1.0, a_.block(I, I), part(I));
  }
}

void Cholesky::solve(MatrixView<double> b, Threads& threads) const {
  if (same_bits())
    return solve_columns(a_, b, [&](std::size_t columns, const auto& column) {
      threads.run(columns, [&](std::size_t k, int) { column(k); });
    });
  const std::size_t side = a_.tiles_per_side();
  const auto part = [&](std::size_t I) { return b.slice(I * a_.tile(), a_.extent(I)); };
  for (std::size_t J = 0; J < side; ++J) {  // L y = b, column by column of tiles
    blas::trsm(Side::left, Op::plain, 1.0, a_.block(J, J), part(J));
    threads.run(side - J - 1, [&](std::size_t i, int) {
      const std::size_t I = J + 1 + i;
      blas::gemm(-1.0, {Op::plain, a_.block(I, J)}, {Op::plain, part(J)}, 1.0, part(I));
    });
  }
  for (std::size_t J = side; J-- > 0;) {  // L^T x = y
    blas::trsm(Side::left, Op::transposed, 1.0, a_.block(J, J), part(J));
    threads.run(J, [&](std::size_t I, int) {
      blas::gemm(-1.0, {Op::transposed, a_.block(J, I)}, {Op::plain, part(J)}, 1.0, part(I));
    });
  }
}

namespace {

void transpose(MatrixView<const double> from, MatrixView<double> to) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t I = 0; I < from.rows; I += kBlock)
    for (std::size_t J = 0; J < from.cols; J += kBlock)
      for (std::size_t i = I; i < std::min(from.rows, I + kBlock); ++i)
        for (std::size_t j = J; j < std::min(from.cols, J + kBlock); ++j) to(j, i) = from(i, j);
}

// L^-1 x^T, which stays until the thread asks for another.
MatrixView<const double> solved_columns(const TiledSymmetric<double>& factor, MatrixView<const double> x) {
  thread_local AlignedVector<double> scratch;
  scratch.resize(x.cols * x.rows);
  const MatrixView<double> columns{scratch.data(), x.cols, x.rows, x.rows};
  transpose(x, columns);
  fixed_order::solve_lower(factor, 0, columns);
  return columns;
}

}  // namespace

// The sums go over columns, so that rows are added side by side.
void Cholesky::add_squares(MatrixView<const double> x, std::span<double> sums) const {
  const auto add = [&](MatrixView<const double> columns) {
    for (std::size_t j = 0; j < columns.rows; ++j) {
      const double* const of = columns.row(j);
      for (std::size_t i = 0; i < columns.cols; ++i) sums[i] += of[i] * of[i];
    }
  };
  if (same_bits()) return add(solved_columns(a_, x));
  Matrix<double> rows(x.rows, x.cols), columns(x.cols, x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, &rows(i, 0));
  solve_lower_rows(rows.view());
  transpose(rows.view(), columns.view());
  add(columns.view());
}

void Cholesky::solve_lower_rows(MatrixView<double> x) const {
  if (same_bits()) return transpose(solved_columns(a_, x), x);
  const auto columns = [&](std::size_t J) {
    return MatrixView<double>{x.data + J * a_.tile(), x.rows, a_.extent(J), x.stride};
  };
  for (std::size_t J = 0; J < a_.tiles_per_side(); ++J) {
    for (std::size_t K = 0; K < J; ++K)
      blas::gemm(-1.0, {Op::plain, columns(K)}, {Op::transposed, a_.block(J, K)}, 1.0, columns(J));
    blas::trsm(Side::right, Op::transposed, 1.0, a_.block(J, J), columns(J));
  }
}

Matrix<double> Cholesky::inverse_factor(Threads& threads) const {
  const std::size_t size = a_.size();
  Matrix<double> inverse(size, size);
  threads.run(a_.tiles_per_side(), [&](std::size_t I, int) {
    const std::size_t begin = I * a_.tile();
    Matrix<double> columns(a_.extent(I), size);  // e_i becomes L^-1 e_i
    for (std::size_t i = 0; i < columns.rows(); ++i) columns(i, begin + i) = 1;
    solve_lower_rows(columns.view());
    for (std::size_t i = 0; i < columns.rows(); ++i)
      for (std::size_t j = begin + i; j < size; ++j) inverse(j, begin + i) = columns(i, j);
  });
  return inverse;
}

std::vector<double> Cholesky::inverse_diagonal(Threads& threads) const {
  const std::size_t side = a_.tiles_per_side();
  std::vector<double> squares(a_.size());
  threads.run(side, [&](std::size_t I, int) {
    // The rows e_i of tile I become L^-1 e_i, which is zero before tile I.
    const std::size_t begin = I * a_.tile(), rows = a_.extent(I);
    if (same_bits()) {
      Matrix<double> w(a_.size() - begin, rows);
      for (std::size_t i = 0; i < rows; ++i) w(i, i) = 1;
      fixed_order::solve_lower(a_, I, w.view());
      for (std::size_t j = 0; j < w.rows(); ++j)
        for (std::size_t i = 0; i < rows; ++i) squares[begin + i] += w(j, i) * w(j, i);
      return;
    }
    Matrix<double> x(rows, a_.size() - begin);
    for (std::size_t i = 0; i < rows; ++i) x(i, i) = 1;
    const auto columns = [&](std::size_t J) {
      return MatrixView<double>{x.data() + J * a_.tile() - begin, rows, a_.extent(J), x.cols()};
    };
    for (std::size_t J = I; J < side; ++J) {
      for (std::size_t K = I; K < J; ++K)
        blas::gemm(-1.0, {Op::plain, columns(K)}, {Op::transposed, a_.block(J, K)}, 1.0, columns(J));
      blas::trsm(Side::right, Op::transposed, 1.0, a_.block(J, J), columns(J));
    }
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = i; j < x.cols(); ++j) squares[begin + i] += x(i, j) * x(i, j);
  });
  return squares;
}

double Cholesky::inverse_trace(Threads& threads) const {
  double trace = 0;
  for (const double square : inverse_diagonal(threads)) trace += square;
  return trace;
}

}  // namespace bochner
