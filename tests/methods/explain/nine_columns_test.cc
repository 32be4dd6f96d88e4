// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/explain.h"
#include "random/draw.h"

namespace bochner {
namespace {

constexpr std::size_t kColumns = 9, kSets = 1 << kColumns, kBackground = 5;

Matrix<double> rows_of(std::size_t n, std::size_t begin) {
  Matrix<double> x(n, kColumns);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < kColumns; ++j) x(i, j) = normal(11, Draw::sample, begin + i, j);
  return x;
}

// The values by all 512 coalitions of nine columns on whole background rows.
TEST(ExplainNine, FourierFeaturesAreThoseOfAllCoalitions) {
  Schema schema;
  for (std::size_t j = 0; j < kColumns; ++j) schema.columns.push_back({.name = "x" + std::to_string(j)});
  schema.columns.push_back({.name = "y", .kind = Column::Kind::target});
  schema.inputs = kColumns;
  schema.targets = 1;
  const MapPtr map = fourier(kColumns, {.kernel = gaussian(3), .features = 74, .seed = 9});
  Matrix<double> w(74, 1);
  for (std::size_t r = 0; r < 74; ++r) w(r, 0) = normal(12, Draw::sample, r, 0);
  const Model model(schema, {map}, linear(w, {0.25}), Report{}, true);
  const Matrix<double> background = rows_of(kBackground, 100), x = rows_of(3, 0);
  const auto rows = memory_rows<double>(x.view(), {}, schema);
  const auto against = memory_rows<double>(background.view(), {}, schema);
  const Explanation found = explain(model, *rows, *against, {.unknown = ExplainOptions::Unknown::rows});
  ASSERT_EQ(found.errors.rows(), 0u);
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> worth(kSets);
    for (std::size_t set = 0; set < kSets; ++set) {
      Matrix<double> mixed = background;
      for (std::size_t b = 0; b < kBackground; ++b)
        for (std::size_t j = 0; j < kColumns; ++j)
          if (set >> j & 1) mixed(b, j) = x(i, j);
      const Matrix<double> scores = model.predict(std::as_const(mixed).view());
      for (std::size_t b = 0; b < kBackground; ++b) worth[set] += scores(b, 0) / kBackground;
    }
    for (std::size_t j = 0; j < kColumns; ++j) {
      double value = 0;
      for (std::size_t set = 0; set < kSets; ++set) {
        if (set >> j & 1) continue;
        const double size = double(__builtin_popcountll(set));
        value += std::tgamma(size + 1) * std::tgamma(double(kColumns) - size) / std::tgamma(double(kColumns) + 1) *
                 (worth[set | std::size_t(1) << j] - worth[set]);
      }
      EXPECT_NEAR(found.values(i, j), value, 1e-9) << "row " << i << " column " << j;
    }
  }
}

}  // namespace
}  // namespace bochner
