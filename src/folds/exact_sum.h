// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bochner/fold.h"
#include "bochner/matrix.h"

namespace bochner {

// k sums of vectors in 64-bit fixed point: partial sums of chunks are rounded once and then added exactly, so the
// result does not depend on the order or on which thread added what. Each thread adds to a copy of its own.
class ExactSum {
 public:
  // most[r]: no entry of the r-th sum, nor of any part of it, exceeds this.
  ExactSum(std::vector<double> most, std::size_t width);

  void add(int thread, MatrixView<const double> part);  // k x width
  void merge(const ExactSum& other);
  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name);  // the saved sum has the same bounds
  bool operator==(const ExactSum& other) const;
  Matrix<double> value() const;  // k x width
  void prepare(int threads);     // before the parallel region

 private:
  Matrix<std::int64_t> total() const;

  std::vector<double> per_unit_;
  std::size_t width_;
  std::vector<Matrix<std::int64_t>> parts_;
};

}  // namespace bochner
