// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/drawn.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/backend.h"
#include "backend/bins.h"
#include "maps/apply.h"
#include "methods/bins/draw_grid.h"

namespace bochner {
namespace {

using Draw = FourierOptions::Draw;
using Form = FourierOptions::Form;

Matrix<double> rows(std::size_t count, std::size_t inputs) {
  Matrix<double> x(count, inputs);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < inputs; ++j) x(i, j) = std::sin(double(1 + i * inputs + j));
  return x;
}

// The definition with the drawn numbers is what the map puts out.
TEST(Drawn, FrequenciesAreThoseOfTheMap) {
  for (const Draw draw : {Draw::independent, Draw::orthogonal, Draw::structured, Draw::quasi})
    for (const Form form : {Form::cossin, Form::shifted}) {
      const FourierOptions options{.kernel = gaussian(1.5), .features = 42, .form = form, .seed = 9, .draw = draw};
      const DrawnFrequencies drawn = drawn_frequencies(5, options);
      const Matrix<double> x = rows(7, 5), z = apply(*fourier(5, options), x, reference_backend());
      const std::size_t F = drawn.omega.rows();
      ASSERT_EQ(F, form == Form::cossin ? 21u : 42u);
      ASSERT_EQ(drawn.phase.size(), form == Form::cossin ? 0u : F);
      for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t f = 0; f < F; ++f) {
          double angle = drawn.phase.empty() ? 0 : drawn.phase[f];
          for (std::size_t j = 0; j < 5; ++j) angle += drawn.omega(f, j) * x(i, j);
          EXPECT_NEAR(z(i, f), drawn.scale * std::cos(angle), 1e-12);
          if (form == Form::cossin) {
            EXPECT_NEAR(z(i, F + f), drawn.scale * std::sin(angle), 1e-12);
          }
        }
    }
}

TEST(Drawn, GridsAreThoseOfTheMap) {
  BinningOptions options;
  options.seed = 4;
  options.order_low = 1;
  options.order_high = 2;
  const std::vector<std::uint64_t> draws{0, 5, 2};
  const DrawnGrids drawn = drawn_grids(4, options, draws, false);
  for (std::size_t g = 0; g < draws.size(); ++g) {
    const Grid<float> grid = draw_grid<float>(4, options, draws[g]);
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(float(drawn.shift(g, j)), grid.shift[j]);
      EXPECT_EQ(float(drawn.per_pitch(g, j)), grid.per_pitch[j]);
      EXPECT_EQ(drawn.low(g, j), grid.low[j]);
      EXPECT_EQ(drawn.high(g, j), grid.high[j]);
    }
  }
}

}  // namespace
}  // namespace bochner
