// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <mutex>
#include <string>

#include "backend/landmarks.h"
#include "maps/map_of.h"

namespace bochner {

// The points in the layout that kernel_rows takes.
template <class T>
Landmarks<T> kernel_landmarks(const Kernel& kernel, MatrixView<const float> points);

// k(i, j) = the kernel of row i and landmark j: by the backend where it has the kernel's shape, pair by pair otherwise.
template <class T>
void kernel_rows(const Backend& on, const Kernel& kernel, const RowBlock<T>& block, const Landmarks<T>& y,
                 MatrixView<T> k);

// z(x) = R k(x), R = L^-1 the inverse of the landmarks' Cholesky factor. Landmarks are float: they may be any points,
// so the nearest that a float holds are as good. Features of double rows and of float rows are of the same landmarks.
class NystroemMap final : public MapOf<NystroemMap> {
 public:
  // inverse: m x m, lower triangular. chosen_by: for people.
  NystroemMap(Kernel kernel, Matrix<float> landmarks, Matrix<double> inverse, std::string chosen_by);

  std::size_t inputs() const override { return landmarks_.cols(); }
  std::size_t outputs() const override { return landmarks_.rows(); }
  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const;
  double bound() const override { return 1; }  // |z(x)|^2 <= k(x, x) = 1
  std::unique_ptr<CheckSubject> check_subject(const MapPtr& self, bool double_precision) const override;
  std::string spec() const override;
  void save(Archive& archive) const override;

  const Kernel& kernel() const { return kernel_; }
  const Matrix<float>& landmarks() const { return landmarks_; }

 private:
  template <class T>
  struct Packed {
    std::once_flag once;
    Landmarks<T> landmarks;
    LowerPanels<T> inverse;
  };
  template <class T>
  const Packed<T>& packed() const;

  Kernel kernel_;
  Matrix<float> landmarks_;
  Matrix<double> inverse_;
  std::string chosen_by_;
  mutable Packed<float> float_;
  mutable Packed<double> double_;
};

// Refuses landmarks that make no map, and a kernel that does not fit them.
void check_landmarks(const Kernel& kernel, const Matrix<float>& landmarks);

// What save() wrote. Error::Kind::model when a field is absent or makes no sense.
MapPtr load_nystroem(const Archive& archive);

}  // namespace bochner
