// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/project.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "backend/problems.h"
#include "base/archive.h"
#include "bochner/error.h"
#include "maps/apply.h"
#include "maps/load.h"
#include "random/draw.h"

namespace bochner {
namespace {

using Kind = ProjectOptions::Kind;
using Store = ProjectOptions::Store;
using testing::Block;

const std::vector<ProjectOptions> kAll = {{.kind = Kind::gaussian},
                                          {.kind = Kind::sign},
                                          {.kind = Kind::sparse},
                                          {.kind = Kind::verysparse},
                                          {.kind = Kind::fastjl, .points = 50},
                                          {.kind = Kind::fastjl, .points = 20, .norm = 1},
                                          {.kind = Kind::srht},
                                          {.kind = Kind::hash},
                                          {.kind = Kind::hash, .signs = 4},
                                          {.kind = Kind::sparse, .density = 1},
                                          {.kind = Kind::sparse, .density = 0.05}};

ProjectOptions with(ProjectOptions options, std::size_t dims, std::uint64_t seed = 3) {
  options.dims = dims;
  options.seed = seed;
  return options;
}

template <class T>
std::vector<T> mapped(const Map& map, const RowBlock<T>& x) {
  std::vector<T> z(x.rows * map.outputs(), T(7));
  map.apply(cpu_backend(), x, {z.data(), x.rows, map.outputs(), map.outputs()});
  return z;
}

template <class T>
class Projections : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Projections, Numbers);

// Sizes beside the edges of tiles, transforms and parts.
TYPED_TEST(Projections, AreTheSameForDenseAndSparseRowsAndHoweverTheyAreStored) {
  using T = TypeParam;
  for (const ProjectOptions& kind : kAll)
    for (const auto& [d, k] : {std::pair<std::size_t, std::size_t>{5, 4}, {64, 17}, {300, 40}, {129, 100}}) {
      const Block<T> x(70, d, 1);
      ProjectOptions options = with(kind, k);
      const std::vector<T> z = mapped(*project(d, options), x.dense);
      const std::string where = projection_name(options.kind) + " " + std::to_string(d);
      ASSERT_EQ(mapped(*project(d, options), x.sparse), z) << where;
      for (const Store store : {Store::matrix, Store::seed}) {
        options.store = store;
        ASSERT_EQ(mapped(*project(d, options), x.dense), z) << where;
        ASSERT_EQ(mapped(*project(d, options), x.sparse), z) << where;
      }
    }
}

TYPED_TEST(Projections, OfARowDependOnThatRowAlone) {
  using T = TypeParam;
  for (const ProjectOptions& kind : kAll) {
    const Block<T> x(130, 200, 2);
    const MapPtr map = project(200, with(kind, 30));
    const std::vector<T> z = mapped(*map, x.dense);
    for (const auto& [begin, count] : {std::pair<std::size_t, std::size_t>{0, 1}, {5, 3}, {64, 66}}) {
      const std::vector<T> part = mapped(*map, x.dense.slice(begin, count));
      ASSERT_TRUE(std::equal(part.begin(), part.end(), z.begin() + std::ptrdiff_t(begin * 30))) << map->spec();
    }
  }
}

// Columns of the matrix, found one by one, give the products; and many outputs go through several tiles.
TEST(Project, IsLinearAndAgreesWithItsColumns) {
  for (const ProjectOptions& kind : kAll) {
    const std::size_t d = 260, k = 150;
    const MapPtr map = project(d, with(kind, k));
    Matrix<double> unit(d, d);
    for (std::size_t j = 0; j < d; ++j) unit(j, j) = 1;
    const Matrix<double> columns = apply(*map, unit, cpu_backend());
    const Block<double> x(7, d, 5);
    const std::vector<double> z = mapped(*map, x.dense);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < k; ++j) {
        double sum = 0;
        for (std::size_t c = 0; c < d; ++c) sum += x.values[i * d + c] * columns(c, j);
        ASSERT_NEAR(z[i * k + j], sum, 1e-12) << map->spec();
      }
  }
}

TEST(Project, ManyOutputsGoThroughSeveralTiles) {
  const std::size_t d = 140, k = 2050;
  const Block<float> x(6, d, 4);
  for (const Kind kind : {Kind::sign, Kind::gaussian}) {
    const MapPtr map = project(d, {.kind = kind, .dims = k, .seed = 1, .store = Store::seed});
    const std::vector<float> z = mapped(*map, x.dense);
    for (const std::size_t j : {0, 1023, 1024, 2047, 2049}) {
      double sum = 0;
      for (std::size_t i = 0; i < d; ++i) {
        const DrawWords words =
            kind == Kind::sign ? draw_words(1, Draw::entry, i, j / 128) : draw_words(1, Draw::entry, i, j / 2);
        const double r = kind == Kind::sign ? ((j % 128 < 64 ? words.first : words.second) >> (j % 64) & 1 ? -1 : 1)
                                            : word_normal(j % 2 ? words.second : words.first);
        sum += double(x.values[2 * d + i]) * r;
      }
      ASSERT_NEAR(z[2 * k + j], sum / std::sqrt(double(k)), 1e-4) << projection_name(kind) << " " << j;
    }
  }
}

// E|f(u)|^2 = 1 and its variance by the closed form, over seeds, for a vector that is spread and one that is not.
TEST(Project, KeepsLengthsWithTheVarianceOfItsClosedForm) {
  const std::size_t d = 48, k = 12, seeds = 3000;
  Matrix<double> u(2, d);
  double fourth[2] = {0, 0};
  for (std::size_t j = 0; j < d; ++j) {
    u(0, j) = (j % 2 ? -1 : 1) / std::sqrt(double(d));
    u(1, j) = j == 7 ? std::sqrt(0.5) : std::sqrt(0.5 / double(d - 1));
    for (std::size_t i = 0; i < 2; ++i) fourth[i] += std::pow(u(i, j), 4);
  }
  for (const ProjectOptions& kind : kAll) {
    double sum[2] = {0, 0}, squares[2] = {0, 0}, powers[2] = {0, 0};
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const Matrix<double> z = apply(*project(d, with(kind, k, seed)), u, cpu_backend());
      for (std::size_t i = 0; i < 2; ++i) {
        double length = 0;
        for (std::size_t j = 0; j < k; ++j) length += z(i, j) * z(i, j);
        sum[i] += length - 1;
        squares[i] += (length - 1) * (length - 1);
        powers[i] += std::pow(length - 1, 4);
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const ProjectOptions options = with(kind, k);
      const double n = double(seeds), variance = projection_variance(d, options, fourth[i]);
      const std::string where = project(d, options)->spec() + (i ? " peaked" : " spread");
      EXPECT_NEAR(sum[i] / n, 0, 4 * std::sqrt(variance / n) + 1e-12) << where;
      const double found = squares[i] / n, error = std::sqrt((powers[i] / n - found * found) / n);
      EXPECT_NEAR(found, variance, 4 * error + 1e-12) << where;
    }
  }
}

// The least squares of fewer equations than unknowns: A x = z again, and x is in the range of A^T.
TEST(Project, InverseIsTheShortestSolution) {
  for (const ProjectOptions& kind : kAll) {
    if (kind.kind == Kind::verysparse || kind.density == 0.05) continue;  // rows of zeros: no solution
    const std::size_t d = 120, k = 30;
    const MapPtr map = project(d, with(kind, k)), back = map->inverse(map);
    ASSERT_EQ(back->inputs(), k);
    ASSERT_EQ(back->outputs(), d);
    const Block<double> x(3, d, 9);
    Matrix<double> rows(3, d);
    std::copy(x.values.begin(), x.values.end(), rows.data());
    const Matrix<double> z = apply(*map, rows, cpu_backend()), found = apply(*back, z, cpu_backend());
    const Matrix<double> again = apply(*map, found, cpu_backend());
    double ours = 0, theirs = 0, together = 0;
    for (std::size_t i = 0; i < 3 * k; ++i) ASSERT_NEAR(again.data()[i], z.data()[i], 1e-9) << map->spec();
    for (std::size_t i = 0; i < 3 * d; ++i) {
      ours += found.data()[i] * found.data()[i];
      theirs += rows.data()[i] * rows.data()[i];
      together += found.data()[i] * rows.data()[i];
    }
    EXPECT_LT(ours, theirs);
    EXPECT_NEAR(together, ours, 1e-8 * theirs) << map->spec();  // the rest of the row is orthogonal to it
  }
}

TEST(Project, OfMoreOutputsThanInputsIsUndone) {
  const std::size_t d = 20, k = 80;
  for (const Kind kind : {Kind::gaussian, Kind::sign, Kind::sparse}) {
    const MapPtr map = project(d, {.kind = kind, .dims = k});
    Matrix<double> x(2, d);
    for (std::size_t i = 0; i < 2 * d; ++i) x.data()[i] = double(i % 7) - 3;
    const Matrix<double> found = apply(*map->inverse(map), apply(*map, x, cpu_backend()), cpu_backend());
    for (std::size_t i = 0; i < 2 * d; ++i) ASSERT_NEAR(found.data()[i], x.data()[i], 1e-10);
  }
}

TEST(Project, IsSavedAsItsSeed) {
  for (const ProjectOptions& kind : kAll) {
    const MapPtr map = project(300, with(kind, 20, 99));
    Archive archive;
    map->save(archive);
    EXPECT_TRUE(archive.arrays.empty());
    const MapPtr again = load_map(archive);
    EXPECT_EQ(again->spec(), map->spec());
    const Block<float> x(5, 300, 1);
    EXPECT_EQ(mapped(*again, x.dense), mapped(*map, x.dense));
    Archive back;
    map->inverse(map)->save(back);
    EXPECT_EQ(load_map(back)->spec(), "inverse of " + map->spec());
  }
}

TEST(Project, RefusesWhatMakesNoSense) {
  EXPECT_THROW(project(0, {.dims = 1}), std::invalid_argument);
  EXPECT_THROW(project(5, {.dims = 0}), std::invalid_argument);
  EXPECT_THROW(project(5, {.kind = Kind::srht, .dims = 9}), std::invalid_argument);
  EXPECT_THROW(project(5, {.kind = Kind::hash, .dims = 3, .signs = 4}), std::invalid_argument);
  EXPECT_THROW(project(5, {.kind = Kind::sign, .dims = 3, .signs = 2}), std::invalid_argument);
  EXPECT_THROW(project(5, {.kind = Kind::sign, .dims = 3, .density = 0.5}), std::invalid_argument);
  EXPECT_THROW(project(5, {.kind = Kind::sparse, .dims = 3, .density = 1.5}), std::invalid_argument);
  EXPECT_THROW(project(5, {.kind = Kind::fastjl, .dims = 3, .norm = 3}), std::invalid_argument);
  EXPECT_THROW(parse_projection_name("gauss"), std::invalid_argument);
}

TEST(Project, SaysWhatItsMatrixTakes) {
  const std::size_t d = 1000000, k = 10000;
  EXPECT_EQ(projection_bytes(d, {.kind = Kind::gaussian, .dims = k}), 4e10);
  EXPECT_LT(projection_bytes(d, {.kind = Kind::sign, .dims = k}), 1.3e9);
  EXPECT_NEAR(projection_bytes(d, {.kind = Kind::sparse, .dims = k}), 2.5e9, 2e7);  // 2 bits an entry
  EXPECT_EQ(double(project(d, {.kind = Kind::sparse, .dims = k, .store = Store::matrix})->held_bytes()),
            projection_bytes(d, {.kind = Kind::sparse, .dims = k}));
  EXPECT_LT(projection_bytes(d, {.kind = Kind::verysparse, .dims = k}), 5e7);  // lists of 10
  for (const Kind kind : {Kind::gaussian, Kind::sign, Kind::hash, Kind::srht})
    EXPECT_LT(project(d, {.kind = kind, .dims = k})->held_bytes(), 4e6) << projection_name(kind);
  EXPECT_EQ(project(d, {.kind = Kind::gaussian, .dims = k, .store = Store::matrix})->held_bytes(), 40000000000);
}

}  // namespace
}  // namespace bochner
