// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/archive.h"
#include "bochner/fold.h"
#include "bochner/matrix.h"
#include "folds/binned_sum.h"

namespace bochner {

// Centres of clusters, as products with rows want them.
struct Centres {
  explicit Centres(Matrix<double> points);

  std::size_t count() const { return points.rows(); }
  std::size_t width() const { return points.cols(); }
  // Columns begin .. begin + count of the transposed centres, width x count.
  template <class C>
  MatrixView<const C> across(std::size_t begin, std::size_t columns) const;
  template <class C>
  const C* point(std::size_t c) const;

  Matrix<double> points;        // k x width
  std::vector<double> squares;  // |c|^2

 private:
  Matrix<double> across_;
  Matrix<float> points_float_, across_float_;
};

// What rows are like whose sums are formed.
struct RowUnits {
  double unit = 1;          // feature = number * unit
  double bound = 1;         // |number| <= bound
  double weight_bound = 1;  // weights <= weight_bound
  bool whole = false;       // numbers are integers and no row has a weight: sums need no rounding at all
};

// One row that leaves a cluster for another.
template <class T>
struct Move {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  const T* z;
  double weight;
  std::uint32_t from, to;  // kNone: it comes, or goes
};

// One pass of Lloyd's algorithm (1957, 1982): every row goes to its nearest centre, the first of equals, and
//   S_j = sum w z,   W_j = sum w   over the rows of centre j,   Q = sum w |z|^2   over all.
// S_j / W_j are the next centres, and the inertia sum w |z - c|^2 is Q - 2 sum c_j . S_j + sum W_j |c_j|^2.
// Every number of a row is rounded to 64-bit fixed point and then added exactly: rows may come and go in any order, on
// any threads and in any parts.
class LloydFold {
 public:
  LloydFold(std::shared_ptr<const Centres> centres, const RowUnits& units);

  // Dense rows; T may be std::int16_t.
  template <class T>
  void add(const Workers& on, const RowBlock<T>& rows);
  void merge(const LloydFold& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const LloydFold& other) const;

  // Rows that change their cluster by somebody else's judgement.
  template <class T>
  void move(Threads& threads, std::span<const Move<T>> moves);
  void add_square(double square) { squares_.add(square); }  // w |z|^2 of a row that comes

  Matrix<double> sums() const;  // S, k x width
  std::vector<double> weights() const;
  double squares() const { return squares_.value(); }  // Q
  double inertia(const Centres& about) const;

 private:
  std::shared_ptr<const Centres> centres_;
  double unit_, per_unit_, weight_per_unit_;
  bool whole_;
  Matrix<std::int64_t> sums_;
  std::vector<std::int64_t> weights_;
  BinnedSum squares_;
};

// A kept row as the numbers of its features; |z|^2 of it.
template <class C, class T>
double widen(const T* from, std::size_t width, double unit, C* to);

// |z|^2 - 2 z . c_j + |c_j|^2 from the product z . c_j, at least 0.
inline double squared_distance(double square, double product, double centre) {
  const double d = square - 2 * product + centre;
  return d > 0 ? d : 0;
}

}  // namespace bochner
