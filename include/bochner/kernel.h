// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Kernel kernel = matern(2.5, 3.0);  // smoothness, length scale
//   const std::vector<double> x = {0, 1}, y = {1, 1};
//   const double k = kernel_value(kernel, x, y);

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace bochner {

struct KernelFamily;  // all that is to say about one kernel, and how to add one: bochner/kernel_family.h

// A shift-invariant kernel k(x - y) with k(0) = 1. Delta below is already divided by the length scale:
//   gaussian            exp(-|D|_2^2 / 2)
//   laplacian           exp(-|D|_1)
//   cauchy              prod_j 1 / (1 + D_j^2)
//   matern              Matern of smoothness nu
//   rational_quadratic  (1 + |D|_2^2 / (2 alpha))^-alpha
//   laplacian2          exp(-|D|_2)
struct Kernel {
  // Which kernel: a row of the table of kernels. Equal where the row is the same.
  class Family {
   public:
    static const Family gaussian, laplacian, cauchy, matern, rational_quadratic, laplacian2;

    constexpr Family(const KernelFamily& row) : row_(&row) {}
    const KernelFamily* operator->() const { return row_; }
    const KernelFamily& operator*() const { return *row_; }
    bool operator==(const Family&) const = default;

   private:
    const KernelFamily* row_;
  };

  Family family = Family::gaussian;
  std::vector<double> length_scales = {1.0};  // one for all inputs, or one per input
  std::vector<double> parameters = {};        // nu or alpha, in the order of the row; left out: the row's value

  double length_scale(std::size_t input) const {
    return length_scales.size() == 1 ? length_scales[0] : length_scales[input];
  }
  double parameter(std::size_t i) const;
  bool operator==(const Kernel& other) const;
};

Kernel gaussian(double sigma = 1);   // gamma = 1 / (2 sigma^2)
Kernel laplacian(double sigma = 1);  // gamma = 1 / sigma
Kernel cauchy(double sigma = 1);
Kernel matern(double nu, double sigma = 1);
Kernel rational_quadratic(double alpha, double sigma = 1);
Kernel laplacian2(double sigma = 1);

// "gaussian", "matern:nu=2.5", "rational-quadratic:alpha=2" ..., optionally with sigma= (or gamma=); and back,
// without the length scales.
Kernel parse_kernel(const std::string& text);
std::string kernel_name(const Kernel& kernel);

// k(x - y), in double: the specification the maps are tested against.
double kernel_value(const Kernel& kernel, std::span<const double> x, std::span<const double> y);

// E|omega|^2 of the frequency law (sigma_p^2 of the uniform bound); infinite for heavy-tailed laws.
double frequency_second_moment(const Kernel& kernel, std::size_t inputs);

}  // namespace bochner
