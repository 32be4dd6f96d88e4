// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <mutex>
#include <type_traits>
#include <vector>

#include "backend/backend.h"
#include "base/archive.h"
#include "maps/map_of.h"

namespace bochner {

// Points in groups that a block of rows meets one after the other.
template <class T>
struct PackedPoints {
  static constexpr std::size_t kGroup = 256;
  std::vector<PointPanels<T>> groups;
};
template <class T>
PackedPoints<T> pack_groups(MatrixView<const float> points);

// sum(i, :) += k(x_i, points) coefficients, k(x, z) = exp(-|x - z|^q): entries in T, products and sums in double, in an
// order that no other row and no machine changes. coefficients: points x sum.cols.
template <class T>
void add_expansion(const Backend& on, MatrixView<const T> x, const PackedPoints<T>& points, double q,
                   MatrixView<const double> coefficients, MatrixView<double> sum);

// Packed on the first use, as float or as double rows need it.
class LazyPoints {
 public:
  // points(): the points, asked for once.
  template <class T, class Points>
  const PackedPoints<T>& get(const Points& points) const {
    if constexpr (std::is_same_v<T, float>) {
      std::call_once(once_float_, [&] { float_ = pack_groups<float>(points()); });
      return float_;
    } else {
      std::call_once(once_double_, [&] { double_ = pack_groups<double>(points()); });
      return double_;
    }
  }

 private:
  mutable std::once_flag once_float_, once_double_;
  mutable PackedPoints<float> float_;
  mutable PackedPoints<double> double_;
};

// y = k(x, landmarks) coefficients + intercept: a kernel machine on rows that its metric has multiplied.
class RadialMachine final : public MapOf<RadialMachine> {
 public:
  RadialMachine(Matrix<float> landmarks, double q, Matrix<double> coefficients, std::vector<double> intercept);

  std::size_t inputs() const override { return landmarks_.cols(); }
  std::size_t outputs() const override { return intercept_.size(); }
  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const;
  // Checks the features that the landmarks make of the kernel: k_m(x)' K_mm^-1 k_m(y).
  std::unique_ptr<CheckSubject> check_subject(const MapPtr& self, bool double_precision) const override;
  std::string spec() const override;
  void save(Archive& archive) const override;

 private:
  Matrix<float> landmarks_;
  double q_;
  Matrix<double> coefficients_;
  std::vector<double> intercept_;
  LazyPoints packed_;
};
MapPtr radial_machine(Matrix<float> landmarks, double q, Matrix<double> coefficients, std::vector<double> intercept);

// One tree of leaves. A node sends a row left where direction . x <= threshold.
struct LeafTree {
  struct Node {
    std::vector<double> direction;
    double threshold = 0;
    std::int64_t below = 0, above = 0;  // a node if >= 0, otherwise leaf -1 - it

    template <class T>
    double along(const T* x) const;  // direction . x
  };
  std::vector<Node> nodes;                         // the first is the root; none: one leaf
  std::vector<std::vector<std::uint32_t>> leaves;  // the points of each
  std::vector<Matrix<double>> coefficients;        // one matrix per leaf: its points x outputs

  template <class T>
  std::size_t leaf_of(const T* x) const;
};

// y = sum over trees of k(x, points of the leaf of x) coefficients.
MapPtr leaf_machines(Matrix<float> points, double q, std::vector<LeafTree> trees);

MapPtr load_radial_machine(const Archive& archive);
MapPtr load_leaf_machines(const Archive& archive);

}  // namespace bochner
