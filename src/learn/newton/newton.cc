// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/newton.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/newton/line_roots.h"
#include "run/logged.h"
#include "solve/pcg.h"

namespace bochner {

namespace {

constexpr int kMostProducts = 250;  // products for one system
constexpr double kDamping = 1e-7;   // damping of the intercept, relative to the largest curvature it may have

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

Newton::Newton(const Design& z, std::uint64_t seed, Checkpoint* checkpoint)
    : z_(z), threads_(z.threads()), checkpoint_(checkpoint), preconditioner_(z.preconditioner(seed)) {}

void Newton::couple(const Loss& loss, std::vector<double>& values) const {
  if (loss.coupled()) values.assign(values.size(), std::accumulate(values.begin(), values.end(), 0.0));
}

Newton::Result Newton::evaluate(const Loss& loss, const Iterate& at, Matrix<double>& state) const {
  const std::size_t n = z_.rows(), K = at.w.rows(), D = z_.features();
  Result r;
  r.alpha = Matrix<double>(n, K);
  r.value = sum_chunks(threads_, n, K, [&](std::size_t begin, std::size_t count, double* sums) {
    loss.evaluate(begin, count, &at.u(begin, 0), sums, &r.alpha(begin, 0), &state(begin, 0));
  });
  r.Zt_alpha = z_.combination(r.alpha);
  const std::vector<double> d = loss.mean_curvature(state);
  const double flat = std::max(std::accumulate(d.begin(), d.end(), 0.0), 1e-300);
  r.excess.resize(K);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < D; ++j) {
      const double w = at.w(k, j), slope = w - r.Zt_alpha(k, j);
      r.value[k] += 0.5 * w * w;
      r.excess[k] += 0.5 * slope * slope;
    }
    if (z_.intercept()) {
      const double slope = r.Zt_alpha(k, z_.intercept_at());
      r.excess[k] += 0.5 * slope * slope / flat;
    }
  }
  couple(loss, r.value);
  couple(loss, r.excess);
  return r;
}

// (A + Z^T psi'' Z) p, A the penalty.
Matrix<double> Newton::hessian_product(const Loss& loss, const Matrix<double>& state, std::span<const double> d,
                                       const Matrix<double>& p, std::span<const std::size_t> outputs) {
  const std::size_t S = z_.length();
  Matrix<double> Hp = z_.normal_product(p, {d, outputs, state}, [&](std::span<const std::size_t> some, double* q) {
    loss.curvature(some, state, outputs, q, q);
  });
  ++products_;
  std::vector<double> curved(state.cols());  // rows of each output
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t k : outputs) curved[k] += d[i] > 0 && state(i, k) != 0;
  preconditioner_->count_product(curved, outputs);
  for (std::size_t k = 0; k < p.rows(); ++k) {
    for (std::size_t j = 0; j < z_.features(); ++j) Hp(k, j) += p(k, j);
    if (z_.intercept()) Hp(k, S - 1) += intercept_penalty_ * p(k, S - 1);
  }
  return Hp;
}

// Preconditioned conjugate gradients on (A + Z^T psi'' Z) p = -g: a system for each output, or one of all where they
// are coupled. A column of a system is what its outputs have, one behind the other.
Matrix<double> Newton::direction(const Loss& loss, const Matrix<double>& state, const Matrix<double>& gradient,
                                 std::span<const std::size_t> outputs, double precision) {
  const std::size_t S = z_.length(), together = loss.coupled() ? outputs.size() : 1;
  const std::vector<double> d = loss.mean_curvature(state);
  using Columns = std::vector<std::size_t>;
  const auto outputs_of = [&](const Columns& columns) {
    Columns all;
    for (const std::size_t c : columns)
      for (std::size_t m = 0; m < together; ++m) all.push_back(outputs[c * together + m]);
    return all;
  };
  const auto to_rows = [&](const Matrix<double>& x) {
    Matrix<double> rows(x.cols() * together, S);
    for (std::size_t j = 0; j < x.rows(); ++j)
      for (std::size_t c = 0; c < x.cols(); ++c) rows(c * together + j / S, j % S) = x(j, c);
    return rows;
  };
  const auto to_columns = [&](const Matrix<double>& rows) {
    Matrix<double> x(together * S, rows.rows() / together);
    for (std::size_t j = 0; j < x.rows(); ++j)
      for (std::size_t c = 0; c < x.cols(); ++c) x(j, c) = rows(c * together + j / S, j % S);
    return x;
  };

  Matrix<double> b = to_columns(take_rows(gradient, outputs));
  for (std::size_t j = 0; j < b.rows() * b.cols(); ++j) b.data()[j] = -b.data()[j];
  std::vector<double> first;
  PcgProblem problem;
  problem.multiply = [&](const Matrix<double>& p, const Columns& columns) {
    return to_columns(hessian_product(loss, state, d, to_rows(p), outputs_of(columns)));
  };
  problem.precondition = [&](Matrix<double>& r, const Columns& columns) {
    Matrix<double> rows = to_rows(r);
    preconditioner_->solve(rows, outputs_of(columns));
    r = to_columns(rows);
  };
  problem.solved = [&](const PcgStep& step, std::size_t column) {
    if (step.iteration == 0) first = step.gap;
    const auto at = std::find(step.columns.begin(), step.columns.end(), column) - step.columns.begin();
    const bool stuck = step.iteration > 0 && !(step.length[std::size_t(at)] > 0);
    return !(step.gap[column] > (step.iteration == 0 ? 0 : precision * precision * first[column])) || stuck;
  };
  const Matrix<double> x = to_rows(pcg(b, Matrix<double>(b.rows(), b.cols()), problem, kMostProducts).x);
  Matrix<double> p(gradient.rows(), S);
  for (std::size_t k = 0; k < outputs.size(); ++k) std::copy_n(&x(k, 0), S, &p(outputs[k], 0));
  return p;
}

// The t, one per output, at which F(w + t p) is least: the root of its growing slope
//   F'(t) = w.p + t p.p - sum_i alpha_i(u_i + t q_i) q_i.
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
      double *u = work.data(), *alpha = u + count * K, *state = alpha + count * K, *value = state + count * K;
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < K; ++k) u[i * K + k] = at.u(begin + i, k) + t[k] * q(begin + i, k);
      loss.evaluate(begin, count, u, value, alpha, state);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < K; ++k) sum[k] -= alpha[i * K + k] * q(begin + i, k);
    });
    for (std::size_t k = 0; k < K; ++k) sums[k] += wp[k] + t[k] * pp[k];
    couple(loss, sums);
    return sums;
  };
  return line_roots(slopes, K, outputs, loss.steep());
}

Newton::Step Newton::step(const Loss& loss, const Iterate& at, const Matrix<double>& state, const Result& r,
                          std::span<const std::size_t> outputs, double precision) {
  const std::size_t K = at.w.rows(), S = z_.length(), all = K * S;
  Matrix<double> gradient(K, S);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < z_.features(); ++j) gradient(k, j) = at.w(k, j) - r.Zt_alpha(k, j);
    if (z_.intercept()) gradient(k, S - 1) = -r.Zt_alpha(k, S - 1);
  }
  Step step;
  // t, p and what the products cost.
  const std::size_t counters = preconditioner_->counters(K);
  const std::vector<double> made = logged(checkpoint_, "newton step", K + all + counters + 1, [&] {
    preconditioner_->make(outputs);
    step.p = direction(loss, state, gradient, outputs, precision);
    step.q = z_.scores(step.p);
    std::vector<double> numbers = search(loss, at, step.p, step.q, outputs);
    numbers.insert(numbers.end(), step.p.data(), step.p.data() + all);
    const std::vector<double> counted = preconditioner_->counted();
    numbers.insert(numbers.end(), counted.begin(), counted.end());
    numbers.push_back(double(products_));
    return numbers;
  });
  const double* t = made.data();
  step.t.assign(t, t + K);
  if (step.p.rows() > 0) return step;
  step.p = Matrix<double>(K, S);
  std::copy_n(t + K, all, step.p.data());
  step.q = z_.scores(step.p);
  preconditioner_->set_counted(t + K + all);
  products_ = int(kept_count(made.back(), 0, 0x1p30));
  return step;
}

Newton::Result Newton::minimize(const Loss& loss, Iterate& at, std::span<const std::size_t> outputs,
                                const Enough& enough, int most_steps, const Watch& watch) {
  const std::size_t n = z_.rows(), K = at.w.rows();
  Matrix<double> state(n, K);
  Result r = evaluate(loss, at, state);
  if (z_.intercept()) intercept_penalty_ = kDamping * loss.most_curvature();
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

    preconditioner_->prepare(loss, state, open, intercept_penalty_);
    const Step made = this->step(loss, at, state, r, open, std::clamp(std::sqrt(furthest), 0.01, 0.1));
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < z_.length(); ++j) at.w(k, j) += made.t[k] * made.p(k, j);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < K; ++k) at.u(i, k) += made.t[k] * made.q(i, k);
    r = evaluate(loss, at, state);
  }
}

}  // namespace bochner
