// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/workers.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"
#include "folds/exact_sum.h"
#include "folds/target_code.h"

namespace bochner {

// What the sums over kept rows have in common.
struct KeptRows {
  std::size_t features = 0;
  std::size_t width = 0;                 // numbers of a kept row
  double unit = 1;                       // feature = kept number * unit
  double bound = 1;                      // |feature| <= bound
  std::size_t rows = 0;                  // number of all rows
  double weight_bound = 1;               // weights <= weight_bound
  std::vector<std::uint64_t> held = {};  // rows that are held out, ascending
};

// R = sum w z [t, 1]^T and S = sum w [t, 1] [t, 1]^T of coded targets t, over the rows that are held out and over
// the others.
class MomentFold {
 public:
  MomentFold(KeptRows rows, TargetCode code);

  template <class T>
  void add(const Workers& on, const RowBlock<T>& z);

  struct Moments {
    Matrix<double> moment;  // features x (columns + 1)
    Matrix<double> target;  // (columns + 1) x (columns + 1)
  };
  Moments value(bool with_held) const;

  void merge(const MomentFold& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const MomentFold& other) const { return rest_ == other.rest_ && held_ == other.held_; }

 private:
  KeptRows rows_;
  TargetCode code_;
  ExactSum rest_, held_;  // width + columns + 1: R^T, then S
};

// For several vectors v at once: sum w (z - m) ((z - m) . v), i.e. Z^T W Z v about the mean m, over the rows that
// are not held out, or over those that are; and (z - m) . v of those that are.
class NormalProduct {
 public:
  enum class Over { rest, held };
  NormalProduct(const KeptRows& rows, const std::vector<double>& mean, MatrixView<const double> v,
                Over over = Over::rest);

  template <class T>
  void add(const Workers& on, const RowBlock<T>& z);

  Matrix<double> value() const;                             // features x k
  const Matrix<double>& held_out() const { return held_; }  // held rows x k

  void merge(const NormalProduct& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const NormalProduct& other) const { return sum_ == other.sum_ && held_ == other.held_; }

 private:
  template <class C>
  const Matrix<C>& directions() const;
  template <class T>
  void add_chunk(const Workers& on, const RowBlock<T>& z, std::size_t begin, std::size_t count, int thread);
  template <class T>
  void add_held(const Workers& on, const RowBlock<T>& z, std::size_t begin, std::size_t count, int thread);

  const KeptRows& rows_;
  const std::vector<double>& mean_;
  Over over_;
  std::size_t columns_;
  Matrix<double> double_;  // k x width, times unit
  Matrix<float> float_;
  std::vector<double> offset_;  // m . v
  ExactSum sum_;                // k x (width + 1): the last is sum w (z - m) . v
  Matrix<double> held_;
};

}  // namespace bochner
