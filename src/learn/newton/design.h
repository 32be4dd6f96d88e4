// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "run/stream.h"

namespace bochner {

class Preconditioner;

// Z, the n x D features of a store, with a column of ones behind them where there is an intercept. Vectors of D
// numbers are length() long: the features, zeros up to the width of the store, then the intercept.
// Products are in double whatever the store keeps; the order of their additions depends on no thread, block or memory,
// so that their bits do not either.
class Design {
 public:
  virtual ~Design() = default;

  std::size_t rows() const { return shape_.rows; }
  std::size_t features() const { return shape_.features; }
  std::size_t length() const { return shape_.width + shape_.intercept; }
  bool intercept() const { return shape_.intercept; }
  std::size_t intercept_at() const { return shape_.width; }
  Threads& threads() const { return stream_.threads(); }

  std::size_t target_count() const { return stream_.schema().targets; }
  const double* targets(std::size_t i) const { return targets_.data() + i * target_count(); }
  double weight(std::size_t i) const { return weights_.empty() ? 1.0 : weights_[i]; }

  // u = Z v^T: v is k x length, u is n x k.
  virtual Matrix<double> scores(const Matrix<double>& v) const = 0;
  // a^T Z: a is n x k, the result k x length. Rows of zeros are not looked at.
  virtual Matrix<double> combination(const Matrix<double>& a) const = 0;
  // sum_i z_i^T F(z_i v^T) over rows with d_i > 0, for the outputs named (v is k x length): F turns the scores q of
  // some of the rows into r in place. Where the curvature of row and output is 0, q and r are 0.
  struct Curved {
    std::span<const double> d;  // n
    std::span<const std::size_t> outputs;
    const Matrix<double>& curvature;  // n x K, outputs names its columns
  };
  using Between = std::function<void(std::span<const std::size_t> rows, double* q)>;
  virtual Matrix<double> normal_product(const Matrix<double>& v, const Curved& over, const Between& between) const = 0;
  virtual double longest_row() const = 0;  // the largest |z_i|, without the constant; found once
  // For Newton's systems; this must outlive it.
  virtual std::unique_ptr<Preconditioner> preconditioner(std::uint64_t seed) const = 0;

 protected:
  struct Shape {
    std::size_t rows, features, width;
    bool intercept;
  };
  // The targets and weights may be filled later; the stream must outlive this.
  Design(const Stream& stream, const Shape& shape, const std::vector<double>& targets,
         const std::vector<double>& weights)
      : stream_(stream), shape_(shape), targets_(targets), weights_(weights) {}

  const Stream& stream_;

 private:
  Shape shape_;
  const std::vector<double>&targets_, &weights_;
};

}  // namespace bochner
