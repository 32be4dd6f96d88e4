// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/newton.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bochner {

namespace {

constexpr int kMostProducts = 250;  // in one system
// Products that a factor of an output's own saves: one shared by several outputs fits none of them well.
constexpr double kWorthProducts = 20, kWorthProductsShared = 100;
constexpr int kMostTrials = 30;  // on one line
constexpr double kLinePrecision = 0.01;
constexpr double kDamping = 1e-7;  // of the intercept's curvature, relative to the largest it may have

double dot(const double* a, const double* b, std::size_t n) {
  double s[4] = {};
  for (std::size_t j = 0; j < n; j += 4)
    for (std::size_t l = 0; l < 4; ++l) s[l] += a[j + l] * b[j + l];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// add(begin, count, sums) over chunks of n rows, the chunks' sums added in order.
template <class Add>
std::vector<double> sum_chunks(Threads& threads, std::size_t n, std::size_t sums, const Add& add) {
  const std::size_t chunks = (n + kChunkRows - 1) / kChunkRows;
  Matrix<double> parts(chunks, sums);
  threads.run(chunks,
              [&](std::size_t c, int) { add(c * kChunkRows, std::min(kChunkRows, n - c * kChunkRows), &parts(c, 0)); });
  std::vector<double> total(sums);
  for (std::size_t c = 0; c < chunks; ++c)
    for (std::size_t s = 0; s < sums; ++s) total[s] += parts(c, s);
  return total;
}

Matrix<double> take_rows(const Matrix<double>& from, std::span<const std::size_t> rows) {
  Matrix<double> to(rows.size(), from.cols());
  for (std::size_t j = 0; j < rows.size(); ++j) std::copy_n(&from(rows[j], 0), from.cols(), &to(j, 0));
  return to;
}

}  // namespace

Newton::Newton(const FeatureRows& z, std::uint64_t seed, Threads& threads, Checkpoint* checkpoint)
    : z_(z), seed_(seed), threads_(threads), checkpoint_(checkpoint), penalty_(z.stride(), 0.0) {
  std::fill_n(penalty_.begin(), z.features(), 1.0);
}

void Newton::couple(const Loss& loss, std::vector<double>& values) const {
  if (loss.coupled()) values.assign(values.size(), std::accumulate(values.begin(), values.end(), 0.0));
}

Newton::Result Newton::evaluate(const Loss& loss, const Iterate& at, Matrix<double>& state) const {
  const std::size_t n = z_.rows(), K = at.w.rows(), D = z_.features();
  Result r;
  r.pull = Matrix<double>(n, K);
  r.value = sum_chunks(threads_, n, K, [&](std::size_t begin, std::size_t count, double* sums) {
    loss.evaluate(begin, count, &at.u(begin, 0), sums, &r.pull(begin, 0), &state(begin, 0));
  });
  r.pulled = z_.combination(threads_, r.pull);
  const std::vector<double> d = loss.mean_curvature(state);
  const double flat = std::max(std::accumulate(d.begin(), d.end(), 0.0), 1e-300);
  r.excess.resize(K);
  for (std::size_t k = 0; k < K; ++k) {
    const double* w = &at.w(k, 0);
    const double* pulled = &r.pulled(k, 0);
    r.value[k] += 0.5 * dot(w, w, z_.stride());
    if (z_.intercept()) r.value[k] -= 0.5 * w[D] * w[D];
    for (std::size_t j = 0; j < D; ++j) r.excess[k] += 0.5 * (w[j] - pulled[j]) * (w[j] - pulled[j]);
    if (z_.intercept()) r.excess[k] += 0.5 * pulled[D] * pulled[D] / flat;
  }
  couple(loss, r.value);
  couple(loss, r.excess);
  return r;
}

// s such that 0.25 s^2 (width / 2 + s / 3) = worth 2 s width.
double Newton::most_rows_of_own_factor(double width, std::size_t outputs) {
  const double c = 8 * (outputs > 1 ? kWorthProductsShared : kWorthProducts);
  return 1.5 * width * (std::sqrt(0.25 + 4 * c / (3 * width)) - 0.5);
}

// An output with few curved rows gets a factor of its own; the rest share one of the mean Hessian. Either is made
// anew once the products since the last time cost as much as that.
// A multiplication in a Gram product or a factorization counts a quarter of one in a pass over the rows, which waits
// for memory.
void Newton::prepare(const Loss& loss, const Matrix<double>& state, std::span<const std::size_t> outputs) {
  const double width = double(z_.width());
  own_.resize(state.cols());
  if (!loss.coupled()) {
    const double worth = outputs.size() > 1 ? kWorthProductsShared : kWorthProducts;
    threads_.run(outputs.size(), [&](std::size_t j, int) {
      Own& own = own_[outputs[j]];
      std::vector<std::size_t> rows;
      std::vector<double> d;
      for (std::size_t i = 0; i < state.rows(); ++i)
        if (state(i, outputs[j]) > 0) {
          rows.push_back(i);
          d.push_back(state(i, outputs[j]));
        }
      const double s = double(rows.size()), cost = 0.25 * FewRowsFactor::cost(s, width);
      if (cost > worth * 2 * s * width)
        own = Own{.spent = own.spent};
      else if (!own.wanted || own.spent >= cost)
        own = Own{true, std::move(rows), std::move(d), intercept_penalty()};
    });
  }
  if (std::all_of(outputs.begin(), outputs.end(), [&](std::size_t k) { return own_[k].wanted; })) return;
  const std::vector<double> d = loss.mean_curvature(state);
  const double used = double(std::count_if(d.begin(), d.end(), [](double v) { return v > 0; }));
  const double cost = 0.25 * width * width * (std::min(used, 3 * width) / 2 + width / 3) + used * width;
  if (shared_ && spent_ < cost) return;
  shared_ = Shared{d, intercept_penalty()};
  spent_ = 0;
  ++factors_;
}

void Newton::make_factors(std::span<const std::size_t> outputs) {
  threads_.run(outputs.size(), [&](std::size_t j, int) {
    Own& own = own_[outputs[j]];
    if (!own.wanted || own.factor) return;
    std::vector<double> penalty(z_.stride(), 0.0);
    std::fill_n(penalty.begin(), z_.features(), 1.0);
    if (z_.intercept()) penalty[z_.features()] = own.penalty;
    own.factor.emplace(z_, own.rows, own.d, penalty);
  });
  const auto shares = [&](std::size_t k) { return !own_[k].wanted; };
  if (shared_ && !shared_->factor && std::any_of(outputs.begin(), outputs.end(), shares))
    shared_->factor.emplace(z_, shared_->d, shared_->penalty, seed_, threads_);
}

void Newton::precondition(Matrix<double>& r, std::span<const std::size_t> outputs) const {
  std::vector<std::size_t> shared;
  for (std::size_t j = 0; j < outputs.size(); ++j)
    if (!own_[outputs[j]].wanted) shared.push_back(j);
  threads_.run(outputs.size(), [&](std::size_t j, int) {
    if (own_[outputs[j]].wanted) own_[outputs[j]].factor->solve(&r(j, 0));
  });
  if (shared.empty()) return;
  Matrix<double> some = take_rows(r, shared);
  shared_->factor->solve(some);
  for (std::size_t j = 0; j < shared.size(); ++j) std::copy_n(&some(j, 0), r.cols(), &r(shared[j], 0));
}

// Preconditioned conjugate gradients on (I + Z^T psi'' Z) p = -g, for all outputs side by side.
Matrix<double> Newton::direction(const Loss& loss, const Matrix<double>& state, const Matrix<double>& gradient,
                                 std::span<const std::size_t> outputs, double precision) {
  const std::size_t S = z_.stride();
  std::vector<std::size_t> rows;
  const std::vector<double> d = loss.mean_curvature(state);
  for (std::size_t i = 0; i < d.size(); ++i)
    if (d[i] > 0) rows.push_back(i);

  std::vector<double> curved(state.cols());  // rows of each output in a product
  for (std::size_t i : rows)
    for (std::size_t k : outputs) curved[k] += state(i, k) != 0;
  std::vector<std::size_t> open(outputs.begin(), outputs.end());
  Matrix<double> solution(gradient.rows(), S), x(open.size(), S), r = take_rows(gradient, open);
  for (std::size_t j = 0; j < open.size() * S; ++j) r.data()[j] = -r.data()[j];
  const auto dots = [&](const Matrix<double>& a, const Matrix<double>& b) {
    std::vector<double> sums(a.rows());
    for (std::size_t k = 0; k < a.rows(); ++k) sums[k] = dot(&a(k, 0), &b(k, 0), S);
    couple(loss, sums);
    return sums;
  };
  Matrix<double> y = r;
  precondition(y, open);
  Matrix<double> p = y;
  std::vector<double> ry = dots(r, y), first = ry;

  for (int step = 0; step < kMostProducts && !open.empty(); ++step) {
    Matrix<double> hp = z_.normal_product(
        threads_, p, {rows, open, state},
        [&](std::span<const std::size_t> some, double* q) { loss.curvature(some, state, open, q, q); });
    ++products_;
    for (std::size_t k : open) {  // the product and the preconditioner
      if (own_[k].wanted)
        own_[k].spent += 4 * curved[k] * double(S);
      else
        spent_ += (2 * curved[k] + double(S)) * double(S);
    }
    for (std::size_t k = 0; k < open.size(); ++k)
      for (std::size_t j = 0; j < S; ++j) hp(k, j) += penalty_[j] * p(k, j);
    const std::vector<double> php = dots(p, hp);
    for (std::size_t k = 0; k < open.size(); ++k) {
      const double alpha = php[k] > 0 ? ry[k] / php[k] : 0;
      for (std::size_t j = 0; j < S; ++j) {
        x(k, j) += alpha * p(k, j);
        r(k, j) -= alpha * hp(k, j);
      }
    }
    y = r;
    precondition(y, open);
    const std::vector<double> next = dots(r, y);
    std::vector<std::size_t> stay, still_open;
    std::vector<double> stay_ry, stay_first;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const bool done = !(next[k] > precision * precision * first[k]) || !(php[k] > 0);
      if (done || step + 1 == kMostProducts) {
        std::copy_n(&x(k, 0), S, &solution(open[k], 0));
        continue;
      }
      const double beta = next[k] / ry[k];
      for (std::size_t j = 0; j < S; ++j) p(k, j) = y(k, j) + beta * p(k, j);
      stay.push_back(k);
      still_open.push_back(open[k]);
      stay_ry.push_back(next[k]);
      stay_first.push_back(first[k]);
    }
    if (stay.size() < open.size()) {
      x = take_rows(x, stay);
      r = take_rows(r, stay);
      p = take_rows(p, stay);
      open = still_open;
    }
    ry = stay_ry;
    first = stay_first;
  }
  return solution;
}

// The t, one per output, at which F(w + t p) is least: the root of its growing slope
//   F'(t) = w.p + t p.p - sum_i pull_i(u_i + t q_i) q_i,
// by the secant within a bracket (the Illinois rule).
std::vector<double> Newton::search(const Loss& loss, const Iterate& at, const Matrix<double>& p,
                                   const Matrix<double>& q, std::span<const std::size_t> outputs) const {
  const std::size_t n = z_.rows(), K = at.w.rows();
  std::vector<double> wp(K), pp(K);
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t j = 0; j < z_.features(); ++j) {
      wp[k] += at.w(k, j) * p(k, j);
      pp[k] += p(k, j) * p(k, j);
    }
  const auto slopes = [&](const std::vector<double>& t) {
    std::vector<double> sums = sum_chunks(threads_, n, K, [&](std::size_t begin, std::size_t count, double* sum) {
      thread_local std::vector<double> work;
      work.resize(3 * count * K + K);
      double *u = work.data(), *pull = u + count * K, *state = pull + count * K, *value = state + count * K;
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < K; ++k) u[i * K + k] = at.u(begin + i, k) + t[k] * q(begin + i, k);
      loss.evaluate(begin, count, u, value, pull, state);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < K; ++k) sum[k] -= pull[i * K + k] * q(begin + i, k);
    });
    for (std::size_t k = 0; k < K; ++k) sums[k] += wp[k] + t[k] * pp[k];
    couple(loss, sums);
    return sums;
  };

  std::vector<double> t(K, 0.0), low(K, 0.0), high(K, INFINITY), at_high(K, 0.0);
  std::vector<double> at_low = slopes(t);
  const std::vector<double> start = at_low;
  std::vector<int> side(K, 0);
  std::vector<bool> open(K, false);
  for (std::size_t k : outputs)
    if (start[k] < 0) {
      open[k] = true;
      t[k] = 1;
    }
  for (int trial = 0; trial < kMostTrials && std::count(open.begin(), open.end(), true) > 0; ++trial) {
    const std::vector<double> s = slopes(t);
    for (std::size_t k = 0; k < K; ++k) {
      if (!open[k]) continue;
      if (std::abs(s[k]) <= kLinePrecision * -start[k]) {
        open[k] = false;
        continue;
      }
      if (s[k] < 0) {
        const double before = low[k], before_slope = at_low[k];
        low[k] = t[k];
        at_low[k] = s[k];
        if (std::isinf(high[k])) {  // not bracketed yet: the secant, at most tenfold
          const double gain = s[k] - before_slope;
          t[k] = std::min(gain > 0 ? t[k] - s[k] * (t[k] - before) / gain * 1.1 : INFINITY, 10 * t[k]);
          continue;
        }
        if (side[k] < 0) at_high[k] /= 2;
        side[k] = -1;
      } else {
        high[k] = t[k];
        at_high[k] = s[k];
        if (side[k] > 0) at_low[k] /= 2;
        side[k] = 1;
      }
      t[k] = (low[k] * at_high[k] - high[k] * at_low[k]) / (at_high[k] - at_low[k]);
    }
  }
  return t;
}

Newton::Result Newton::minimize(const Loss& loss, Iterate& at, std::span<const std::size_t> outputs,
                                const Enough& enough, int most_steps, const Watch& watch) {
  const std::size_t n = z_.rows(), K = at.w.rows(), S = z_.stride();
  Matrix<double> state(n, K);
  Result r = evaluate(loss, at, state);
  if (z_.intercept()) penalty_[z_.features()] = kDamping * loss.most_curvature();
  const std::vector<double> first = r.excess;
  for (int step = 0;; ++step) {
    std::vector<std::size_t> open;
    double furthest = 0, done = 1;
    for (std::size_t k : outputs)
      if (const double target = enough(k, r.value[k]); !(r.excess[k] <= target)) {
        open.push_back(k);
        done = std::min(done, std::log(first[k] / r.excess[k]) / std::log(first[k] / target));
        furthest = std::max(furthest, std::sqrt(r.excess[k] / std::max(first[k], r.excess[k])));
      }
    if (loss.coupled() && !open.empty()) open.assign(outputs.begin(), outputs.end());
    const bool finite =
        std::all_of(open.begin(), open.end(), [&](std::size_t k) { return std::isfinite(r.value[k] + r.excess[k]); });
    r.converged = open.empty();
    if (watch) watch(std::clamp(done, 0.0, 1.0));
    if (open.empty() || step == most_steps || !finite) return r;
    ++steps_;

    prepare(loss, state, open);
    Matrix<double> gradient(K, S);
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < S; ++j) gradient(k, j) = (j < z_.features() ? at.w(k, j) : 0.0) - r.pulled(k, j);
    const double precision = std::clamp(std::sqrt(furthest), 0.01, 0.1);
    // t, p and what the products cost.
    Matrix<double> p, q;
    const std::vector<double> made = logged(checkpoint_, "newton step", 2 * K + K * S + 2, [&] {
      make_factors(open);
      p = direction(loss, state, gradient, open, precision);
      q = z_.scores(threads_, p);
      std::vector<double> numbers = search(loss, at, p, q, open);
      numbers.insert(numbers.end(), p.data(), p.data() + K * S);
      for (const Own& own : own_) numbers.push_back(own.spent);
      numbers.insert(numbers.end(), {spent_, double(products_)});
      return numbers;
    });
    const double* t = made.data();
    if (p.rows() == 0) {  // from the log
      p = Matrix<double>(K, S);
      std::copy_n(t + K, K * S, p.data());
      q = z_.scores(threads_, p);
      for (std::size_t k = 0; k < K; ++k) own_[k].spent = t[K + K * S + k];
      spent_ = t[2 * K + K * S];
      products_ = int(t[2 * K + K * S + 1]);
    }
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < S; ++j) at.w(k, j) += t[k] * p(k, j);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < K; ++k) at.u(i, k) += t[k] * q(i, k);
    r = evaluate(loss, at, state);
  }
}

}  // namespace bochner
