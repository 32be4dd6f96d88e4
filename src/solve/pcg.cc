// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/pcg.h"

#include <algorithm>

namespace bochner {

namespace {

using Columns = std::vector<std::size_t>;

Matrix<double> columns_of(const Matrix<double>& all, const Columns& columns) {
  Matrix<double> some(all.rows(), columns.size());
  for (std::size_t j = 0; j < all.rows(); ++j)
    for (std::size_t c = 0; c < columns.size(); ++c) some(j, c) = all(j, columns[c]);
  return some;
}

// The inner product of two columns.
double dot(const Matrix<double>& a, std::size_t i, const Matrix<double>& b, std::size_t k) {
  double sum = 0;
  for (std::size_t j = 0; j < a.rows(); ++j) sum += a(j, i) * b(j, k);
  return sum;
}

// a_i += factor b_k
void add(Matrix<double>& a, std::size_t i, double factor, const Matrix<double>& b, std::size_t k) {
  for (std::size_t j = 0; j < a.rows(); ++j) a(j, i) += factor * b(j, k);
}

}  // namespace

PcgResult pcg(const Matrix<double>& b, Matrix<double> x, const PcgProblem& problem, std::size_t most_iterations,
              const Matrix<double>* product) {
  const std::size_t count = b.cols();
  PcgStep step;
  for (std::size_t k = 0; k < count; ++k) step.columns.push_back(k);
  step.length.assign(count, 0.0);
  step.gain.assign(count, 0.0);

  Matrix<double> r = b;
  if (std::any_of(x.data(), x.data() + x.rows() * count, [](double v) { return v != 0; })) {
    const Matrix<double> q = product ? *product : problem.multiply(x, step.columns);
    for (std::size_t k = 0; k < count; ++k) add(r, k, -1, q, k);  // r = b - A x
  }
  Matrix<double> p = r;
  problem.precondition(p, step.columns);  // p = M^-1 r
  for (std::size_t k = 0; k < count; ++k) step.gap.push_back(dot(r, k, p, k));

  PcgResult result{{}, {}, std::vector<std::size_t>(count), {}, std::vector<char>(count)};
  while (true) {
    Columns active;
    for (std::size_t k : step.columns) {
      step.gain[k] = dot(b, k, x, k) + dot(r, k, x, k);  // b^T x + r^T x = 2 b^T x - x^T A x
      result.iterations[k] = step.iteration;
    }
    for (std::size_t k : step.columns) {
      result.solved[k] = problem.solved(step, k);
      if (!result.solved[k]) active.push_back(k);
    }
    if (active.empty() || step.iteration == most_iterations) break;
    step.columns = active;
    step.length.assign(active.size(), 0.0);

    const Matrix<double> q = problem.multiply(columns_of(p, active), active);  // A p
    for (std::size_t c = 0; c < active.size(); ++c) {
      const std::size_t k = active[c];
      const double alpha = cg_alpha(step.gap[k], dot(p, k, q, c));  // r^T z / p^T A p
      add(x, k, alpha, p, k);                                       // x += alpha p
      add(r, k, -alpha, q, c);                                      // r -= alpha A p
      step.length[c] = alpha;
    }
    Matrix<double> z = columns_of(r, active);
    problem.precondition(z, active);  // z = M^-1 r
    for (std::size_t c = 0; c < active.size(); ++c) {
      const std::size_t k = active[c];
      const double gap = dot(r, k, z, c);
      const double beta = cg_beta(gap, step.gap[k]);
      for (std::size_t j = 0; j < p.rows(); ++j) p(j, k) = z(j, c) + beta * p(j, k);  // p = z + beta p
      step.gap[k] = gap;
    }
    ++step.iteration;
  }
  result.x = std::move(x);
  result.residual = std::move(r);
  result.gap = step.gap;
  return result;
}

}  // namespace bochner
