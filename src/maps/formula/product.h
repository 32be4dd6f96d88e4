// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bochner/kernel.h"
#include "maps/formula/formula.h"

namespace bochner {

// One kernel over chosen inputs: "gaussian(0,3,sigma=2)", "periodic(hour,period=24)".
struct ProductFactor {
  const Formula* formula = nullptr;  // null: the kernel, a function of x - y
  std::vector<double> numbers = {};  // the formula's, in its order
  Kernel kernel = {};
  bool scaled = false;                    // the kernel's length scale was given
  std::vector<std::string> columns = {};  // as written, names or numbers from 0; none: all
  std::vector<std::size_t> inputs = {};   // what they are
  bool has_phase() const;                 // its features are cosines and sines of an angle
  std::string words() const;              // inputs by their numbers
};

// "gaussian(a,b)*periodic(hour,period=24)": std::invalid_argument for what is no product of known kernels.
std::vector<ProductFactor> parse_product(const std::string& text);
// Fills in the inputs of each factor, by name if there are names; "job" is all of "job=clerk", "job=cook", ...
void choose_inputs(std::vector<ProductFactor>& factors, std::size_t inputs, const std::vector<std::string>& names);

// A product of kernels, each of some inputs. F draws of all factors together give features whose products have the
// product of the kernels as their mean, since the draws of factors are independent:
//   z = sqrt(1/F) [g cos t, g sin t],  t the sum of the angles and g the product of the other factors' features
// A factor alone has the features of its own map.
class ProductMap final : public MapOf<ProductMap> {
 public:
  // The factors' inputs are chosen.
  ProductMap(std::vector<ProductFactor> factors, std::size_t inputs, std::size_t features, std::uint64_t seed);

  // About how many numbers the factors draw for so many features.
  static double drawn_by(const std::vector<ProductFactor>& factors, std::size_t features);
  // As many of these features as can be; 0: by default.
  static std::size_t features_of(const std::vector<ProductFactor>& factors, std::size_t asked);

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return features_; }
  std::size_t rows_at_once() const override { return 64; }
  std::size_t held_bytes() const override;
  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const;
  std::string spec() const override;
  void save(Archive& archive) const override;
  static MapPtr load(const Archive& archive);

  MapPtr redrawn(std::uint64_t draw) const;
  double kernel(Numbers x, Numbers y) const;
  double variance(Numbers x, Numbers y) const;

 private:
  struct Drawn {
    FormulaOptions options = {};       // a formula's
    std::vector<double> numbers = {};  // what they drew, or frequencies, inputs x draws
  };
  std::string words() const;
  bool has_phase() const;
  std::size_t draws() const;
  void draw(std::size_t factor);
  void write(MatrixView<const double> x, MatrixView<double> z) const;
  void add_angles(std::size_t factor, Matrix<double> x, MatrixView<double> angles) const;
  void multiply(std::size_t factor, MatrixView<const double> x, MatrixView<double> values) const;

  std::vector<ProductFactor> factors_;
  std::size_t inputs_, features_;
  std::uint64_t seed_;
  std::vector<Drawn> drawn_;
};

}  // namespace bochner
