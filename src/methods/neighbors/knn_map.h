// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "bochner/archive.h"
#include "bochner/map.h"

namespace bochner {

// A point as one row sees it.
struct NearPoint {
  double squared = 0;  // |x - y|^2
  std::uint32_t number = 0;
  bool operator<(const NearPoint& other) const {
    return squared < other.squared || (squared == other.squared && number < other.number);
  }
};

// Points, and the nearest of them to any row: every pair by products in float, the best by differences in double.
// Points and rows lose the points' mean first, so that a common offset costs no digits.
class NearestPoints {
 public:
  explicit NearestPoints(Matrix<float> points);
  NearestPoints(Matrix<float> centred, std::vector<double> center);

  std::size_t count() const { return points_.rows(); }
  std::size_t inputs() const { return points_.cols(); }
  const Matrix<float>& centred() const { return points_; }
  const std::vector<double>& center() const { return center_; }

  // Rows as the points lie.
  template <class T>
  void centre(MatrixView<const T> x, MatrixView<float> centred) const;

  // The k nearest to each centred row, in order: by distance, then by number. There are k others. self: one a row, the
  // point that the row is and does not meet; null: none. near: rows x k.
  void find(const Backend& on, MatrixView<const float> centred, std::size_t k, const std::uint32_t* self,
            NearPoint* near) const;

 private:
  void pack();

  Matrix<float> points_;  // less the centre
  std::vector<double> center_;
  std::vector<PointPanels<float>> groups_;
  std::vector<float> half_;             // |y|^2 / 2
  std::vector<std::uint32_t> numbers_;  // 0, 1, ...
};

// What points stand for: numbers, or the class of each.
struct KnnTargets {
  Matrix<double> values = {};              // points x targets
  std::vector<std::uint32_t> labels = {};  // one a point
  std::size_t classes = 0;                 // 0: numbers
  std::vector<double> weights = {};        // one per point; empty: all 1

  std::size_t outputs() const { return classes > 0 ? classes : values.cols(); }
};

// How neighbours are heard.
struct KnnRule {
  std::size_t neighbors = 1;
  std::optional<Kernel> kernel = {};  // what they weigh by their distance; none: all the same
};

// What each neighbour weighs. All of them far away, where every kernel is 0: the same.
void weigh_neighbors(const std::optional<Kernel>& kernel, const NearestPoints& points, const float* centred,
                     std::span<const NearPoint> near, double* weights);
// The mean of their values, or the shares of the classes.
void average_neighbors(const KnnTargets& targets, std::span<const NearPoint> near, const double* weights, double* out);

// The mean of the nearest points' targets, the shares of their classes: Nadaraya-Watson among the k nearest (Fix &
// Hodges 1951; Cover & Hart 1967). The kernel has one length scale.
MapPtr knn_map(NearestPoints points, KnnTargets targets, KnnRule rule);
// How the neighbours of such a map are heard; none: it is another map.
std::optional<KnnRule> rule_of(const Map& map);
MapPtr load_knn(const Archive& archive);

}  // namespace bochner
