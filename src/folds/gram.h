// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "backend/workers.h"
#include "base/tiled_symmetric.h"
#include "bochner/archive.h"
#include "bochner/fold.h"
#include "bochner/map.h"
#include "folds/on_device.h"
#include "folds/target_code.h"

namespace bochner {

// The sums of least squares over rows with features z, coded targets t and weights w:
//   G = sum w z z^T,   R = sum w z [t, 1]^T,   S = sum w [t, 1] [t, 1]^T.
// Kept in 64-bit integers: the same bits for any threads, blocks, parts or merge order. 2^30 rows fit. Every row's term
// of R and S is rounded by itself, so any rows can be added, removed or moved to another part to the bit; so is that of
// G if products are whole or by_row.
class GramFold {
 public:
  // How the products of features are formed.
  //   rounded: products are formed in floating point. A chunk's sum of G is rounded to bound^2 / 2^33, a row's term of
  //     R to bound / 2^33.
  //   whole: sqrt(w) z is rounded to bound / 16256 (backend/whole.h) and sqrt(w) t to digits of such whole numbers
  //     (TargetDigits); the products are exact. The bits are the same on every machine, and G is the Gram matrix of
  //     real vectors, so that no lambda > 0 is too small for its factor. The rounding acts as
  //     lambda + (bound / 16256)^2 / 12 would, times the largest weight / the mean weight. float only.
  //   by_row: each row's product of two features is rounded to bound^2 / 2^33 by itself, in double: slower than BLAS.
  //   The
  //     bits are the same on every machine. |z_j| <= 512 bound.
  enum class Products { rounded, whole, by_row };
  // Those for the features of a map: whole where they are float (not wide) and bounded by the map, not by the rows
  // seen. any_rows: rows shall be removed that were not added together, so the others are by_row.
  static Products products_for(const Map* map, bool wide, bool any_rows = false);

  // bound: |z_j| <= bound; weight_bound: w <= weight_bound. threads: those that write the zeros, if given.
  GramFold(std::size_t features, double bound, TargetCode code, double weight_bound = 1,
           Products products = Products::rounded, Threads* threads = nullptr);
  GramFold copy(Threads& threads);  // made by all threads

  // Dense features with their targets. Adding runs on all threads, each on its own tiles.
  template <class T>
  void add(const Workers& on, const RowBlock<T>& z);
  // The same of what a map makes of rows, where products are whole: a few rows at a time are mapped, made whole and
  // packed while they are in the cache, and features are never written for all rows of a block. see(begin, z) gets the
  // features of the rows from `begin` on too, on any thread. Where the map puts out CSR, only the products of what is
  // not 0 are formed, which gives the same integers.
  using See = std::function<void(std::size_t begin, MatrixView<const float> z)>;
  bool adds_unmapped() const { return products_ == Products::whole; }
  void add_unmapped(const Workers& on, const Map& map, const RowBlock<float>& x, const See& see = {});
  // Lets the device of `on` have the sums of what `map` makes of rows. false: it makes none, and the processor does.
  bool begin_on_device(const Workers& on, const MapPtr& map);
  // As add_unmapped() without see. false: the device does not take such rows, and nothing was added.
  bool add_on_device(const Workers& on, const RowBlock<float>& x);
  // Takes back what the device has, before the sums are looked at, saved or copied. It may go on.
  void settle(const Workers& on);
  // Undoes the adding of rows to the bit. These may be any rows, but if products are rounded only the same blocks.
  template <class T>
  void remove(const Workers& on, const RowBlock<T>& z);
  void merge(const GramFold& other);
  void subtract(const GramFold& part);          // exact: what the rows outside `part` would give
  static GramFold like(const GramFold& other);  // the same sums over no rows

  // The archive holds views: write it before the sums change.
  void save(Archive& archive) const;
  void load(const Archive& archive);  // the saved sums are of the same sort
  static GramFold from(const Archive& archive);

  std::size_t features() const { return features_; }
  std::uint64_t rows() const { return rows_; }
  const TargetCode& code() const { return code_; }
  Products products() const { return products_; }
  double bound() const { return bound_; }
  double weight_bound() const { return weight_bound_; }
  double weight() const;                                  // sum of w
  double target_sum(std::size_t a, std::size_t b) const;  // S; index columns() is the constant 1
  // The least and the largest G_jj, as a share of what fits below 2^63.
  std::pair<double, double> range_of_squares() const;
  double square_of_target(std::size_t a) const;         // S_aa, as such a share
  Matrix<double> moment() const;                        // R, features x (columns + 1)
  TiledSymmetric<double> gram(Threads& threads) const;  // G in double
  bool operator==(const GramFold&) const = default;

  static std::size_t tile_for(std::size_t features);
  static std::size_t bytes(std::size_t features);  // bytes of G; its factor takes as many
  // What adding rows takes besides, at most, where products are whole.
  static double packed_bytes(double features, double outputs, double rows);

 private:
  template <class T>
  void add_signed(const Workers& on, const RowBlock<T>& z, int sign);
  void add_whole(const Workers& on, const RowBlock<float>& x, const Map* map, int sign, const See& see = {});
  void add_sparse_whole(const Workers& on, const RowBlock<float>& x, const Map& map, const See& see);
  struct DeviceColumns {
    Matrix<float> values;
    std::vector<float> roots;
    Matrix<std::int64_t> targets;
  };
  void add_taken(std::size_t first, MatrixView<const std::int64_t> rows, std::size_t J);
  DeviceColumns device_columns(const Workers& on, const RowBlock<float>& x) const;
  float whole_per_unit() const;
  void add_multiple(const GramFold& other, std::int64_t sign);
  std::size_t digits() const { return moment_.rows() / targets_.rows(); }  // whole numbers for a target in R
  void resize_moment(std::size_t digits) { moment_ = Matrix<std::int64_t>(digits * targets_.rows(), features_); }

  std::size_t features_;
  double bound_, weight_bound_;
  Products products_;
  TargetCode code_;
  std::uint64_t rows_ = 0;
  TiledSymmetric<std::int64_t> gram_;
  Matrix<std::int64_t> moment_;   // (columns + 1) x features, digit after digit
  Matrix<std::int64_t> targets_;  // (columns + 1) x (columns + 1)
  OnDevice device_;
};

}  // namespace bochner
