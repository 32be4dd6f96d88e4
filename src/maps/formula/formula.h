// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "maps/map_of.h"

namespace bochner {

// What a formula is evaluated with: its sizes, its seed and its numbers, in the order of Formula::parameters.
struct FormulaOptions {
  std::size_t inputs = 1, features = 1;
  std::uint64_t seed = 0;
  std::vector<double> numbers = {};
};

struct FormulaParameter {
  const char* name;
  double initial, low, high;
  bool whole = false;
};

using Numbers = std::span<const double>;

// A kernel that is no function of x - y, or has a period, with features z(x) whose inner products estimate it: one row
// of a table. Draws are functions of the seed; what they give is kept by the map, not by its file.
struct Formula {
  const char* name;
  std::vector<FormulaParameter> parameters;
  bool random;
  bool independent = false;  // each feature is a draw of its own, so that products with others' are unbiased
  bool as_given = false;     // inputs are counts, codes, angles or times, which are not scaled
  bool from_zero = false;    // the kernel depends on where zero is; only told of inputs as given
  // The outputs for so many features asked for; 0: as many as the formula likes.
  std::size_t (*features)(const FormulaOptions& options, std::size_t asked);
  std::vector<double> (*draw)(const FormulaOptions& options);
  double (*drawn)(const FormulaOptions& options);  // about how many numbers draw() gives
  // z(i, :) of each row; few rows at a time. z begins as zeros unless there is write_float.
  void (*write)(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z);
  // The same in float, for formulas whose loops are vectors'; null: rows of floats go through `write`.
  void (*write_float)(const FormulaOptions& options, Numbers drawn, MatrixView<const float> x,
                      MatrixView<float> z) = nullptr;
  double (*kernel)(const FormulaOptions& options, Numbers x, Numbers y);
  // Variance of z(x).z(y) over draws; null: nothing is random.
  double (*variance)(const FormulaOptions& options, Numbers x, Numbers y);
};

extern const Formula kPolynomial;                                 // (g x.y + c)^degree by TensorSketch
extern const Formula kArcCosine;                                  // arc-cosine of order 0 or 1
extern const Formula kChiSquared, kIntersection, kJensenShannon;  // additive kernels of histograms
extern const Formula kSkewedChiSquared;                           // prod_j 2 sqrt(a_j b_j) / (a_j + b_j), a = x + skew
extern const Formula kMinMax;                                     // sum min / sum max; of 0 and 1 Jaccard's
extern const Formula kPeriodic;                                   // exp(-2 sum_j sin^2(pi D_j / period) / length^2)
extern const Formula kVonMises;                                   // the same by period and concentration
extern const Formula kPolynomialSigns;                            // the polynomial by products of signs
extern const Formula kExponential;                                // exp(g x.y) by positive features
extern const Formula kHamming;                                    // (share of equal inputs)^power
extern const Formula kGreatCircle;                                // exp(-distance of places / length)
extern const Formula kLinear, kSquares;                           // x.y, and that of squares
std::span<const Formula* const> formulas();
// Refuses more draws than a model file, which may be small, may ask of its reader.
void check_drawn(const char* name, double numbers);

class FormulaMap final : public MapOf<FormulaMap> {
 public:
  FormulaMap(const Formula& formula, FormulaOptions options);

  std::size_t inputs() const override { return options_.inputs; }
  std::size_t outputs() const override { return options_.features; }
  std::size_t rows_at_once() const override { return formula_.write_float ? 256 : 64; }
  std::size_t held_bytes() const override { return drawn_.size() * sizeof(double); }
  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const;
  std::string spec() const override;
  void save(Archive& archive) const override;
  static MapPtr load(const Formula& formula, const Archive& archive);

  const Formula& formula() const { return formula_; }
  const FormulaOptions& options() const { return options_; }

 private:
  const Formula& formula_;
  FormulaOptions options_;
  std::vector<double> drawn_;
};

// Rows of a block, few at a time and in double, to write(x, z); z begins as zeros.
using WriteRows = std::function<void(MatrixView<const double> x, MatrixView<double> z)>;
template <class T>
void write_in_double(const RowBlock<T>& block, MatrixView<T> out, const WriteRows& write);

// The map of a kind that is a formula; no other map.
inline const FormulaMap& formula_map(const Map& map) { return static_cast<const FormulaMap&>(map); }

// The "seed" that save() wrote; Error::Kind::model for what is none.
std::uint64_t saved_seed(const Archive& archive, const char* name);

// Numbers in T: those given, or copies of them in `rounded`.
template <class T>
const T* numbers_as(Numbers numbers, std::vector<T>& rounded) {
  if constexpr (sizeof(T) == sizeof(double)) return numbers.data();
  rounded.assign(numbers.begin(), numbers.end());
  return rounded.data();
}

// sum_j x_j y_j, and z(i, f) += sum_j x(i, j) W(j, f) for an inputs x features W.
double dot(Numbers x, Numbers y);
void add_products(MatrixView<const double> x, const double* W, MatrixView<double> z);

}  // namespace bochner
