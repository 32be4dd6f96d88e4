// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/fourier_weights.h"
#include "backend/workers.h"
#include "bochner/matrix.h"
#include "bochner/reduce.h"
#include "methods/embeddings/kernel_sum.h"
#include "methods/embeddings/kernel_sums.h"
#include "solve/lbfgs.h"

namespace bochner {

// What the methods of reduction share. Points are divided by the kernel's length scales.
struct Reduced {
  Matrix<double> points;
  std::vector<double> weights;
  std::size_t steps = 0;
};

struct ReduceTask {
  const KernelSum& mu;
  std::size_t points = 0, features = 0, starts = 0;
  std::uint64_t seed = 0;
  std::function<void()> between = {};  // called between steps; may throw
  ReduceOptions::Weights weights = ReduceOptions::Weights::free;
  bool inside = false;
  std::vector<std::pair<std::size_t, std::size_t>> indicators = {};
};

// The weights that bring sum_j beta_j k(x_j, .) nearest to mu: (K + lambda I) beta = b with b_j = mu(x_j), and what
// they capture of |mu|^2: b . beta where they are free. lambda: as small as a factorization allows.
// Weights that are not: by an active set, and captured is 2 b . beta - beta . K beta.
struct Projected {
  std::vector<double> beta;
  double captured = 0;
};
// (K + lambda I) beta = b of several b at once, points x functions.
Matrix<double> free_weights(const Matrix<double>& k, Matrix<double> b);
Projected project_weights(const Matrix<double>& k, std::span<const double> b,
                          ReduceOptions::Weights weights = ReduceOptions::Weights::free);
Projected constrained_weights(const Matrix<double>& k, std::span<const double> b, bool sum_to_one);
Matrix<double> kernel_matrix(const KernelSlope& kernel, MatrixView<const double> x);

// |mu - sum_j beta_j k(x_j, .)|^2 less |mu|^2, the weights the best for the points: variable projection (Golub &
// Pereyra 1973). As a function of the points alone, its gradient is that for fixed weights.
class ExactObjective {
 public:
  explicit ExactObjective(const KernelSum& mu, ReduceOptions::Weights weights = ReduceOptions::Weights::free)
      : mu_(mu), weights_(weights) {}
  double operator()(std::span<const double> x, std::span<double> gradient);
  const std::vector<double>& beta() const { return beta_; }

 private:
  const KernelSum& mu_;
  ReduceOptions::Weights weights_;
  std::vector<double> beta_;
};

// The same of several mu at the same points: the sum over them, each with weights of its own.
class SharedObjective {
 public:
  explicit SharedObjective(const KernelSums& mus) : mus_(mus) {}
  double operator()(std::span<const double> x, std::span<double> gradient);
  const Matrix<double>& beta() const { return beta_; }  // points x functions

 private:
  const KernelSums& mus_;
  Matrix<double> beta_;
};

// Random features of the kernel: cos and sin of m frequencies, or m shifted cosines.
class FeatureSpace {
 public:
  FeatureSpace(const Workers& on, const KernelSlope& kernel, std::size_t inputs, std::size_t features,
               std::uint64_t seed, bool shifted = false);

  std::size_t inputs() const { return omega_.cols(); }
  std::size_t features() const { return weights_.outputs(); }
  void map(MatrixView<const double> x, MatrixView<double> z) const;
  // out(j, :) = sum_k residual_k dz_k/dx at x_j, z its features.
  void pull_back(MatrixView<const double> x, MatrixView<const double> z, std::span<const double> residual,
                 MatrixView<double> out) const;
  // sum_i alpha_i z(x_i).
  std::vector<double> embed(MatrixView<const double> x, std::span<const double> alpha) const;
  const Workers& on() const { return on_; }

 private:
  const Workers& on_;
  bool shifted_;
  Matrix<double> omega_;
  FourierWeights<double> weights_, sines_;  // sines: of shifted cosines
};

// The same objective in a feature space: |mu^ - Phi beta|^2 less |mu^|^2.
class FeatureObjective {
 public:
  FeatureObjective(const FeatureSpace& space, std::vector<double> target) : space_(space), target_(std::move(target)) {}
  double operator()(std::span<const double> x, std::span<double> gradient);
  // The same for given weights, whole: |mu^ - Phi beta|^2.
  double fixed_weights(std::span<const double> x, std::span<const double> beta, std::span<double> gradient) const;
  const std::vector<double>& beta() const { return beta_; }
  Projected project(MatrixView<const double> x, double ridge) const;
  double squared_norm() const;

 private:
  const FeatureSpace& space_;
  std::vector<double> target_, beta_;
};

// std::invalid_argument unless points, weights (points x functions) and kernel fit and are finite.
void check_expansion(const Matrix<double>& points, MatrixView<const double> weights, const Kernel& kernel);
// Features of an objective: even, and no more than numbers of their frequencies are worth holding.
inline std::size_t affordable_features(double wanted, std::size_t inputs) {
  constexpr double kMostFrequencies = 1 << 24;
  return 2 * std::size_t(std::min(wanted, 2 * kMostFrequencies / double(inputs)) / 2);
}
// std::invalid_argument if a reduction of so many rows to options.points needs more memory than is allowed.
void check_reduce_memory(std::size_t rows, std::size_t inputs, std::size_t functions, const ReduceOptions& options);
// Whether so many points are taken in float.
inline bool in_float(std::size_t points) { return points > 20000; }
// Divided by the kernel's length scales.
Matrix<double> scaled(MatrixView<const double> points, const Kernel& kernel);

// Starts. Weights: not negative. Where there are fewer different points than wanted, those.
Matrix<double> cluster_centres(const Matrix<double>& x, std::span<const double> weights, std::size_t count,
                               std::uint64_t seed, std::size_t rounds);
// Points of both signs of alpha, each as many as its weights' share.
Matrix<double> start_points(const KernelSum& mu, std::size_t count, std::uint64_t seed);

Reduced reduce_jointly(const ReduceTask& task);
Reduced reduce_by_rsrf(const ReduceTask& task);
Reduced reduce_by_fixed_point(const ReduceTask& task);
Reduced reduce_by_herding(const ReduceTask& task);
Reduced reduce_by_thinning(const ReduceTask& task);
Reduced reduce_to_clusters(const ReduceTask& task);

}  // namespace bochner
