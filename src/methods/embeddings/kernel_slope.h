// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

#include "bochner/kernel_family.h"

namespace bochner {

// k(x, y) of inputs that are already divided by the length scales, with its gradient by x. Kernels without a gradient
// at 0 (laplacian, laplacian2, matern with nu <= 1/2) have 0 there: the middle of their subgradients.
class KernelSlope {
 public:
  explicit KernelSlope(Kernel kernel);

  double value(std::span<const double> x, std::span<const double> y) const;
  // gradient += factor * dk/dx; k.
  double add_gradient(std::span<const double> x, std::span<const double> y, double factor,
                      std::span<double> gradient) const;
  // Whether k is a function of |x - y|_2 alone, and -2 dk/d|x - y|^2 then: the weights of the fixed point.
  bool radial() const { return radial_; }
  double pull(std::span<const double> x, std::span<const double> y) const;
  bool gaussian() const { return shape_ && *shape_ == KernelShape::gaussian; }
  const std::optional<KernelShape>& shape() const { return shape_; }
  const Kernel& kernel() const { return kernel_; }

 private:
  double pull_at(double squared) const;  // -2 dk/ds at s

  Kernel kernel_;  // length scale 1
  std::optional<KernelShape> shape_;
  bool radial_;
};

}  // namespace bochner
