// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/forward_backward.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace bochner {

namespace {

constexpr double kLeastScale = 1e-200;
constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_of(double p) { return p > 0 ? std::log(p) : kNever; }

double log_sum(const std::vector<double>& values) {
  const double most = *std::max_element(values.begin(), values.end());
  if (most == kNever) return kNever;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  return most + std::log(sum);
}

// Densities of a row divided by the largest of them, and its logarithm.
double scaled_densities(const double* log_b, std::size_t S, double* b) {
  const double most = *std::max_element(log_b, log_b + S);
  for (std::size_t s = 0; s < S; ++s) b[s] = std::exp(log_b[s] - most);
  return most;
}

// alpha(t, s) = P(state s at t | rows up to t), scale[t] the factor that row t brings; none: nothing is left.
std::optional<double> scaled_forward(const Chain& chain, MatrixView<const double> log_b, Matrix<double>& b,
                                     Matrix<double>& alpha, std::vector<double>& scale) {
  const std::size_t T = log_b.rows, S = log_b.cols;
  double likelihood = 0;
  for (std::size_t t = 0; t < T; ++t) {
    const double most = scaled_densities(log_b.row(t), S, &b(t, 0));
    double* const now = &alpha(t, 0);
    if (t == 0) {
      std::copy(chain.start.begin(), chain.start.end(), now);
    } else {
      std::fill_n(now, S, 0.0);
      for (std::size_t r = 0; r < S; ++r)
        for (std::size_t s = 0; s < S; ++s) now[s] += alpha(t - 1, r) * chain.transitions(r, s);
    }
    double sum = 0;
    for (std::size_t s = 0; s < S; ++s) sum += now[s] *= b(t, s);
    if (!(sum > kLeastScale)) return std::nullopt;
    for (std::size_t s = 0; s < S; ++s) now[s] /= sum;
    scale[t] = sum;
    likelihood += most + std::log(sum);
  }
  return likelihood;
}

// log alpha(t, s), not scaled.
double log_forward(const Chain& chain, MatrixView<const double> log_b, Matrix<double>& alpha) {
  const std::size_t T = log_b.rows, S = log_b.cols;
  std::vector<double> terms(S);
  for (std::size_t s = 0; s < S; ++s) alpha(0, s) = log_of(chain.start[s]) + log_b(0, s);
  for (std::size_t t = 1; t < T; ++t)
    for (std::size_t s = 0; s < S; ++s) {
      for (std::size_t r = 0; r < S; ++r) terms[r] = alpha(t - 1, r) + log_of(chain.transitions(r, s));
      alpha(t, s) = log_sum(terms) + log_b(t, s);
    }
  for (std::size_t s = 0; s < S; ++s) terms[s] = alpha(T - 1, s);
  return log_sum(terms);
}

double log_forward_backward(const Chain& chain, MatrixView<const double> log_b, MatrixView<double> gamma,
                            MatrixView<double> transitions) {
  const std::size_t T = log_b.rows, S = log_b.cols;
  Matrix<double> alpha(T, S), beta(T, S);
  const double likelihood = log_forward(chain, log_b, alpha);
  if (!std::isfinite(likelihood)) {  // no path at all: states count alike
    for (std::size_t t = 0; t < T; ++t)
      for (std::size_t s = 0; s < S; ++s) gamma(t, s) = 1 / double(S);
    return likelihood;
  }
  std::vector<double> terms(S);
  for (std::size_t t = T - 1; t-- > 0;)
    for (std::size_t s = 0; s < S; ++s) {
      for (std::size_t r = 0; r < S; ++r) terms[r] = log_of(chain.transitions(s, r)) + log_b(t + 1, r) + beta(t + 1, r);
      beta(t, s) = log_sum(terms);
    }
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t s = 0; s < S; ++s) {
      gamma(t, s) = std::exp(alpha(t, s) + beta(t, s) - likelihood);
      for (std::size_t r = 0; t + 1 < T && r < S; ++r)
        transitions(s, r) +=
            std::exp(alpha(t, s) + log_of(chain.transitions(s, r)) + log_b(t + 1, r) + beta(t + 1, r) - likelihood);
    }
  return likelihood;
}

}  // namespace

double forward_backward(const Chain& chain, MatrixView<const double> log_b, MatrixView<double> gamma,
                        MatrixView<double> transitions) {
  const std::size_t T = log_b.rows, S = log_b.cols;
  Matrix<double> b(T, S), alpha(T, S);
  std::vector<double> scale(T), beta(S, 1.0), next(S);
  const std::optional<double> likelihood = scaled_forward(chain, log_b, b, alpha, scale);
  if (!likelihood) return log_forward_backward(chain, log_b, gamma, transitions);
  for (std::size_t s = 0; s < S; ++s) gamma(T - 1, s) = alpha(T - 1, s);
  for (std::size_t t = T - 1; t-- > 0;) {
    for (std::size_t r = 0; r < S; ++r) next[r] = b(t + 1, r) * beta[r] / scale[t + 1];
    for (std::size_t s = 0; s < S; ++s) {
      double sum = 0;
      for (std::size_t r = 0; r < S; ++r) {
        const double way = chain.transitions(s, r) * next[r];
        transitions(s, r) += alpha(t, s) * way;
        sum += way;
      }
      gamma(t, s) = alpha(t, s) * sum;
      beta[s] = sum;
    }
  }
  return *likelihood;
}

double log_evidence(const Chain& chain, MatrixView<const double> log_b) {
  Matrix<double> b(log_b.rows, log_b.cols), alpha(log_b.rows, log_b.cols);
  std::vector<double> scale(log_b.rows);
  const std::optional<double> likelihood = scaled_forward(chain, log_b, b, alpha, scale);
  return likelihood ? *likelihood : log_forward(chain, log_b, alpha);
}

std::vector<std::size_t> viterbi(const Chain& chain, MatrixView<const double> log_b) {
  const std::size_t T = log_b.rows, S = log_b.cols;
  Matrix<double> best(T, S);
  Matrix<std::size_t> from(T, S);
  for (std::size_t s = 0; s < S; ++s) best(0, s) = log_of(chain.start[s]) + log_b(0, s);
  for (std::size_t t = 1; t < T; ++t)
    for (std::size_t s = 0; s < S; ++s) {
      double most = kNever;
      for (std::size_t r = 0; r < S; ++r) {
        const double value = best(t - 1, r) + log_of(chain.transitions(r, s));
        if (value > most) most = value, from(t, s) = r;
      }
      best(t, s) = most + log_b(t, s);
    }
  std::vector<std::size_t> path(T);
  path[T - 1] = std::size_t(std::max_element(&best(T - 1, 0), &best(T - 1, 0) + S) - &best(T - 1, 0));
  for (std::size_t t = T - 1; t > 0; --t) path[t - 1] = from(t, path[t]);
  return path;
}

}  // namespace bochner
