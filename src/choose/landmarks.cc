// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/landmarks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/finite.h"
#include "base/pieces.h"
#include "base/require.h"
#include "maps/nystroem.h"
#include "random/draw.h"
#include "run/host.h"
#include "run/make_nystroem.h"
#include "solve/cholesky.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

using Choice = NystroemOptions::Choice;

constexpr std::size_t kTile = 128;  // rows one thread takes at a time, whatever the number of threads
constexpr std::size_t kLeverageRows = 2000, kMostLeverageRows = 4096;
constexpr std::size_t kPivotRows = 5000;
constexpr int kMostTries = 6;

// Kernel values among rows of the sample, in double.
class KernelOf {
 public:
  KernelOf(const Backend& on, MatrixView<const float> x, const Kernel& kernel)
      : on_(on), kernel_(kernel), x_(x), rows_(x.rows, x.cols) {
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, &rows_(i, 0));
  }

  Landmarks<double> pack(const std::vector<std::size_t>& columns) const {
    Matrix<float> y(columns.size(), x_.cols);
    for (std::size_t c = 0; c < columns.size(); ++c) std::copy_n(x_.row(columns[c]), x_.cols, &y(c, 0));
    return kernel_landmarks<double>(kernel_, y.view());
  }
  void values(std::size_t begin, std::size_t count, const Landmarks<double>& y, MatrixView<double> k) const {
    kernel_rows(on_, kernel_, RowBlock<double>::dense(rows_.view().slice(begin, count)), y, k);
  }

 private:
  const Backend& on_;
  const Kernel& kernel_;
  MatrixView<const float> x_;
  Matrix<double> rows_;
};

std::vector<std::size_t> first_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t(0));
  return rows;
}

// l_i(mu) = [K (K + mu I)^-1]_ii = 1 - mu [(K + mu I)^-1]_ii.
std::vector<double> leverage_scores(const TiledSymmetric<double>& K, double mu, Threads& threads) {
  const Cholesky factor(K, mu, threads, Cholesky::Arithmetic::same_bits);
  if (factor.failed_column()) return std::vector<double>(K.size(), 1.0);  // mu is below rounding: every row counts
  std::vector<double> scores = factor.inverse_diagonal(threads);
  for (double& score : scores) score = std::clamp(1 - mu * score, 0.0, 1.0);
  return scores;
}

// Exact ridge leverage scores of the first rows, m of which are drawn without replacement, each step in proportion to
// the scores: the m smallest of exponential(1) / l_i. mu falls from n / m, where the scores sum to at most m, by
// hundreds until they sum to half of it, so that the landmarks go where the kernel has that many directions.
std::vector<std::size_t> by_leverage(MatrixView<const float> sample, const NystroemOptions& options, Threads& threads) {
  const std::size_t n = std::min(sample.rows, landmark_rows(options)), m = options.landmarks;
  if (n <= m) return first_rows(n);
  const KernelOf kernel(host_backend(), sample.slice(0, n), options.kernel);
  const Landmarks<double> all = kernel.pack(first_rows(n));
  TiledSymmetric<double> K(n, kTile);
  threads.run(K.tiles_per_side(), [&](std::size_t I, int) {
    Matrix<double> k(K.extent(I), n);
    kernel.values(I * kTile, K.extent(I), all, k.view());
    for (std::size_t J = 0; J <= I; ++J)
      for (std::size_t i = 0; i < K.extent(I); ++i) std::copy_n(&k(i, J * kTile), K.extent(J), K.block(I, J).row(i));
  });
  std::vector<double> scores;
  double mu = double(n) / double(m);
  for (int tried = 0; tried < kMostTries; ++tried, mu /= 100) {
    scores = leverage_scores(K, mu, threads);
    if (std::accumulate(scores.begin(), scores.end(), 0.0) >= 0.5 * double(m)) break;
  }
  std::vector<std::pair<double, std::size_t>> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = {exponential(options.seed, Draw::landmark, i) / std::max(scores[i], 1e-300), i};
  std::sort(keys.begin(), keys.end());
  std::vector<std::size_t> chosen(m);
  for (std::size_t c = 0; c < m; ++c) chosen[c] = keys[c].second;
  return chosen;
}

// Randomly pivoted Cholesky: K ~ F^T F, each pivot drawn in proportion to the residual diagonal d = diag(K - F^T F).
// Proposals come in blocks, and each is kept with the probability that the ones kept before leave of its residual, so
// that the pivots have the law of the plain algorithm at the speed of matrix products.
// Epperly, Tropp, Webber, "Embrace rejection", 2024, Algorithm 2.
class PivotedCholesky {
 public:
  PivotedCholesky(MatrixView<const float> x, const NystroemOptions& options, Threads& threads)
      : kernel_(host_backend(), x, options.kernel),
        n_(x.rows),
        m_(options.landmarks),
        block_(std::clamp<std::size_t>(options.landmarks / 8, 8, 120)),
        tolerance_(options.tolerance),
        seed_(options.seed),
        threads_(threads),
        F_(options.landmarks, n_),
        d_(n_, 1.0) {}

  std::vector<std::size_t> run() {
    for (std::uint64_t round = 0; pivots_.size() < m_; ++round) {
      std::vector<std::size_t> proposed = propose(round);
      if (proposed.empty()) break;
      const Matrix<double> H = residual_among(proposed);
      std::vector<std::size_t> kept;
      const Matrix<double> U = reject(H, round, proposed, kept);
      if (!kept.empty()) extend(kept, U);
    }
    return std::move(pivots_);
  }

 private:
  // Rows in proportion to d, with replacement; none when nothing is left to explain.
  std::vector<std::size_t> propose(std::uint64_t round) const {
    std::vector<double> cumulative(n_);
    std::partial_sum(d_.begin(), d_.end(), cumulative.begin());
    if (*std::max_element(d_.begin(), d_.end()) <= tolerance_) return {};
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < block_; ++i) {
      const double u = uniform(seed_, Draw::landmark, round, i) * cumulative.back();
      const auto at = std::upper_bound(cumulative.begin(), cumulative.end(), u);
      rows.push_back(std::min<std::size_t>(std::size_t(at - cumulative.begin()), n_ - 1));
    }
    return rows;
  }

  // The columns S of the rows of F made so far.
  Matrix<double> columns(const std::vector<std::size_t>& S) const {
    Matrix<double> some(pivots_.size(), S.size());
    for (std::size_t p = 0; p < some.rows(); ++p)
      for (std::size_t i = 0; i < S.size(); ++i) some(p, i) = F_(p, S[i]);
    return some;
  }

  // H = K(S, S) - F(:, S)^T F(:, S).
  Matrix<double> residual_among(const std::vector<std::size_t>& S) const {
    const std::size_t b = S.size();
    const Landmarks<double> y = kernel_.pack(S);
    Matrix<double> H(b, b);
    for (std::size_t i = 0; i < b; ++i) kernel_.values(S[i], 1, y, {&H(i, 0), 1, b, b});
    if (pivots_.empty()) return H;
    const Matrix<double> G = columns(S);
    fixed_order::subtract_product(G.view(), G.view(), H.view());
    return H;
  }

  // Goes through the proposals in order; returns the transpose of the Cholesky factor of those it keeps.
  Matrix<double> reject(Matrix<double> H, std::uint64_t round, const std::vector<std::size_t>& S,
                        std::vector<std::size_t>& kept) const {
    const std::size_t b = S.size(), most = m_ - pivots_.size();
    std::vector<double> first(b);
    for (std::size_t i = 0; i < b; ++i) first[i] = H(i, i);
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < b && kept.size() < most; ++i) {
      const double left = H(i, i);
      if (!(left > tolerance_) || uniform(seed_, Draw::landmark, round, i, 1) * first[i] > left) continue;
      // Column i of the factor, and what it leaves of the proposals after it.
      const double root = std::sqrt(left);
      for (std::size_t k = i; k < b; ++k) H(k, i) /= root;
      for (std::size_t k = i + 1; k < b; ++k)
        for (std::size_t l = i + 1; l <= k; ++l) H(k, l) -= H(k, i) * H(l, i);
      at.push_back(i);
      kept.push_back(S[i]);
    }
    Matrix<double> U(kept.size(), kept.size());
    for (std::size_t r = 0; r < at.size(); ++r)
      for (std::size_t c = 0; c <= r; ++c) U(c, r) = H(at[r], at[c]);
    return U;
  }

  // F gets the rows L^-1 G with G = K(T, :) - F(:, T)^T F, and d loses their squares.
  void extend(const std::vector<std::size_t>& T, const Matrix<double>& U) {
    const std::size_t r = pivots_.size(), t = T.size();
    const Landmarks<double> y = kernel_.pack(T);
    const Matrix<double> at_pivots = columns(T);
    in_pieces(threads_, n_, kTile, [&](std::size_t begin, std::size_t count) {
      const MatrixView<double> G{&F_(r, begin), t, count, n_};
      Matrix<double> k(count, t);
      kernel_.values(begin, count, y, k.view());
      for (std::size_t c = 0; c < t; ++c)
        for (std::size_t i = 0; i < count; ++i) G(c, i) = k(i, c);
      if (r > 0)
        fixed_order::subtract_product(at_pivots.view(), MatrixView<const double>{&F_(0, begin), r, count, n_}, G);
      fixed_order::solve_lower(U.view(), G);
      for (std::size_t c = 0; c < t; ++c)
        for (std::size_t i = 0; i < count; ++i) d_[begin + i] = std::max(0.0, d_[begin + i] - G(c, i) * G(c, i));
    });
    for (const std::size_t pivot : T) d_[pivot] = 0;
    pivots_.insert(pivots_.end(), T.begin(), T.end());
  }

  KernelOf kernel_;
  std::size_t n_, m_, block_;
  double tolerance_;
  std::uint64_t seed_;
  Threads& threads_;
  Matrix<double> F_;  // m x n, the first pivots_.size() rows made
  std::vector<double> d_;
  std::vector<std::size_t> pivots_;
};

}  // namespace

std::size_t landmark_rows(const NystroemOptions& options) {
  const std::size_t m = options.landmarks;
  switch (options.choice) {
    case Choice::uniform:
      return m;
    case Choice::leverage:
      return std::clamp(2 * m, kLeverageRows, std::max(kMostLeverageRows, m + m / 4));
    case Choice::rpcholesky:
      return std::max(4 * m, kPivotRows);
  }
  return m;
}

std::vector<std::size_t> choose_landmarks(MatrixView<const float> sample, const NystroemOptions& options,
                                          Threads& threads) {
  require(sample.rows > 0, "nystroem: the sample has no rows, expected at least one");
  require(options.landmarks > 0, "nystroem: no landmarks, expected at least 1");
  require(options.tolerance > 0 && options.tolerance < 1, "nystroem: tolerance = {}, expected between 0 and 1",
          options.tolerance);
  // Kernel values that are no numbers leave pivots nothing to keep, for ever.
  for (std::size_t i = 0; i < sample.rows; ++i)
    require(all_finite<float>({sample.row(i), sample.cols}),
            "nystroem: row {} of the sample has an input that is not finite, or beyond the range of float; divide the "
            "input by its unit",
            i);
  switch (options.choice) {
    case Choice::uniform:
      return first_rows(std::min(options.landmarks, sample.rows));
    case Choice::leverage:
      return by_leverage(sample, options, threads);
    case Choice::rpcholesky: {
      NystroemOptions bounded = options;
      bounded.landmarks = std::min(options.landmarks, sample.rows);
      return PivotedCholesky(sample.slice(0, std::min(sample.rows, landmark_rows(options))), bounded, threads).run();
    }
  }
  return {};
}

namespace {

// Landmarks are floats: values that float cannot tell apart would all be the same.
void check_digits(MatrixView<const double> sample) {
  constexpr double kLost = 0x1p-10;  // share of the range
  for (std::size_t j = 0; j < sample.cols; ++j) {
    double low = sample(0, j), high = low, error = 0;
    for (std::size_t i = 0; i < sample.rows; ++i) {
      const double v = sample(i, j);
      low = std::min(low, v);
      high = std::max(high, v);
      if (std::isfinite(float(v))) error = std::max(error, std::abs(v - double(float(v))));
    }
    require(high == low || error <= kLost * (high - low),
            "nystroem: input {} goes from {} to {}, so far from zero that landmarks, which are floats, lose its "
            "differences; subtract an offset first",
            j, low, high);
  }
}

}  // namespace

MapPtr nystroem(MatrixView<const double> sample, const NystroemOptions& options, const Execution& execution) {
  if (sample.rows > 0) check_digits(sample);
  Matrix<float> rows(std::min(sample.rows, landmark_rows(options)), sample.cols);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    std::transform(sample.row(i), sample.row(i) + sample.cols, &rows(i, 0), [](double v) { return float(v); });
  Threads threads(execution);
  const std::vector<std::size_t> chosen = choose_landmarks(rows.view(), options, threads);
  Matrix<float> landmarks(chosen.size(), rows.cols());
  for (std::size_t c = 0; c < chosen.size(); ++c) std::copy_n(&rows(chosen[c], 0), rows.cols(), &landmarks(c, 0));
  return make_nystroem(host_backend(), options.kernel, landmarks, options.tolerance,
                       landmark_choice_name(options.choice));
}

}  // namespace bochner
