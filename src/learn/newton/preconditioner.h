// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/newton/hessian_factor.h"
#include "learn/newton/losses.h"
#include "learn/newton/sparse_design.h"

namespace bochner {

// What Newton's systems (A + Z^T psi'' Z) p = -g are preconditioned by, A the penalty. It may stay between calls: what
// follows is close enough to an earlier point.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  // Decides what to use at a new point for these outputs. intercept_penalty: that of the constant.
  virtual void prepare(const Loss& loss, const Matrix<double>& state, std::span<const std::size_t> outputs,
                       double intercept_penalty) = 0;
  // Makes what was decided on, if it is not there: a resumed run comes past much that it does not need.
  virtual void make(std::span<const std::size_t> outputs) = 0;
  // Every row of r, of the output named, becomes M^-1 r.
  virtual void solve(Matrix<double>& r, std::span<const std::size_t> outputs) const = 0;

  // A product with the Hessian of these outputs was made, curved[k] rows of output k.
  virtual void count_product(std::span<const double> curved, std::span<const std::size_t> outputs) = 0;
  // What was counted, for the log of a checkpoint: always as many numbers.
  virtual std::vector<double> counted() const = 0;
  virtual void set_counted(const double* numbers) = 0;
  virtual std::size_t counters(std::size_t outputs) const = 0;
  int factors() const { return factors_; }  // Hessians factored in all

 protected:
  int factors_ = 0;
};

// Preconditions dense features: an output with few curved rows gets a factor of its own; the rest share one of the mean
// Hessian.
class FactoredPreconditioner final : public Preconditioner {
 public:
  FactoredPreconditioner(const DenseDesign& z, std::uint64_t seed) : z_(z), seed_(seed) {}

  void prepare(const Loss& loss, const Matrix<double>& state, std::span<const std::size_t> outputs,
               double intercept_penalty) override;
  void make(std::span<const std::size_t> outputs) override;
  void solve(Matrix<double>& r, std::span<const std::size_t> outputs) const override;
  void count_product(std::span<const double> curved, std::span<const std::size_t> outputs) override;
  std::vector<double> counted() const override;
  void set_counted(const double* numbers) override;
  std::size_t counters(std::size_t outputs) const override { return outputs + 1; }

  // Rows beyond which an output has no factor of its own, of so many outputs.
  static double most_rows_of_own_factor(double width, std::size_t outputs);

 private:
  const DenseDesign& z_;
  std::uint64_t seed_;
  // The factor of an earlier point, made when it is first used. spent_: multiplications of the products since.
  struct Shared {
    std::vector<double> d;
    double penalty;
    std::optional<HessianFactor> factor = {};
  };
  std::optional<Shared> shared_;
  double spent_ = 0;
  struct Own {
    bool wanted = false;
    std::vector<std::size_t> rows = {};
    std::vector<double> d = {};
    double penalty = 0;
    std::optional<FewRowsFactor> factor = {};
    double spent = 0;
  };
  std::vector<Own> own_;  // one per output
};

// Preconditions CSR features, too many for a factor: A + diag(Z^T psi'' Z) at every point anew.
class DiagonalPreconditioner final : public Preconditioner {
 public:
  explicit DiagonalPreconditioner(const SparseDesign& z) : z_(z) {}

  void prepare(const Loss& loss, const Matrix<double>& state, std::span<const std::size_t> outputs,
               double intercept_penalty) override;
  void make(std::span<const std::size_t> outputs) override;
  void solve(Matrix<double>& r, std::span<const std::size_t> outputs) const override;
  void count_product(std::span<const double>, std::span<const std::size_t>) override {}
  std::vector<double> counted() const override { return {}; }
  void set_counted(const double*) override {}
  std::size_t counters(std::size_t) const override { return 0; }

 private:
  const SparseDesign& z_;
  Matrix<double> d_;  // n x outputs: the curvature of each
  double penalty_ = 0;
  Matrix<double> diagonal_;       // outputs x length
  std::vector<std::size_t> row_;  // each output's row of diagonal_
};

}  // namespace bochner
