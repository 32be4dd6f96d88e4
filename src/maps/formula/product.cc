// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/formula/product.h"

#include <cmath>
#include <numbers>

#include "base/archive.h"
#include "base/require.h"
#include "bochner/kernel_family.h"
#include "kernels/law.h"
#include "maps/load.h"

namespace bochner {

namespace {

constexpr std::size_t kMostSize = std::size_t(1) << 26;

// The inputs of a factor, side by side.
Matrix<double> chosen_inputs(MatrixView<const double> x, const std::vector<std::size_t>& inputs) {
  Matrix<double> chosen(x.rows, inputs.size());
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < inputs.size(); ++j) chosen(i, j) = x(i, inputs[j]);
  return chosen;
}

std::vector<double> chosen_inputs(Numbers x, const std::vector<std::size_t>& inputs) {
  std::vector<double> chosen;
  for (const std::size_t j : inputs) chosen.push_back(x[j]);
  return chosen;
}

FormulaOptions one_feature(const ProductFactor& factor) {
  return {.inputs = factor.inputs.size(), .features = factor.has_phase() ? 2u : 1u, .numbers = factor.numbers};
}

double value_of(const ProductFactor& factor, Numbers x, Numbers y) {
  return factor.formula ? factor.formula->kernel(one_feature(factor), x, y) : kernel_value(factor.kernel, x, y);
}

// k(2 (x - y)) of a factor with an angle, from its variance if it is a formula: (1 + k(2D) - 2 k^2) / features.
double value_twice(const ProductFactor& factor, Numbers x, Numbers y) {
  if (factor.formula) {
    const double k = value_of(factor, x, y);
    return 2 * factor.formula->variance(one_feature(factor), x, y) - 1 + 2 * k * k;
  }
  std::vector<double> twice, origin(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) twice.push_back(2 * (x[j] - y[j]));
  return kernel_value(factor.kernel, twice, origin);
}

}  // namespace

std::size_t ProductMap::features_of(const std::vector<ProductFactor>& factors, std::size_t asked) {
  if (factors.size() == 1 && factors[0].formula)
    return factors[0].formula->features({.inputs = factors[0].inputs.size(), .numbers = factors[0].numbers}, asked);
  bool phase = false;
  for (const ProductFactor& factor : factors) phase = phase || factor.has_phase();
  const std::size_t wanted = asked ? asked : 1024;
  return phase ? wanted + wanted % 2 : wanted;
}

double ProductMap::drawn_by(const std::vector<ProductFactor>& factors, std::size_t features) {
  bool phase = false;
  for (const ProductFactor& factor : factors) phase = phase || factor.has_phase();
  double numbers = 0;
  for (const ProductFactor& factor : factors) {
    const std::size_t draws = phase && !factor.has_phase() ? features / 2 : features;
    const FormulaOptions options{.inputs = factor.inputs.size(), .features = draws, .numbers = factor.numbers};
    numbers += factor.formula ? factor.formula->drawn(options) : double(options.inputs) * double(features) / 2;
  }
  return numbers;
}

ProductMap::ProductMap(std::vector<ProductFactor> factors, std::size_t inputs, std::size_t features, std::uint64_t seed)
    : factors_(std::move(factors)), inputs_(inputs), features_(features), seed_(seed), drawn_(factors_.size()) {
  require(inputs > 0 && inputs < kMostSize && features > 0 && features < kMostSize,
          "product: {} inputs and {} features, expected 1 to 2^26", inputs, features);
  require(features_of(factors_, features) == features, "product: found {} features, expected {} of these kernels",
          features, features_of(factors_, features));
  check_drawn("product", drawn_by(factors_, features));
  for (std::size_t i = 0; i < factors_.size(); ++i) draw(i);
}

bool ProductMap::has_phase() const {
  for (const ProductFactor& factor : factors_)
    if (factor.has_phase()) return true;
  return false;
}

std::size_t ProductMap::draws() const { return has_phase() ? features_ / 2 : features_; }

void ProductMap::draw(std::size_t factor) {
  const ProductFactor& of = factors_[factor];
  Drawn& drawn = drawn_[factor];
  const std::uint64_t seed = seed_ + factor * 0xD1B54A32D192ED03u;
  const std::size_t F = draws(), d = of.inputs.size();
  drawn.options = {.inputs = d,
                   .features = of.has_phase() || factors_.size() == 1 ? features_ : F,
                   .seed = seed,
                   .numbers = of.numbers};
  if (of.formula) {
    drawn.numbers = of.formula->draw(drawn.options);
    return;
  }
  check_kernel(of.kernel, d);
  drawn.numbers.resize(d * F);
  std::vector<double> omega(d);
  for (std::size_t f = 0; f < F; ++f) {
    draw_frequency(of.kernel, seed, f, omega);
    for (std::size_t j = 0; j < d; ++j) drawn.numbers[j * F + f] = omega[j];
  }
}

// A formula with a period has whole frequencies, in turns.
void ProductMap::add_angles(std::size_t factor, Matrix<double> x, MatrixView<double> angles) const {
  const ProductFactor& of = factors_[factor];
  for (std::size_t i = 0; of.formula && i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j) {
      const double turns = x(i, j) / of.numbers[0];
      x(i, j) = 2 * std::numbers::pi * (turns - std::floor(turns));
    }
  add_products(x.view(), drawn_[factor].numbers.data(), angles);
}

void ProductMap::multiply(std::size_t factor, MatrixView<const double> x, MatrixView<double> values) const {
  const Drawn& drawn = drawn_[factor];
  Matrix<double> z(x.rows, drawn.options.features);
  factors_[factor].formula->write(drawn.options, drawn.numbers, x, z.view());
  const double root = std::sqrt(double(values.cols));
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t f = 0; f < values.cols; ++f) values(i, f) *= root * z(i, f);
}

void ProductMap::write(MatrixView<const double> x, MatrixView<double> z) const {
  if (factors_.size() == 1 && factors_[0].formula) {
    const Matrix<double> chosen = chosen_inputs(x, factors_[0].inputs);
    return factors_[0].formula->write(drawn_[0].options, drawn_[0].numbers, chosen.view(), z);
  }
  const std::size_t F = draws();
  Matrix<double> angles(x.rows, F), values(x.rows, F);
  std::fill_n(values.data(), x.rows * F, 1 / std::sqrt(double(F)));
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    if (factors_[k].has_phase())
      add_angles(k, chosen_inputs(x, factors_[k].inputs), angles.view());
    else
      multiply(k, chosen_inputs(x, factors_[k].inputs).view(), values.view());
  }
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t f = 0; f < F; ++f) {
      z(i, f) = has_phase() ? values(i, f) * std::cos(angles(i, f)) : values(i, f);
      if (has_phase()) z(i, F + f) = values(i, f) * std::sin(angles(i, f));
    }
}

template <class T>
void ProductMap::apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
  require(block.cols == inputs(), "product: block has {} columns, expected {}", block.cols, inputs());
  write_in_double(block, out, [this](MatrixView<const double> x, MatrixView<double> z) { write(x, z); });
}

template void ProductMap::apply_rows(const Backend&, const RowBlock<float>&, MatrixView<float>) const;
template void ProductMap::apply_rows(const Backend&, const RowBlock<double>&, MatrixView<double>) const;

double ProductMap::kernel(Numbers x, Numbers y) const {
  double product = 1;
  for (const ProductFactor& factor : factors_)
    product *= value_of(factor, chosen_inputs(x, factor.inputs), chosen_inputs(y, factor.inputs));
  return product;
}

// One draw has the second moment prod E g^2 g'^2 times (1 + k(2D)) / 2 of all angles together.
double ProductMap::variance(Numbers x, Numbers y) const {
  const double k = kernel(x, y);
  double moment = 1, twice = 1;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const ProductFactor& factor = factors_[i];
    const std::vector<double> a = chosen_inputs(x, factor.inputs), b = chosen_inputs(y, factor.inputs);
    if (factors_.size() == 1 && factor.formula)
      return factor.formula->random ? factor.formula->variance(drawn_[0].options, a, b) : 0;
    const double own = value_of(factor, a, b);
    if (factor.has_phase())
      twice *= value_twice(factor, a, b);
    else
      moment *= factor.formula->variance(one_feature(factor), a, b) + own * own;
  }
  return (moment * (has_phase() ? (1 + twice) / 2 : 1) - k * k) / double(draws());
}

std::size_t ProductMap::held_bytes() const {
  std::size_t numbers = 0;
  for (const Drawn& drawn : drawn_) numbers += drawn.numbers.size();
  return numbers * sizeof(double);
}

MapPtr ProductMap::redrawn(std::uint64_t draw) const {
  return std::make_shared<ProductMap>(factors_, inputs_, features_, seed_ + draw);
}

std::string ProductMap::words() const {
  std::string text;
  for (const ProductFactor& factor : factors_) text.append(text.empty() ? "" : "*").append(factor.words());
  return text;
}

std::string ProductMap::spec() const {
  return fmt::format("product:features={},of={},seed={}", features_, words(), seed_);
}

void ProductMap::save(Archive& archive) const {
  archive.put_text("type", "product");
  archive.put_count("inputs", inputs_);
  archive.put_count("features", features_);
  archive.put_text("seed", fmt::format("{}", seed_));
  archive.put_text("of", words());
}

MapPtr ProductMap::load(const Archive& archive) {
  const std::size_t inputs = archive.get_count("inputs", kMostSize),
                    features = archive.get_count("features", kMostSize);
  const std::uint64_t seed = saved_seed(archive, "product");
  return build_from_model([&] {
    std::vector<ProductFactor> factors = parse_product(archive.get_text("of"));
    choose_inputs(factors, inputs, {});
    return std::make_shared<ProductMap>(std::move(factors), inputs, features, seed);
  });
}

}  // namespace bochner
