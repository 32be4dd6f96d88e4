// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/kernel_slope.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace bochner {

namespace {

constexpr double kStep = 1e-5;  // step of differences if a kernel's derivative has no formula

double squared_between(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

}  // namespace

KernelSlope::KernelSlope(Kernel kernel) : kernel_(std::move(kernel)) {
  kernel_.length_scales = {1.0};
  shape_ = kernel_.family->shape(kernel_);
  radial_ = shape_ && *shape_ != KernelShape::exponential1 && *shape_ != KernelShape::cauchy;
}

double KernelSlope::value(std::span<const double> x, std::span<const double> y) const {
  return kernel_.family->value(kernel_, x, y);
}

double KernelSlope::pull_at(double s) const {
  const double r = std::sqrt(s);
  switch (*shape_) {
    case KernelShape::gaussian:
      return std::exp(-0.5 * s);
    case KernelShape::exponential2:
      return r > 0 ? std::exp(-r) / r : 0;
    case KernelShape::matern32:
      return 3 * std::exp(-std::sqrt(3.0) * r);
    case KernelShape::matern52: {
      const double a = std::sqrt(5.0) * r;
      return 5.0 / 3 * (1 + a) * std::exp(-a);
    }
    case KernelShape::rational: {
      const double alpha = kernel_.parameter(0);
      return std::pow(1 + s / (2 * alpha), -alpha - 1);
    }
    default: {  // differences of the value at a distance
      const auto at = [&](double distance) {
        const std::array<double, 1> x = {distance}, y = {0};
        return kernel_.family->value(kernel_, x, y);
      };
      return r > 0 ? -(at(r + kStep) - at(std::max(r - kStep, 0.0))) / (r + kStep - std::max(r - kStep, 0.0)) / r : 0;
    }
  }
}

double KernelSlope::pull(std::span<const double> x, std::span<const double> y) const {
  return pull_at(squared_between(x, y));
}

double KernelSlope::add_gradient(std::span<const double> x, std::span<const double> y, double factor,
                                 std::span<double> gradient) const {
  const double k = value(x, y);
  if (radial_) {
    const double slope = factor * pull_at(squared_between(x, y));
    for (std::size_t j = 0; j < x.size(); ++j) gradient[j] -= slope * (x[j] - y[j]);
    return k;
  }
  std::vector<double> moved;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double delta = x[j] - y[j];
    if (shape_ && *shape_ == KernelShape::exponential1) {
      gradient[j] -= factor * k * double((delta > 0) - (delta < 0));
    } else if (shape_) {  // cauchy
      gradient[j] -= factor * k * 2 * delta / (1 + delta * delta);
    } else {
      if (moved.empty()) moved.assign(x.begin(), x.end());
      moved[j] = x[j] + kStep;
      const double above = value(moved, y);
      moved[j] = x[j] - kStep;
      gradient[j] += factor * (above - value(moved, y)) / (2 * kStep);
      moved[j] = x[j];
    }
  }
  return k;
}

}  // namespace bochner
