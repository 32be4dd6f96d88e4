// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "backend/radial.h"
#include "base/pieces.h"
#include "methods/automatic/flow.h"
#include "random/elementary.h"
#include "solve/fixed_order.h"
#include "solve/refined_cholesky.h"

namespace bochner {

namespace {

constexpr std::size_t kPieceRows = 192;  // rows that a thread takes at a time
constexpr std::size_t kTile = 192;
constexpr double kRounding = 1e-9;  // rounding of the kernel's float entries: n times this is added to the diagonal
// Relative remainder of a solution: steps of drawn rows and entries in float need no more digits than these have.
template <class T>
constexpr double kLeftOver = std::is_same_v<T, float> ? 1e-6 : 1e-10;

MatrixView<const double> columns(MatrixView<const double> m, std::size_t begin_row, std::size_t rows, std::size_t begin,
                                 std::size_t count) {
  return {m.row(begin_row) + begin, rows, count, m.stride};
}

// One step's rows, kernel and solutions. The letters are those of flow.h.
template <class T>
class Step {
 public:
  Step(const Workers& on, const FlowRows& rows, std::span<const std::uint32_t> drawn, const FlowBatch& batch,
       const Metric& metric, FlowRoom<T>& room)
      : on_(on),
        metric_(metric),
        n1_(batch.fitted),
        n_(batch.fitted + batch.scored),
        d_(rows.x.cols),
        c_(rows.y.cols),
        x_(n_, d_),
        y_(n_, c_),
        w_(n_, 1.0),
        roots_(n1_, 1.0),
        K_{nullptr, n_, n1_, n1_} {
    make_room(room);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) x_(i, j) = T(rows.x(drawn[i], j));
      std::copy_n(rows.y.row(drawn[i]), c_, &y_(i, 0));
      if (!rows.weights.empty()) w_[i] = rows.weights[drawn[i]];
    }
    for (std::size_t i = 0; i < n1_; ++i) roots_[i] = std::sqrt(w_[i]);
    centre_targets();
    project();
    fill_kernel();
  }

  double loss() {
    RefinedCholesky L = factor();
    fit(L);
    return log_error();
  }

  FlowGradient run() {
    FlowGradient g;
    RefinedCholesky L = factor();
    const Matrix<double> half = fit(L);
    g.loss = log_error();
    fit_slopes(L, half);
    g.log_lambda = metric_.lambda * double(n1_) * by_lambda_;
    slopes(g);
    return g;
  }

 private:
  // A kernel's entries are kept for their derivatives.
  void make_room(FlowRoom<T>& room) {
    const std::size_t size = n_ * n1_;
    room.kernel.resize(std::max(room.kernel.size(), size));
    room.entries.resize(std::max(room.entries.size(), 4 * size));
    K_.data = room.kernel.data();
    const auto part = [&](std::size_t number) {
      return MatrixView<T>{room.entries.data() + number * size, n_, n1_, n1_};
    };
    entries_ = {part(0), part(1), part(2), part(3)};
  }

  void centre_targets() {
    double weight = 0;
    std::vector<double> mean(c_, 0.0);
    for (std::size_t i = 0; i < n1_; ++i) {
      weight += w_[i];
      for (std::size_t k = 0; k < c_; ++k) mean[k] += w_[i] * y_(i, k);
    }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < c_; ++k) y_(i, k) -= weight > 0 ? mean[k] / weight : 0;
    for (std::size_t i = n1_; i < n_; ++i) scored_weight_ += w_[i];
  }

  // u = x W
  void project() {
    u_ = Matrix<T>(n_, d_);
    if (metric_.diagonal.empty()) {
      Matrix<T> W(d_, d_);
      std::copy_n(metric_.full.data(), d_ * d_, W.data());
      in_pieces(on_.threads, n_, kPieceRows, [&](std::size_t begin, std::size_t count) {
        on_.ops.multiply(x_.view().slice(begin, count), W.view(), T(0), u_.view().slice(begin, count));
      });
      return;
    }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < d_; ++j) u_(i, j) = x_(i, j) * T(metric_.diagonal[j]);
  }

  void fill_kernel() {
    const PointPanels<T> points = pack_points<T>(std::as_const(u_).view().slice(0, n1_));
    in_pieces(on_.threads, n_, kPieceRows, [&](std::size_t begin, std::size_t count) {
      const RadialEntries<T> piece = entries_.slice(begin, count);
      on_.ops.radial_entries(std::as_const(u_).view().slice(begin, count), points, metric_.q, piece);
      std::copy_n(piece.k.data, count * n1_, &K_(begin, 0));
    });
  }

  // D^1/2 K D^1/2 + lambda n I: rows of weight 0 stand apart.
  RefinedCholesky factor() {
    TiledSymmetric<double> A(n1_, kTile, on_.threads);
    on_.threads.run(A.tile_count(), [&](std::size_t piece, int) {
      const auto [I, J] = tile_index(piece);
      const MatrixView<double> tile = A.block(I, J);
      for (std::size_t i = 0; i < tile.rows; ++i)
        for (std::size_t j = 0; j < tile.cols; ++j) {
          const std::size_t r = I * kTile + i, s = J * kTile + j;
          tile(i, j) =
              0.5 * roots_[r] * roots_[s] * (K_(r, s) + K_(s, r)) + (r == s ? metric_.lambda * double(n1_) : 0);
        }
    });
    for (double jitter = kRounding * double(n1_);; jitter *= 100) {
      RefinedCholesky L(A.copy(on_.threads), jitter, kLeftOver<T>, on_.threads);
      if (!L.failed_column() || jitter > double(n1_)) return L;
    }
  }

  double log_error() const {
    return portable_log(std::max(squares_ / (scored_weight_ * double(c_)), std::numeric_limits<double>::min()));
  }

  // alpha and r, the latter as rho, which is not divided yet. Returns D^-1/2 alpha.
  Matrix<double> fit(RefinedCholesky& L) {
    alpha_ = Matrix<double>(n1_, c_);
    std::copy_n(y_.data(), n1_ * c_, alpha_.data());
    times_roots(alpha_);
    L.solve(alpha_.view(), on_.threads);
    Matrix<double> half = alpha_;
    times_roots(alpha_);
    rho_ = Matrix<double>(n_ - n1_, c_);
    in_pieces(on_.threads, rho_.rows(), kPieceRows, [&](std::size_t first, std::size_t count) {
      fixed_order::multiply(columns(K_, n1_ + first, count, 0, n1_), std::as_const(alpha_).view(),
                            rho_.view().slice(first, count));
    });
    for (std::size_t i = n1_; i < n_; ++i)
      for (std::size_t k = 0; k < c_; ++k) {
        const double r = y_(i, k) - rho_(i - n1_, k);
        rho_(i - n1_, k) = 2 * w_[i] * r;
        squares_ += w_[i] * r * r;
      }
    squares_ = std::max(squares_, std::numeric_limits<double>::min());
    return half;
  }

  void fit_slopes(RefinedCholesky& L, const Matrix<double>& half) {
    for (std::size_t i = 0; i < rho_.rows() * c_; ++i) rho_.data()[i] /= squares_;
    beta_ = Matrix<double>(n1_, c_);
    in_pieces(on_.threads, n1_, kTile, [&](std::size_t first, std::size_t count) {  // K_b'rho
      fixed_order::transposed_multiply(columns(K_, n1_, rho_.rows(), first, count), std::as_const(rho_).view(),
                                       beta_.view().slice(first, count));
    });
    times_roots(beta_);
    L.solve(beta_.view(), on_.threads);
    for (std::size_t i = 0; i < n1_ * c_; ++i) by_lambda_ += half.data()[i] * beta_.data()[i];
    times_roots(beta_);
  }

  void times_roots(Matrix<double>& m) const {
    for (std::size_t i = 0; i < m.rows(); ++i)
      for (std::size_t k = 0; k < m.cols(); ++k) m(i, k) *= roots_[i];
  }

  // R = (h + g) x / 2 - H z for each row, h and g the sums of H over rows and columns: the gradient by W is
  // 2 (X'R + R'X) W.
  void slopes(FlowGradient& g) {
    Matrix<T> left(n_, c_), right(n1_, c_);  // Omega = left right'
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < c_; ++k) left(i, k) = T(i < n1_ ? beta_(i, k) : -rho_(i - n1_, k));
    for (std::size_t i = 0; i < n1_ * c_; ++i) right.data()[i] = T(alpha_.data()[i]);
    const PointPanels<T> packed_right = pack_points<T>(std::as_const(right).view());
    const std::size_t pieces = (n_ + kPieceRows - 1) / kPieceRows;
    Matrix<double> column_sums(pieces, n1_);
    std::vector<double> h(n_), by_exponent(n_);
    Matrix<T> Hz(n_, d_);
    in_pieces(on_.threads, n_, kPieceRows, [&](std::size_t begin, std::size_t count) {
      Matrix<T> H(count, n1_);
      on_.ops.radial_slope(entries_.slice(begin, count), metric_.q,
                           {left.view().slice(begin, count), packed_right, H.view(), &h[begin], &by_exponent[begin]});
      double* sums = &column_sums(begin / kPieceRows, 0);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < n1_; ++j) sums[j] += double(H(i, j));
      on_.ops.multiply(std::as_const(H).view(), std::as_const(x_).view().slice(0, n1_), T(0),
                       Hz.view().slice(begin, count));
    });
    for (const double s : by_exponent) g.q += s;
    for (std::size_t p = 0; p < pieces; ++p)
      for (std::size_t j = 0; j < n1_; ++j) h[j] += column_sums(p, j);
    Matrix<double> R(n_, d_), X(n_, d_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < d_; ++j) {
        X(i, j) = double(x_(i, j));
        R(i, j) = 0.5 * h[i] * X(i, j) - double(Hz(i, j));
      }
    by_metric(g, X, R);
  }

  void by_metric(FlowGradient& g, const Matrix<double>& X, const Matrix<double>& R) {
    if (!metric_.diagonal.empty()) {
      g.metric.assign(d_, 0.0);
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < d_; ++j) g.metric[j] += X(i, j) * R(i, j);
      for (std::size_t j = 0; j < d_; ++j) g.metric[j] *= 4 * metric_.diagonal[j] * metric_.diagonal[j];
      return;
    }
    Matrix<double> B(d_, d_), G(d_, d_), gradient(d_, d_);
    in_pieces(on_.threads, d_, kTile / 4, [&](std::size_t first, std::size_t count) {  // X'R
      fixed_order::transposed_multiply(columns(X.view(), 0, n_, first, count), R.view(), B.view().slice(first, count));
    });
    for (std::size_t i = 0; i < d_; ++i)
      for (std::size_t j = 0; j < d_; ++j) G(i, j) = 2 * (B(i, j) + B(j, i));
    in_pieces(on_.threads, d_, kTile / 4, [&](std::size_t first, std::size_t count) {
      fixed_order::multiply(std::as_const(G).view().slice(first, count), metric_.full.view(),
                            gradient.view().slice(first, count));
    });
    g.metric.assign(gradient.data(), gradient.data() + d_ * d_);
  }

  const Workers& on_;
  const Metric& metric_;
  std::size_t n1_, n_, d_, c_;
  Matrix<T> x_, u_;
  Matrix<double> y_;
  std::vector<double> w_, roots_;  // roots: of the weights of the fitted rows
  double scored_weight_ = 0, squares_ = 0, by_lambda_ = 0;
  MatrixView<double> K_;
  RadialEntries<T> entries_;
  Matrix<double> alpha_, beta_, rho_;
};

}  // namespace

template <class T>
FlowGradient flow_gradient(const Workers& on, const FlowRows& rows, std::span<const std::uint32_t> drawn,
                           const FlowBatch& batch, const Metric& metric, FlowRoom<T>* room) {
  FlowRoom<T> own;
  return Step<T>(on, rows, drawn, batch, metric, room ? *room : own).run();
}

double flow_loss(const Workers& on, const FlowRows& rows, std::span<const std::uint32_t> drawn, const FlowBatch& batch,
                 const Metric& metric) {
  FlowRoom<float> room;
  return Step<float>(on, rows, drawn, batch, metric, room).loss();
}

template FlowGradient flow_gradient<float>(const Workers&, const FlowRows&, std::span<const std::uint32_t>,
                                           const FlowBatch&, const Metric&, FlowRoom<float>*);
template FlowGradient flow_gradient<double>(const Workers&, const FlowRows&, std::span<const std::uint32_t>,
                                            const FlowBatch&, const Metric&, FlowRoom<double>*);

}  // namespace bochner
