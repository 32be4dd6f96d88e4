// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/neighbors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "bochner/error.h"
#include "methods/neighbors/forest.h"
#include "methods/neighbors/neighbors_testing.h"
#include "random/draw.h"
#include "run/compute.h"
#include "scratch.h"

namespace bochner {
namespace {

// Rows near a few centres, of which some are equal.
Matrix<float> cloud(std::size_t rows, std::size_t inputs, std::uint64_t seed = 1) {
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) {
      const double centre = 3 * normal(seed, Draw::entry, 1000 + i % 7, j);
      x(i, j) = float(centre / double(1 + j / 4) + normal(seed, Draw::frequency, i, j) / double(1 + j / 4));
    }
  for (std::size_t i = 20; i < rows; i += 97) std::copy_n(&x(i - 11, 0), inputs, &x(i, 0));
  return x;
}

double distance(Metric metric, const float* a, const float* b, std::size_t inputs) {
  double ab = 0, aa = 0, bb = 0, squared = 0;
  for (std::size_t j = 0; j < inputs; ++j) {
    ab += double(a[j]) * double(b[j]);
    aa += double(a[j]) * double(a[j]);
    bb += double(b[j]) * double(b[j]);
    squared += (double(a[j]) - double(b[j])) * (double(a[j]) - double(b[j]));
  }
  if (metric == Metric::euclidean) return std::sqrt(squared);
  if (metric == Metric::inner) return ab;
  return aa > 0 && bb > 0 ? 1 - ab / std::sqrt(aa * bb) : 1;
}

// Sorted distances of the naive search.
std::vector<double> naive(Metric metric, const Matrix<float>& x, const float* query, std::int64_t self) {
  std::vector<double> all;
  for (std::size_t i = 0; i < x.rows(); ++i)
    if (std::int64_t(i) != self) all.push_back(distance(metric, query, &x(i, 0), x.cols()));
  std::sort(all.begin(), all.end());
  if (metric == Metric::inner) std::reverse(all.begin(), all.end());
  return all;
}

// The share of the first rows' neighbours that are as near as the true ones. self: rows are no neighbours of
// themselves.
double recall(const Matrix<float>& x, const Neighbors& found, bool self) {
  constexpr std::size_t kRows = 400;
  std::size_t hits = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::vector<double> all = naive(Metric::euclidean, x, &x(i, 0), self ? -1 : std::int64_t(i));
    std::set<std::int64_t> seen;
    for (std::size_t c = 0; c < found.k; ++c)
      hits += found.rows[i * found.k + c] >= 0 && seen.insert(found.rows[i * found.k + c]).second &&
              found.distances[i * found.k + c] <= all[found.k - 1] * (1 + 1e-6);
  }
  return double(hits) / double(kRows * found.k);
}

TEST(ExactNeighbors, AreThoseOfTheNaiveSearch) {
  for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::inner})
    for (const std::size_t inputs : {1, 3, 50}) {
      Matrix<float> x = cloud(333, inputs), queries = cloud(21, inputs, 5);
      std::fill_n(&x(100, 0), inputs, 0.0f);  // no angle
      std::fill_n(&queries(3, 0), inputs, 0.0f);
      const NeighborIndex index(*rows_of(x), {.metric = metric});
      EXPECT_EQ(index.report().method, "exact");
      const Neighbors found = index.query(*rows_of(queries), 7);
      ASSERT_EQ(found.rows.size(), 21u * 7);
      for (std::size_t i = 0; i < 21; ++i) {
        const std::vector<double> all = naive(metric, x, &queries(i, 0), -1);
        std::set<std::int64_t> seen;
        for (std::size_t c = 0; c < 7; ++c) {
          const std::int64_t row = found.rows[i * 7 + c];
          EXPECT_TRUE(seen.insert(row).second);
          const double there = distance(metric, &queries(i, 0), &x(std::size_t(row), 0), inputs);
          EXPECT_NEAR(found.distances[i * 7 + c], there, 1e-6 * (1 + std::abs(there)));
          EXPECT_NEAR(found.distances[i * 7 + c], all[c], 1e-6 * (1 + std::abs(all[c])));
        }
      }
    }
}

TEST(ExactNeighbors, OfAnyScaleAndFarFromZero) {
  const Matrix<float> x = cloud(200, 6);
  const Neighbors plain = neighbor_graph(*rows_of(x), 5);
  for (const float factor : {0x1p60f, 0x1p-70f}) {
    Matrix<float> scaled = x;
    for (std::size_t i = 0; i < 1200; ++i) scaled.data()[i] *= factor;
    const Neighbors found = neighbor_graph(*rows_of(scaled), 5);
    EXPECT_EQ(found.rows, plain.rows);
    for (std::size_t i = 0; i < found.distances.size(); ++i)
      EXPECT_NEAR(found.distances[i] / double(factor), plain.distances[i], 1e-6);
  }
  Matrix<double> far(200, 6);
  for (std::size_t i = 0; i < 1200; ++i) far.data()[i] = 1e9 + double(x.data()[i]);
  Schema schema;
  schema.inputs = 6;
  const auto rows = memory_rows<double>(far.view(), {}, schema);
  const Neighbors found = neighbor_graph(*rows, 5);
  for (std::size_t i = 0; i < found.distances.size(); ++i) EXPECT_NEAR(found.distances[i], plain.distances[i], 1e-5);
}

TEST(ExactNeighbors, OfSparseRowsAreThoseOfDenseOnes) {
  Matrix<float> x = cloud(150, 12);
  for (std::size_t i = 0; i < 150 * 12; ++i)
    if (i % 3 != i % 5) x.data()[i] = 0;
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::size_t i = 0; i < 150; ++i) {
    for (std::size_t j = 0; j < 12; ++j)
      if (x(i, j) != 0) {
        columns.push_back(std::uint32_t(j));
        values.push_back(x(i, j));
      }
    offsets.push_back(values.size());
  }
  RowBlock<float> block;
  block.rows = 150;
  block.cols = 12;
  block.values = values.data();
  block.offsets = offsets.data();
  block.columns = columns.data();
  Schema schema;
  schema.inputs = 12;
  schema.sparse = true;
  for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::inner}) {
    const Neighbors dense = neighbor_graph(*rows_of(x), 4, {.metric = metric});
    const Neighbors sparse = neighbor_graph(*memory_rows<float>(block, schema), 4, {.metric = metric});
    for (std::size_t i = 0; i < dense.distances.size(); ++i)
      EXPECT_NEAR(sparse.distances[i], dense.distances[i], 1e-6) << metric_name(metric);
  }
}

TEST(Forest, FindsTheShareThatWasAskedFor) {
  const Matrix<float> x = cloud(6000, 60);
  for (const double wanted : {0.8, 0.95}) {
    IndexReport report;
    const Neighbors graph =
        neighbor_graph(*rows_of(x), 10, {.method = IndexOptions::Method::forest, .recall = wanted}, &report);
    EXPECT_EQ(report.method, "forest");
    EXPECT_GE(report.recall, wanted);
    EXPECT_GE(recall(x, graph, false), wanted - 0.03);  // samples of 256 and 400 rows differ by less
    for (std::size_t i = 0; i < graph.rows.size(); ++i) EXPECT_NE(graph.rows[i], std::int64_t(i / 10));
    const NeighborIndex index(*rows_of(x), {.method = IndexOptions::Method::forest, .recall = wanted});
    ASSERT_EQ(index.report().method, "forest");
    EXPECT_GE(recall(x, index.query(*rows_of(x), 11), true), wanted - 0.03);
  }
}

TEST(Forest, TakesRowsWiderThanTheirCovariance) {
  Matrix<float> x(1500, 2100);
  const Matrix<float> few = cloud(1500, 8);
  for (std::size_t i = 0; i < 1500; ++i)
    for (std::size_t j = 0; j < 2100; ++j) x(i, j) = few(i, j % 8) + 0.01f * float((i * j) % 13);
  IndexReport report;
  const Neighbors graph =
      neighbor_graph(*rows_of(x), 5, {.method = IndexOptions::Method::forest, .recall = 0.9}, &report);
  EXPECT_EQ(report.method, "forest");
  EXPECT_LT(report.dims, 2100u);
  EXPECT_GE(recall(x, graph, false), 0.87);
}

TEST(Forest, IsTheSameForAnyThreads) {
  const Matrix<float> x = cloud(5500, 40);
  testing_files::Scratch folder;
  std::string first;
  Neighbors graph;
  for (const int threads : {1, 2, 3, 7}) {
    IndexOptions options{.method = IndexOptions::Method::forest, .recall = 0.9, .seed = 3};
    options.execution.threads = threads;
    const NeighborIndex index(*rows_of(x), options);
    index.save(folder.path("index"));
    std::ifstream file(folder.path("index"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const Neighbors found = neighbor_graph(*rows_of(x), 5, options);
    if (threads == 1) {
      first = bytes;
      graph = found;
    }
    EXPECT_EQ(bytes, first);
    EXPECT_EQ(found.rows, graph.rows);
    EXPECT_EQ(found.distances, graph.distances);
  }
}

TEST(Forest, WithASpillSearchesBothSidesOfACut) {
  constexpr std::size_t kRows = 1000;
  const Matrix<float> x = cloud(kRows, 20);
  Threads threads(2);
  const Workers on = workers_on(threads);
  const auto leaves_of = [&](double spill, std::size_t leaf) {
    const Tree tree = Tree::grow(on, x.view(), spreads(x.view()), 3, 0, {leaf, spill});
    const auto leaves = tree.find(on, x.view());
    std::size_t met = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::span<const std::uint32_t> own = tree.leaf(leaves[i][0]);
      const bool equal_ones = i >= 20 && (i - 20) % 97 == 0;  // a cut may lie between rows that are equal
      EXPECT_TRUE(equal_ones || std::binary_search(own.begin(), own.end(), std::uint32_t(i))) << i;
      EXPECT_EQ(std::set(leaves[i].begin(), leaves[i].end()).size(), leaves[i].size());
      met += leaves[i].size();
    }
    return double(met) / kRows;
  };
  EXPECT_EQ(leaves_of(0, 500), 1);
  EXPECT_NEAR(leaves_of(0.1, 500), 1.2, 0.01);  // one cut
  EXPECT_GT(leaves_of(0.1, 125), 1.44);
  EXPECT_LT(leaves_of(0.1, 125), 3);
}

TEST(Forest, WithASpillFindsAsManyByFewerTrees) {
  const Matrix<float> x = cloud(6000, 60), queries = cloud(40, 60, 8);
  testing_files::Scratch folder;
  IndexOptions options{.method = IndexOptions::Method::forest, .recall = 0.95};
  const NeighborIndex median(*rows_of(x), options);
  options.spill = 0.1;
  std::string first;
  for (const int threads : {1, 3}) {
    options.execution.threads = threads;
    const NeighborIndex index(*rows_of(x), options);
    ASSERT_EQ(index.report().method, "forest");
    EXPECT_LT(index.report().trees, median.report().trees);
    EXPECT_GE(recall(x, index.query(*rows_of(x), 11), true), 0.92);
    index.save(folder.path("index"));
    EXPECT_EQ(NeighborIndex::load(folder.path("index")).query(*rows_of(queries), 5).rows,
              index.query(*rows_of(queries), 5).rows);
    std::ifstream file(folder.path("index"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
  options.spill = 0.3;
  EXPECT_THROW(NeighborIndex(*rows_of(x), options), std::invalid_argument);
}

TEST(NeighborIndex, RowsAddedRemovedAndMergedAreThoseOfOneBuild) {
  const Matrix<float> x = cloud(700, 9), queries = cloud(30, 9, 4);
  const auto part = [&](std::size_t begin, std::size_t count) {
    Schema schema;
    schema.inputs = 9;
    return memory_rows<float>(x.view().slice(begin, count), {}, schema);
  };
  const NeighborIndex whole(*part(0, 700));
  const Neighbors expected = whole.query(*rows_of(queries), 6);
  NeighborIndex grown(*part(0, 200));
  grown.add(*part(200, 500));
  EXPECT_EQ(grown.query(*rows_of(queries), 6).rows, expected.rows);

  testing_files::Scratch folder;
  whole.save(folder.path("whole"));
  const auto bytes = [&](const std::string& name) {
    std::ifstream file(folder.path(name), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    const std::size_t begins[] = {0, 300, 450, 700};
    const auto built = [&](int p) {
      IndexOptions options;
      options.first = begins[p];
      return NeighborIndex(*part(begins[p], begins[p + 1] - begins[p]), options);
    };
    NeighborIndex merged = built(order[0]);
    for (std::size_t i = 1; i < 3; ++i) merged.merge(built(order[i]));
    merged.save(folder.path("merged"));
    EXPECT_EQ(bytes("merged"), bytes("whole"));
  }

  const std::vector<std::uint64_t> gone{std::uint64_t(expected.rows[0]), 5, 699};
  grown.remove(gone);
  const Neighbors left = grown.query(*rows_of(queries), 697);
  for (const std::int64_t row : left.rows)
    for (const std::uint64_t number : gone) EXPECT_NE(row, std::int64_t(number));
  EXPECT_EQ(grown.size(), 697u);
  EXPECT_THROW(grown.remove(gone), std::invalid_argument);
  EXPECT_THROW(NeighborIndex(*part(0, 10)).merge(whole), std::invalid_argument);
}

// A forest, whose trees are grown by all threads.
TEST(NeighborIndex, ChangesAreTheSameBytesForAnyThreadsAndOrder) {
  const Matrix<float> x = cloud(5400, 24);
  const std::size_t begins[] = {0, 2000, 3300, 5400};
  testing_files::Scratch folder;
  const auto built = [&](std::size_t begin, std::size_t end, int threads) {
    Schema schema;
    schema.inputs = 24;
    IndexOptions options{.method = IndexOptions::Method::forest, .recall = 0.8, .first = begin};
    options.execution.threads = threads;
    return NeighborIndex(*memory_rows<float>(x.view().slice(begin, end - begin), {}, schema), options);
  };
  const auto bytes = [&](const NeighborIndex& index) {
    index.save(folder.path("index"));
    std::ifstream file(folder.path("index"), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const NeighborIndex all = built(0, 5400, 1);
  ASSERT_EQ(all.report().method, "forest");
  const std::string whole = bytes(all);
  std::string left;
  for (const int threads : {1, 2, 3, 7}) {
    const Execution execution{.threads = threads};
    const int last = threads % 3, first = (last + 1) % 3;  // some order of the parts
    NeighborIndex merged = built(begins[first], begins[first + 1], threads);
    for (const int part : {3 - first - last, last})
      merged.merge(built(begins[part], begins[part + 1], threads), execution);
    EXPECT_EQ(bytes(merged), whole) << threads;
    NeighborIndex grown = built(0, 2000, threads);
    Schema schema;
    schema.inputs = 24;
    grown.add(*memory_rows<float>(x.view().slice(2000, 3400), {}, schema), execution);
    EXPECT_EQ(bytes(grown), whole) << threads;
    grown.remove(std::vector<std::uint64_t>{0, 17, 5399}, execution);
    const std::string now = bytes(grown);
    if (left.empty()) left = now;
    EXPECT_EQ(now, left) << threads;
    EXPECT_NE(now, whole);
  }
}

TEST(NeighborIndex, IsTheSameFromItsFile) {
  testing_files::Scratch folder;
  const Matrix<float> x = cloud(5200, 40), queries = cloud(50, 40, 6);
  for (const auto method : {IndexOptions::Method::exact, IndexOptions::Method::forest}) {
    const NeighborIndex index(*rows_of(x), {.metric = Metric::cosine, .method = method, .recall = 0.8});
    index.save(folder.path("index"));
    const NeighborIndex again = NeighborIndex::load(folder.path("index"));
    const Neighbors a = index.query(*rows_of(queries), 9), b = again.query(*rows_of(queries), 9);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.distances, b.distances);
    EXPECT_EQ(again.report().trees, index.report().trees);
  }
}

TEST(NeighborIndex, SmallAndBadSets) {
  const Matrix<float> one = cloud(1, 3);
  EXPECT_EQ(NeighborIndex(*rows_of(one)).query(*rows_of(one), 5).rows, std::vector<std::int64_t>{0});
  EXPECT_EQ(neighbor_graph(*rows_of(one), 5).rows, std::vector<std::int64_t>{-1});
  EXPECT_THROW(NeighborIndex(*rows_of(Matrix<float>(0, 3))), std::invalid_argument);
  EXPECT_THROW(NeighborIndex(*rows_of(one)).query(*rows_of(cloud(2, 4)), 1), std::invalid_argument);
  EXPECT_THROW(neighbor_graph(*rows_of(one), 0), std::invalid_argument);
  EXPECT_THROW(neighbor_graph(*rows_of(one), 1, {.recall = 0}), std::invalid_argument);
  Matrix<float> same(6000, 40);  // all equal: every row is a neighbour of every other
  const Neighbors found = neighbor_graph(*rows_of(same), 3);
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    EXPECT_GE(found.rows[i], 0);
    EXPECT_NE(found.rows[i], std::int64_t(i / 3));
    EXPECT_EQ(found.distances[i], 0);
  }
}

}  // namespace
}  // namespace bochner
