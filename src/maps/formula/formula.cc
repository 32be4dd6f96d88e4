// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/formula/formula.h"

#include <algorithm>
#include <cmath>

#include "base/archive.h"
#include "base/require.h"
#include "maps/dense_block.h"

namespace bochner {

namespace {

constexpr const Formula* kFormulas[] = {&kPolynomial,    &kArcCosine,        &kChiSquared,  &kIntersection,
                                        &kJensenShannon, &kSkewedChiSquared, &kMinMax,      &kPeriodic,
                                        &kVonMises,      &kPolynomialSigns,  &kExponential, &kHamming,
                                        &kGreatCircle,   &kLinear,           &kSquares};
constexpr std::size_t kRows = 16, kMost = std::size_t(1) << 26;

void check(const Formula& formula, const FormulaOptions& options) {
  require(options.inputs > 0 && options.inputs < kMost, "{}: {} inputs, expected 1 to 2^26", formula.name,
          options.inputs);
  require(options.features > 0 && options.features < kMost, "{}: {} features, expected 1 to 2^26", formula.name,
          options.features);
  for (std::size_t i = 0; i < formula.parameters.size(); ++i) {
    const FormulaParameter& known = formula.parameters[i];
    const double value = options.numbers[i];
    require(value >= known.low && value <= known.high && (!known.whole || value == std::floor(value)),
            "{}: found {}={}, expected {}{} to {}", formula.name, known.name, value,
            known.whole ? "a whole number " : "", known.low, known.high);
  }
  require(formula.features(options, options.features) == options.features,
          "{}: found {} features, expected {} of these inputs", formula.name, options.features,
          formula.features(options, options.features));
  check_drawn(formula.name, formula.drawn(options));
}

}  // namespace

std::span<const Formula* const> formulas() { return kFormulas; }

void check_drawn(const char* name, double numbers) {
  constexpr double kMostDrawn = 1 << 30;
  require(numbers <= kMostDrawn, "{}: {:g} numbers to draw, expected at most 2^30; take fewer features", name, numbers);
}

FormulaMap::FormulaMap(const Formula& formula, FormulaOptions options)
    : formula_(formula), options_(std::move(options)) {
  check(formula_, options_);
  drawn_ = formula_.draw(options_);
}

template <class T>
void write_in_double(const RowBlock<T>& block, MatrixView<T> out, const WriteRows& write) {
  const DenseBlock<T> dense(block);
  const MatrixView<const T> rows = dense.rows();
  Matrix<double> x(std::min(kRows, block.rows), block.cols), z(std::min(kRows, block.rows), out.cols);
  for (std::size_t begin = 0; begin < block.rows; begin += kRows) {
    const std::size_t count = std::min(kRows, block.rows - begin);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(rows.row(begin + i), block.cols, x.view().row(i));
    std::fill_n(z.data(), count * out.cols, 0.0);
    write(MatrixView<const double>(x.view()).slice(0, count), z.view().slice(0, count));
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t f = 0; f < out.cols; ++f) out(begin + i, f) = T(z(i, f));
  }
}

template void write_in_double(const RowBlock<float>&, MatrixView<float>, const WriteRows&);
template void write_in_double(const RowBlock<double>&, MatrixView<double>, const WriteRows&);

template <class T>
void FormulaMap::apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
  require(block.cols == inputs(), "{}: block has {} columns, expected {}", formula_.name, block.cols, inputs());
  if (formula_.write_float) {
    const DenseBlock<T> dense(block);
    if constexpr (sizeof(T) == sizeof(float))
      return formula_.write_float(options_, drawn_, dense.rows(), out);
    else
      return formula_.write(options_, drawn_, dense.rows(), out);
  }
  write_in_double(block, out,
                  [this](MatrixView<const double> x, MatrixView<double> z) { formula_.write(options_, drawn_, x, z); });
}

template void FormulaMap::apply_rows(const Backend&, const RowBlock<float>&, MatrixView<float>) const;
template void FormulaMap::apply_rows(const Backend&, const RowBlock<double>&, MatrixView<double>) const;

std::string FormulaMap::spec() const {
  std::string text = fmt::format("{}:features={}", formula_.name, options_.features);
  for (std::size_t i = 0; i < formula_.parameters.size(); ++i)
    text += fmt::format(",{}={}", formula_.parameters[i].name, options_.numbers[i]);
  return formula_.random ? text + fmt::format(",seed={}", options_.seed) : text;
}

void FormulaMap::save(Archive& archive) const {
  archive.put_text("type", formula_.name);
  archive.put_count("inputs", options_.inputs);
  archive.put_count("features", options_.features);
  archive.put_text("seed", fmt::format("{}", options_.seed));
  for (std::size_t i = 0; i < formula_.parameters.size(); ++i)
    archive.put_number(formula_.parameters[i].name, options_.numbers[i]);
}

std::uint64_t saved_seed(const Archive& archive, const char* name) {
  const std::string seed = archive.get_text("seed");
  if (seed.empty() || seed.size() > 20 || seed.find_first_not_of("0123456789") != seed.npos)
    fail(Error::Kind::model, "{}: found seed {}, expected a whole number", name, seed);
  try {
    return std::stoull(seed);
  } catch (const std::out_of_range&) {
    fail(Error::Kind::model, "{}: found seed {}, expected a number less than 2^64", name, seed);
  }
}

MapPtr FormulaMap::load(const Formula& formula, const Archive& archive) {
  FormulaOptions options{archive.get_count("inputs", kMost), archive.get_count("features", kMost), 0, {}};
  options.seed = saved_seed(archive, formula.name);
  for (const FormulaParameter& known : formula.parameters) options.numbers.push_back(archive.get_number(known.name));
  try {
    return std::make_shared<FormulaMap>(formula, std::move(options));
  } catch (const std::invalid_argument& error) {
    fail(Error::Kind::model, "{}", error.what());
  }
}

double dot(Numbers x, Numbers y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

void add_products(MatrixView<const double> x, const double* W, MatrixView<double> z) {
  constexpr std::size_t kTile = 128;  // features that the rows share in the first cache
  for (std::size_t begin = 0; begin < z.cols; begin += kTile)
    for (std::size_t j = 0; j < x.cols; ++j) {
      const std::size_t count = std::min(kTile, z.cols - begin);
      const double* from = W + j * z.cols + begin;
      for (std::size_t i = 0; i < x.rows; ++i) {
        const double value = x(i, j);
        if (value == 0) continue;
        double* to = z.row(i) + begin;
        for (std::size_t f = 0; f < count; ++f) to[f] += value * from[f];
      }
    }
}

}  // namespace bochner
