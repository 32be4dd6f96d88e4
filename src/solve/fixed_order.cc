// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/fixed_order.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/column_product.h"
#include "backend/eliminate.h"
#include "base/aligned.h"
#include "base/pieces.h"

namespace bochner::fixed_order {

namespace {

constexpr std::size_t kStep = 24;       // columns that are eliminated one by one; the others by products
constexpr std::size_t kPieceRows = 96;  // rows of a product that one thread computes

// A view of numbers T that takes no part in deducing T: writable views convert to it.
template <class T>
using Constant = std::type_identity_t<MatrixView<const T>>;

template <class T>
MatrixView<T> part(MatrixView<T> m, std::size_t row, std::size_t rows, std::size_t col, std::size_t cols) {
  return {m.row(row) + col, rows, cols, m.stride};
}

// use(c_i, p_i, columns) for each row i of c, where p is what `fill` makes.
template <class T, class Fill, class Use>
void each_row_of(MatrixView<T> c, const Fill& fill, const Use& use) {
  thread_local AlignedVector<T> scratch;
  if (scratch.size() < c.rows * c.cols) scratch.resize(c.rows * c.cols);
  const MatrixView<T> product{scratch.data(), c.rows, c.cols, c.cols};
  fill(product);
  for (std::size_t i = 0; i < c.rows; ++i) use(c.row(i), product.row(i), c.cols);
}

template <class T>
void subtract_row(T* to, const T* from, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) to[j] -= from[j];
}

// c -= a b
template <class T>
void subtract_plain_product(Constant<T> a, Constant<T> b, MatrixView<T> c) {
  each_row_of(
      c, [&](MatrixView<T> product) { row_product(a, b, product); }, subtract_row<T>);
}

// c -= a^T b
template <class T>
void subtract_column_product(Constant<T> a, Constant<T> b, MatrixView<T> c) {
  each_row_of(
      c, [&](MatrixView<T> product) { column_product(a, b, product); }, subtract_row<T>);
}

}  // namespace

void multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) { row_product(a, b, c); }

void transposed_multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  column_product(a, b, c);
}

Matrix<double> product(Threads& threads, const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.cols());
  in_pieces(threads, c.rows(), kPieceRows, [&](std::size_t begin, std::size_t rows) {
    multiply(a.view().slice(begin, rows), b.view(), c.view().slice(begin, rows));
  });
  return c;
}

Matrix<double> transposed_product(Threads& threads, const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.cols(), b.cols());
  in_pieces(threads, c.rows(), kPieceRows, [&](std::size_t begin, std::size_t rows) {
    transposed_multiply({a.data() + begin, a.rows(), rows, a.cols()}, b.view(), c.view().slice(begin, rows));
  });
  return c;
}

void add_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  each_row_of(
      c, [&](MatrixView<double> product) { column_product(a, b, product); },
      [](double* to, const double* from, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) to[j] += from[j];
      });
}

void subtract_row_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  subtract_plain_product(a, b, c);
}

void subtract_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  subtract_column_product(a, b, c);
}

namespace {

template <class T>
void subtract_multiple(T factor, const T* from, T* to, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) to[j] -= factor * from[j];
}

// w <- L^-1 w and w <- L^-T w, where u = L^T.
template <class T>
void solve_by_lower(Constant<T> u, MatrixView<T> w) {
  for (std::size_t begin = 0; begin < u.rows; begin += kStep) {
    const std::size_t count = std::min(kStep, u.rows - begin);
    if (begin > 0)
      subtract_column_product(part(u, 0, begin, begin, count), part(w, 0, begin, 0, w.cols),
                              part(w, begin, count, 0, w.cols));
    bochner::eliminate(u, w, begin, count);
  }
}

template <class T>
void solve_by_upper(Constant<T> u, MatrixView<T> w) {
  for (std::size_t end = u.rows; end > 0;) {
    const std::size_t begin = (end - 1) / kStep * kStep;
    if (end < u.rows)
      subtract_plain_product(part(u, begin, end - begin, end, u.rows - end), w.slice(end, u.rows - end),
                             w.slice(begin, end - begin));
    for (std::size_t k = end; k-- > begin;) {
      for (std::size_t p = k + 1; p < end; ++p) subtract_multiple<T>(u(k, p), w.row(p), w.row(k), w.cols);
      const T inverse = 1 / u(k, k);
      for (std::size_t j = 0; j < w.cols; ++j) w(k, j) *= inverse;
    }
    end = begin;
  }
}

}  // namespace

void solve_lower(MatrixView<const double> u, MatrixView<double> w) { solve_by_lower(u, w); }
void solve_upper(MatrixView<const double> u, MatrixView<double> w) { solve_by_upper(u, w); }

Matrix<double> inverse_lower(MatrixView<const double> u) {
  const std::size_t n = u.rows;
  Matrix<double> inverse(n, n);
  const MatrixView<double> w = inverse.view();
  for (std::size_t k = 0; k < n; ++k) w(k, k) = 1;
  for (std::size_t begin = 0; begin < n; begin += kStep) {  // row k is 0 behind column k
    const std::size_t count = std::min(kStep, n - begin);
    if (begin > 0)
      subtract_product(part(u, 0, begin, begin, count), part(w, 0, begin, 0, begin), part(w, begin, count, 0, begin));
    eliminate(u, part(w, 0, n, 0, begin + count), begin, count);
  }
  return inverse;
}

namespace {

// The upper triangle of a symmetric a becomes L^T, and the lower one 0. Returns 0, or 1 + the column whose pivot does
// not exceed the least.
template <class T>
std::size_t factor_tile(MatrixView<T> a, T least = 0) {
  for (std::size_t begin = 0; begin < a.rows; begin += kStep) {
    const std::size_t count = std::min(kStep, a.rows - begin), rest = a.rows - begin;
    if (begin > 0)
      subtract_column_product(part(a, 0, begin, begin, count), part(a, 0, begin, begin, rest),
                              part(a, begin, count, begin, rest));
    const MatrixView<T> square = part(a, 0, a.rows, 0, begin + count);
    for (std::size_t k = begin; k < begin + count; ++k) {
      subtract_rows(a, square, begin, k, k);
      if (!(a(k, k) > least)) return k + 1;
      a(k, k) = std::sqrt(a(k, k));
      const T inverse = 1 / a(k, k);
      for (std::size_t j = k + 1; j < begin + count; ++j) a(k, j) *= inverse;
    }
    eliminate(a, part(a, 0, a.rows, begin + count, rest - count), begin, count);
  }
  for (std::size_t i = 0; i < a.rows; ++i) std::fill_n(a.row(i), i, T(0));
  return 0;
}

// Tiles are stored whole, so that they can be transposed where they are.
template <class T>
void transpose_tile(T* tile, std::size_t side) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t I = 0; I < side; I += kBlock)
    for (std::size_t J = 0; J <= I; J += kBlock)
      for (std::size_t i = I; i < std::min(side, I + kBlock); ++i)
        for (std::size_t j = J; j < std::min(i, J + kBlock); ++j) std::swap(tile[i * side + j], tile[j * side + i]);
}

// The tile (I, J) of the factor: as many rows as tile J of L has columns.
template <class Tiles>
auto transposed(Tiles& tiles, std::size_t I, std::size_t J) {
  auto view = tiles.block(I, J);
  std::swap(view.rows, view.cols);
  return view;
}

// A sum in eight parts: in one order, and yet in vectors.
template <class T>
T dot(const T* a, const T* b, std::size_t n) {
  constexpr std::size_t kParts = 8;
  T sums[kParts] = {};
  std::size_t j = 0;
  for (; j + kParts <= n; j += kParts)
    for (std::size_t p = 0; p < kParts; ++p) sums[p] += a[j + p] * b[j + p];
  for (; j < n; ++j) sums[j % kParts] += a[j] * b[j];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace

bool solve_positive(MatrixView<double> a, MatrixView<double> b) {
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
  if (factor_tile(a) != 0) return false;
  fixed_order::solve_lower(a, b);
  solve_upper(a, b);
  return true;
}

namespace {

constexpr std::size_t kPivotStep = 48;  // pivots between the products that bring the rest of the matrix up to date
constexpr std::size_t kPivotStrip = 192;

// Rows and columns i < j of a symmetric a change places, of which the upper triangle is kept; above row i it is L^T.
void swap_symmetric(MatrixView<double> a, std::size_t i, std::size_t j) {
  for (std::size_t k = 0; k < i; ++k) std::swap(a(k, i), a(k, j));
  std::swap(a(i, i), a(j, j));
  for (std::size_t k = i + 1; k < j; ++k) std::swap(a(i, k), a(k, j));
  std::swap_ranges(a.row(i) + j + 1, a.row(i) + a.cols, a.row(j) + j + 1);
}

}  // namespace

// Higham, Accuracy and Stability of Numerical Algorithms, section 10.3, by blocks as LAPACK's dpstrf: explained[i] is
// what the pivots of this block take from the diagonal, which the products take from the rest at its end.
std::size_t pivoted_factor(MatrixView<double> a, double tolerance, std::span<std::size_t> pivots) {
  const std::size_t n = a.rows;
  std::iota(pivots.begin(), pivots.end(), std::size_t(0));
  std::vector<double> explained(n);
  for (std::size_t begin = 0; begin < n; begin += kPivotStep) {
    const std::size_t end = std::min(n, begin + kPivotStep);
    std::fill(explained.begin() + std::ptrdiff_t(begin), explained.end(), 0.0);
    for (std::size_t k = begin; k < end; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (a(i, i) - explained[i] > a(best, best) - explained[best]) best = i;
      const double pivot = a(best, best) - explained[best];
      if (!(pivot > tolerance)) return k;
      if (best != k) {
        swap_symmetric(a, k, best);
        std::swap(explained[k], explained[best]);
        std::swap(pivots[k], pivots[best]);
      }
      subtract_rows(a, a, begin, k, k + 1);
      const double root = std::sqrt(pivot), inverse = 1 / root;
      a(k, k) = root;
      for (std::size_t j = k + 1; j < n; ++j) {
        a(k, j) *= inverse;
        explained[j] += a(k, j) * a(k, j);
      }
    }
    for (std::size_t i = end; i < n; i += kPivotStrip) {
      const std::size_t rows = std::min(kPivotStrip, n - i);
      subtract_product(part(a, begin, end - begin, i, rows), part(a, begin, end - begin, i, n - i),
                       part(a, i, rows, i, n - i));
    }
  }
  return n;
}

namespace {

// Tiles of a lower triangle, which threads take column after column and finish for each other. A tile needs those of
// earlier ones only, so some thread always gets on.
class SharedTiles {
 public:
  explicit SharedTiles(std::size_t side) : side_(side), finished_(side * (side + 1) / 2) {}

  // work(I, J) of every tile; false, and the tiles after it need not be.
  template <class Work>
  void run(Threads& threads, const Work& work) {
    threads.run(std::min<std::size_t>(std::size_t(threads.count()), finished_.size()), [&](std::size_t, int) {
      try {
        for (std::size_t taken; (taken = next_++) < finished_.size() && !given_up_;) {
          threads.check_stop();
          const auto [i, j] = tile_index(finished_.size() - 1 - taken);
          const std::size_t I = side_ - 1 - j, J = side_ - 1 - i;
          if (work(I, J))
            finished_[place(I, J)].store(true, std::memory_order_release);
          else
            given_up_ = true;
        }
      } catch (...) {
        given_up_ = true;
        throw;
      }
    });
  }
  // False: it never comes, since a thread has given up.
  bool wait_for(std::size_t I, std::size_t J) const {
    while (!finished_[place(I, J)].load(std::memory_order_acquire)) {
      if (given_up_) return false;
      std::this_thread::yield();
    }
    return true;
  }

 private:
  static std::size_t place(std::size_t I, std::size_t J) { return I * (I + 1) / 2 + J; }

  std::size_t side_;
  std::vector<std::atomic<bool>> finished_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> given_up_{false};
};

}  // namespace

//   A_IJ -= L_IK L_JK^T for K = 0, ..., J - 1, then L_IJ^T = L_JJ^-1 A_IJ^T
template <class T>
std::optional<std::size_t> factor(TiledSymmetric<T>& a, Threads& threads, T least) {
  SharedTiles tiles(a.tiles_per_side());
  std::optional<std::size_t> bad;  // a column's pivot needs all before it: one tile at most sets this
  tiles.run(threads, [&](std::size_t I, std::size_t J) {
    for (std::size_t K = 0; K < J; ++K) {
      if (!tiles.wait_for(I, K) || !tiles.wait_for(J, K)) return false;
      subtract_column_product(transposed(a, I, K), transposed(a, J, K), a.block(I, J));
    }
    if (I == J) {
      const std::size_t failed = factor_tile(a.block(J, J), least);
      if (failed > 0) bad = J * a.tile() + failed - 1;
      return failed == 0;
    }
    if (!tiles.wait_for(J, J)) return false;
    transpose_tile(a.block(I, J).data, a.tile());
    solve_by_lower(a.block(J, J), transposed(a, I, J));
    return true;
  });
  return bad;
}

namespace {

template <class T>
void solve_tiles_by_lower(const TiledSymmetric<T>& factor, std::size_t first, MatrixView<T> w) {
  const auto rows = [&](std::size_t I) { return w.slice((I - first) * factor.tile(), factor.extent(I)); };
  for (std::size_t J = first; J < factor.tiles_per_side(); ++J) {
    for (std::size_t K = first; K < J; ++K) subtract_column_product(transposed(factor, J, K), rows(K), rows(J));
    solve_by_lower(factor.block(J, J), rows(J));
  }
}

}  // namespace

void solve_lower(const TiledSymmetric<double>& factor, std::size_t first, MatrixView<double> w) {
  solve_tiles_by_lower(factor, first, w);
}

template <class T>
void solve(const TiledSymmetric<T>& factor, std::span<T> x) {
  const std::size_t side = factor.tiles_per_side();
  const auto at = [&](std::size_t I) { return x.data() + I * factor.tile(); };
  for (std::size_t J = 0; J < side; ++J) {  // L y = x
    const auto u = factor.block(J, J);
    for (std::size_t k = 0; k < u.rows; ++k) {
      at(J)[k] /= u(k, k);
      subtract_multiple<T>(at(J)[k], u.row(k) + k + 1, at(J) + k + 1, u.rows - k - 1);
    }
    for (std::size_t I = J + 1; I < side; ++I) {
      const auto below = transposed(factor, I, J);
      for (std::size_t k = 0; k < below.rows; ++k) subtract_multiple<T>(at(J)[k], below.row(k), at(I), below.cols);
    }
  }
  for (std::size_t I = side; I-- > 0;) {  // L^T x = y
    for (std::size_t J = I + 1; J < side; ++J) {
      const auto beside = transposed(factor, J, I);
      for (std::size_t k = 0; k < beside.rows; ++k) at(I)[k] -= dot(beside.row(k), at(J), beside.cols);
    }
    const auto u = factor.block(I, I);
    for (std::size_t k = u.rows; k-- > 0;) {
      at(I)[k] -= dot(u.row(k) + k + 1, at(I) + k + 1, u.rows - k - 1);
      at(I)[k] /= u(k, k);
    }
  }
}

template <class T>
void solve(const TiledSymmetric<T>& factor, MatrixView<T> w) {
  solve_tiles_by_lower(factor, 0, w);
  const auto rows = [&](std::size_t I) { return w.slice(I * factor.tile(), factor.extent(I)); };
  for (std::size_t I = factor.tiles_per_side(); I-- > 0;) {
    for (std::size_t J = I + 1; J < factor.tiles_per_side(); ++J)
      subtract_plain_product(transposed(factor, J, I), rows(J), rows(I));
    solve_by_upper(factor.block(I, I), rows(I));
  }
}

template std::optional<std::size_t> factor(TiledSymmetric<float>&, Threads&, float);
template std::optional<std::size_t> factor(TiledSymmetric<double>&, Threads&, double);
template void solve(const TiledSymmetric<float>&, std::span<float>);
template void solve(const TiledSymmetric<double>&, std::span<double>);
template void solve(const TiledSymmetric<float>&, MatrixView<float>);
template void solve(const TiledSymmetric<double>&, MatrixView<double>);

}  // namespace bochner::fixed_order
