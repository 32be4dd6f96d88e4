// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "backend/backend.h"
#include "base/archive.h"
#include "bochner/error.h"
#include "methods/bins/binning_map.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/grid_linear.h"
#include "random/draw.h"

namespace bochner {
namespace {

struct Problem {
  std::size_t rows, cols;
  std::vector<float> x;
  RowBlock<float> block;

  Problem(std::size_t rows, std::size_t cols, std::uint64_t seed = 1) : rows(rows), cols(cols), x(rows * cols) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(normal(seed, Draw::sample, i));
    block.rows = rows;
    block.cols = block.stride = cols;
    block.values = x.data();
  }
};

// The bins of the problem's rows, numbered naively.
std::vector<std::vector<std::uint64_t>> occupied(const Problem& p, const BinningOptions& options) {
  std::vector<std::vector<std::uint64_t>> bins(options.grids);
  std::vector<std::uint64_t> hashes(p.rows);
  for (std::size_t g = 0; g < options.grids; ++g) {
    plain_bin_hashes(p.block, draw_grid<float>(p.cols, options, g), hashes.data());
    for (const auto h : hashes)
      if (std::find(bins[g].begin(), bins[g].end(), h) == bins[g].end()) bins[g].push_back(h);
  }
  return bins;
}

BinningMap map_of(const Problem& p, const BinningOptions& options) {
  return BinningMap(p.cols, options, occupied(p, options));
}

TEST(BinningMap, ARowHasOneEqualFeatureInEveryGridThatKnowsItsBin) {
  const Problem p(200, 3);
  BinningOptions options;
  options.grids = 16;
  const BinningMap map = map_of(p, options);
  Matrix<float> z(p.rows, map.outputs());
  map.apply(reference_backend(), p.block, z.view());
  for (std::size_t i = 0; i < p.rows; ++i) {
    for (std::size_t g = 0; g < options.grids; ++g) {
      int ones = 0;
      for (std::size_t c = map.offset(g); c < map.offset(g + 1); ++c) {
        if (z(i, c) == 0) continue;
        ++ones;
        EXPECT_EQ(z(i, c), 0.25f);
      }
      EXPECT_EQ(ones, 1);
    }
  }
  EXPECT_EQ(map.bound(), 0.25);
}

TEST(BinningMap, ABinNeverSeenContributesNothing) {
  const Problem p(50, 2);
  const BinningMap map = map_of(p, {});
  const std::vector<float> far{1e6f, -1e6f};
  RowBlock<float> block;
  block.rows = 1;
  block.cols = block.stride = 2;
  block.values = far.data();
  SparseRows<float> rows;
  ASSERT_TRUE(map.apply_sparse(cpu_backend(), block, rows));
  EXPECT_TRUE(rows.columns.empty());
  EXPECT_EQ(rows.offsets, (std::vector<std::size_t>{0, 0}));
}

TEST(BinningMap, CsrHoldsTheOutputsThatAreNotZero) {
  const Problem seen(100, 3, 1), fresh(80, 3, 2);
  BinningOptions options;
  options.grids = 9;
  const BinningMap map = map_of(seen, options);
  Matrix<float> z(fresh.rows, map.outputs());
  map.apply(reference_backend(), fresh.block, z.view());
  SparseRows<float> rows;
  ASSERT_TRUE(map.apply_sparse(cpu_backend(), fresh.block, rows));
  EXPECT_EQ(map.nonzeros(), 9u);
  EXPECT_LE(rows.columns.size(), 9 * fresh.rows);
  Matrix<float> written(fresh.rows, map.outputs());
  rows.write(written.view());
  EXPECT_EQ(written, z);
}

TEST(BinningMap, PutsOutCsrInChainsAndSums) {
  const Problem seen(100, 3, 1), fresh(80, 3, 2);
  BinningOptions options;
  options.grids = 9;
  const auto bins = std::make_shared<BinningMap>(3, options, occupied(seen, options));
  const MapPtr scale = scaling({3, ColumnScaling{.method = ColumnScaling::Method::standardize, .factor = 1.0}});
  const MapPtr both = concat({fourier(3, {.features = 6}), bins}, {1.0, 4.0});
  EXPECT_EQ(both->nonzeros(), 6u + 9u);
  EXPECT_EQ(concat({fourier(3, {.features = 6})})->nonzeros(), 0u);
  for (const MapPtr& map : {chain({scale, bins}), chain({scale, both}), both}) {
    Matrix<float> z(fresh.rows, map->outputs()), written(fresh.rows, map->outputs());
    map->apply(cpu_backend(), fresh.block, z.view());
    SparseRows<float> rows;
    ASSERT_TRUE(map->apply_sparse(cpu_backend(), fresh.block, rows));
    rows.write(written.view());
    EXPECT_EQ(written, z) << map->spec();
  }
  // A head behind them takes the CSR: the same as from their dense features.
  Matrix<double> w(both->outputs(), 2);
  for (std::size_t j = 0; j < w.rows() * 2; ++j) w.data()[j] = double(j % 7) - 3;
  const MapPtr head = linear(w, {1.0, 2.0});
  Matrix<double> x(fresh.rows, 3), z(fresh.rows, both->outputs()), far(fresh.rows, 2), near(fresh.rows, 2);
  std::copy_n(fresh.block.values, x.rows() * x.cols(), x.data());
  chain({both, head})->apply(cpu_backend(), RowBlock<double>::dense(x.view()), far.view());
  both->apply(cpu_backend(), RowBlock<double>::dense(x.view()), z.view());
  head->apply(cpu_backend(), RowBlock<double>::dense(z.view()), near.view());
  for (std::size_t i = 0; i < fresh.rows; ++i)
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(far(i, k), near(i, k), 1e-12);
}

TEST(BinningMap, IsTheSameAfterSaveAndLoad) {
  const Problem seen(300, 4, 1), fresh(100, 4, 2);
  BinningOptions options;
  options.grids = 12;
  options.seed = 77;
  options.length_scales = {1, 2, 0.5, 3};
  options.order_low = 1;
  options.order_high = 3;
  options.groups = {0, 1, 1, 2};
  const std::vector<double> t{0, 1, 3}, k{1, 0.3, 0};
  options.law = pitch_table(t, k);
  const BinningMap map = map_of(seen, options);
  Archive archive;
  map.save(archive);
  const auto loaded = load_binning(archive);
  EXPECT_EQ(loaded->options(), options);
  Archive again;
  loaded->save(again);
  EXPECT_EQ(again.tree, archive.tree);
  EXPECT_EQ(again.arrays, archive.arrays);
  Matrix<float> a(fresh.rows, map.outputs()), b(fresh.rows, map.outputs());
  map.apply(reference_backend(), fresh.block, a.view());
  loaded->apply(reference_backend(), fresh.block, b.view());
  EXPECT_EQ(a, b);
}

TEST(BinningMap, RefusesADamagedFile) {
  const Problem p(30, 2);
  Archive good;
  map_of(p, {}).save(good);
  const auto refuses = [&](const std::function<void(Archive&)>& damage) {
    Archive bad = good;
    damage(bad);
    EXPECT_THROW(load_binning(bad), Error);
  };
  refuses([](Archive& a) { a.tree["type"] = "fourier"; });
  refuses([](Archive& a) { a.tree["grids"] = 49; });
  refuses([](Archive& a) { a.tree["grids"] = 1ull << 40; });
  refuses([](Archive& a) { a.tree["inputs"] = 0; });
  refuses([](Archive& a) { a.tree["kernel"] = "table"; });
  refuses([](Archive& a) { a.tree["order_low"] = 2; });
  refuses([](Archive& a) { a.arrays.erase("bin"); });
  refuses([](Archive& a) { a.arrays["bin"].bytes.pop_back(); });
  refuses([](Archive& a) { a.arrays["bin_count"].bytes[3] = std::byte{0xff}; });
}

TEST(BinningMap, ThreadsMayShareIt) {
  const Problem p(500, 4);
  const BinningMap map = map_of(p, {});
  std::vector<std::vector<std::uint32_t>> columns(4);
  std::vector<std::thread> threads;
  for (auto& mine : columns) {
    threads.emplace_back([&] {
      SparseRows<float> rows;
      map.apply_sparse(cpu_backend(), p.block, rows);
      mine = rows.columns;
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& other : columns) EXPECT_EQ(other, columns[0]);
}

TEST(BinningMap, RefusesOptionsThatMakeNoSense) {
  const auto refuses = [](auto change) {
    BinningOptions options;
    options.grids = 1;
    change(options);
    EXPECT_THROW(BinningMap(3, options, {{1}}), std::invalid_argument);
  };
  refuses([](BinningOptions& o) { o.grids = 0; });
  refuses([](BinningOptions& o) { o.length_scales = {1, 2}; });
  refuses([](BinningOptions& o) { o.length_scales = {-1}; });
  refuses([](BinningOptions& o) { o.order_low = 2, o.order_high = 1; });
  refuses([](BinningOptions& o) { o.groups = {0, 1}; });
  refuses([](BinningOptions& o) { o.groups = {0, 1, 9}; });
  refuses([](BinningOptions& o) { o.law.family = PitchLaw::Family::table; });
}

TEST(BinningMap, GridsOfScalesBeyondAFloatAreFinite) {
  for (const double scale : {1e-320, 1e-60, 1e-39, 1e38, 1e39, 1e71, 1e308})
    for (std::uint64_t index = 0; index < 20; ++index) {
      BinningOptions options;
      options.length_scales = {scale};
      const Grid<float> grid = draw_grid<float>(1, options, index);
      ASSERT_TRUE(std::isfinite(grid.shift[0]) && std::isfinite(grid.per_pitch[0])) << scale;
      EXPECT_TRUE(scale < 1e39 || grid.bin(0, 1) == grid.bin(0, 5)) << scale;
      EXPECT_TRUE(scale > 1e-39 || grid.bin(0, 1) > grid.bin(0, -1)) << scale;
    }
}

TEST(BinningMap, GroupsTheIndicatorsOfOneCategory) {
  const std::vector<std::string> names{"age", "job=clerk", "job=cook", "pay", "town=a=b", "town=c", "job"};
  EXPECT_EQ(group_inputs(names), (std::vector<std::uint32_t>{0, 1, 1, 2, 3, 3, 4}));
}

TEST(GridLinear, IsTheProductWithTheFeaturesAndSurvivesAFile) {
  const Problem seen(200, 3, 1), fresh(70, 3, 2);
  BinningOptions options;
  options.grids = 10;
  auto map = std::make_shared<BinningMap>(3, options, occupied(seen, options));
  std::vector<float> values(map->outputs() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(normal(5, Draw::sample, i));
  const GridLinear head(map, values, {0.5, -1});
  Matrix<float> z(fresh.rows, map->outputs()), y(fresh.rows, 2), after(fresh.rows, 2);
  map->apply(reference_backend(), fresh.block, z.view());
  head.apply(reference_backend(), fresh.block, y.view());
  for (std::size_t i = 0; i < fresh.rows; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      double sum = head.intercept()[k];
      for (std::size_t c = 0; c < map->outputs(); ++c)
        if (z(i, c) != 0) sum += double(values[c * 2 + k]);
      EXPECT_EQ(y(i, k), float(sum));
    }
  }
  Archive archive;
  head.save(archive);
  const MapPtr loaded = load_grid_linear(archive);
  loaded->apply(reference_backend(), fresh.block, after.view());
  EXPECT_EQ(y, after);
  archive.arrays["value"].shape = {1, 2};
  EXPECT_THROW(load_grid_linear(archive), Error);
  EXPECT_THROW(GridLinear(map, {1, 2, 3}, {0}), std::invalid_argument);
}

TEST(GridLinear, AFileOfCoefficientsThatAreNotFiniteIsRefused) {
  const Problem p(50, 2);
  BinningOptions options;
  options.grids = 3;
  const auto bins = std::make_shared<const BinningMap>(p.cols, options, occupied(p, options));
  const auto refused = [&](float value, double intercept) {
    std::vector<float> values(bins->outputs(), 1.0f);
    values.back() = value;
    Archive archive;
    GridLinear(bins, values, {intercept}).save(archive);
    try {
      load_grid_linear(archive);
    } catch (const Error& error) {
      return error.kind() == Error::Kind::model;
    }
    return false;
  };
  EXPECT_FALSE(refused(1, 0.5));
  EXPECT_TRUE(refused(std::nanf(""), 0.5));
  EXPECT_TRUE(refused(std::numeric_limits<float>::infinity(), 0.5));
  EXPECT_TRUE(refused(1, std::nan("")));
}

}  // namespace
}  // namespace bochner
