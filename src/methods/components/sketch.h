// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/workers.h"
#include "base/aligned.h"
#include "bochner/archive.h"
#include "bochner/fold.h"
#include "bochner/matrix.h"

namespace bochner {

// What rows are held against in one pass.
struct SketchBasis {
  std::size_t cols = 0;           // d
  Matrix<double> q = {};          // d x l, columns of length 1
  std::vector<double> mean = {};  // m, one per column; empty: 0
  double total = 0;               // sum |x|^2 of all rows, of every part: it bounds the sums
  bool sparse = false;            // whether rows are CSR
  bool images = true;             // whether W is wanted, and not only H
  bool wide = false;              // products of dense float rows in double
  // Instead of q: u of every row by its number, n x l, columns of length 1. Then W = sum a u^T, and there is no H.
  Matrix<double> coordinates = {};

  std::size_t directions() const { return q.cols() ? q.cols() : coordinates.cols(); }
};

// Two sums over a = x - m of every row, in one pass:
//   W = sum a (a^T q) = A^T A q,   d x l,   and   H = sum (q^T a) (q^T a)^T,   l x l.
// The first is the sketch of the covariance that a one-pass factor is made of, and one step of a power or Krylov
// method, without the n x l matrix A q that those hold. The second is q^T W, found from the coordinates: a small
// eigenvalue of it is not lost beside a large one, as in the product with the rounded W.
//
// Sums in 64-bit fixed point, as those of GramFold: the same bits for any threads, blocks, parts or merge order. CSR
// rows are centred in their coordinates a^T q alone, so that they cost what they hold.
class SketchFold {
 public:
  explicit SketchFold(std::shared_ptr<const SketchBasis> basis);

  template <class T>
  void add(const Workers& on, const RowBlock<T>& rows);
  void merge(const SketchFold& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const SketchFold& other) const;

  std::uint64_t rows() const { return rows_; }
  Matrix<double> image(Threads& threads) const;  // W
  Matrix<double> ritz() const;                   // H
  // What a fold over d columns and l directions holds, without and with W.
  static double bytes(std::size_t cols, std::size_t directions, bool images);

 private:
  // C: what the products are formed in.
  template <class C, class T>
  void add_dense(const Workers& on, const RowBlock<T>& x, MatrixView<const C> q);
  template <class T>
  void add_csr(const Workers& on, const RowBlock<T>& x);
  // u of rows begin .. begin + count of a CSR block.
  template <class T>
  void coordinates_csr(const RowBlock<T>& x, std::size_t begin, std::size_t count, double* u) const;
  bool given() const { return basis_->coordinates.cols() > 0; }
  void add_coordinates(const Workers& on, const std::vector<std::size_t>& edges, MatrixView<const double> u);

  std::shared_ptr<const SketchBasis> basis_;
  Matrix<float> q_;             // for products in float
  std::vector<double> center_;  // q^T m
  double per_unit_, drift_per_unit_;
  std::uint64_t rows_ = 0;
  Matrix<std::int64_t> image_;       // l x d where rows are dense, d x l where they are CSR
  Matrix<std::int64_t> ritz_;        // l x l
  std::vector<std::int64_t> drift_;  // sum q^T a, which is 0 but for rounding
};

}  // namespace bochner
