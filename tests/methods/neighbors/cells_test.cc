// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>

#include "methods/neighbors/code_search.h"
#include "run/compute.h"

namespace bochner {
namespace {

// Rows about a few middles: whole numbers from 0 to 255, or any.
Matrix<float> clouds(std::size_t rows, std::size_t inputs, bool whole) {
  std::mt19937 generator(unsigned(rows + inputs));
  std::normal_distribution<float> normal(0, 20);
  Matrix<float> middles(20, inputs), x(rows, inputs);
  for (std::size_t i = 0; i < 20 * inputs; ++i) middles.data()[i] = 64 + float(generator() % 128);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) {
      x(i, j) = std::clamp(middles(i % 20, j) + normal(generator), 0.0f, 255.0f);
      if (whole) x(i, j) = std::floor(x(i, j));
    }
  return x;
}

Points points_of(const Matrix<float>& x) {
  Points points;
  points.inputs = x.cols();
  points.dense = Matrix<float>(x);
  return points;
}

TEST(SearchByCodes, FindsWhatExactSearchDoes) {
  for (const bool whole : {true, false})
    for (const std::size_t inputs : {3, 90}) {
      const Points points = points_of(clouds(2000, inputs, whole));
      Threads threads(2);
      const Workers on = workers_on(threads);
      const std::optional<Codes> codes = Codes::of(on, points.dense.view());
      ASSERT_TRUE(codes && can_search(*codes));
      std::vector<std::uint32_t> some(300);
      for (std::size_t i = 0; i < some.size(); ++i) some[i] = std::uint32_t(6 * i);
      const Points queries = points.at(some);
      const PointSearch search{Metric::euclidean, queries, some, points, 7};
      const Neighbors expected = search_exact(on, search), found = search_by_codes(on, search, *codes);
      EXPECT_EQ(found.distances, expected.distances) << whole << " " << inputs;
    }
}

// The share of each row's k nearest that are as near as the true ones; no row is named twice, none is itself.
double share_found(const Matrix<float>& x, const Neighbors& graph) {
  std::size_t hits = 0, rows = 0;
  for (std::size_t i = 0; i < x.rows(); i += 40, ++rows) {
    std::vector<double> all;
    for (std::size_t other = 0; other < x.rows(); ++other) {
      double squared = 0;
      for (std::size_t j = 0; j < x.cols(); ++j) {
        const double apart = double(x(i, j)) - double(x(other, j));
        squared += apart * apart;
      }
      if (other != i) all.push_back(std::sqrt(squared));
    }
    std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(graph.k - 1), all.end());
    std::set<std::int64_t> named{std::int64_t(i)};
    for (std::size_t c = 0; c < graph.k; ++c) {
      EXPECT_TRUE(named.insert(graph.rows[i * graph.k + c]).second) << i;
      hits += graph.distances[i * graph.k + c] <= all[graph.k - 1] * (1 + 1e-5);
    }
  }
  return double(hits) / double(rows * graph.k);
}

Neighbors graph_of(const Matrix<float>& x, const IndexOptions& options) {
  Schema schema;
  schema.inputs = x.cols();
  const std::unique_ptr<Rows> rows = memory_rows<float>(x.view(), {}, schema);
  return neighbor_graph(*rows, 10, options);
}
double found_in(const Matrix<float>& x, const IndexOptions& options) { return share_found(x, graph_of(x, options)); }
double found_in(const Matrix<float>& x, double recall) {
  return found_in(x, {.method = IndexOptions::Method::forest, .recall = recall});
}

TEST(SearchByCodes, IsTheExactGraphOfWholeNumbers) {
  const Matrix<float> x = clouds(1200, 30, true);
  EXPECT_EQ(found_in(x, {.method = IndexOptions::Method::exact}), 1);
  EXPECT_EQ(found_in(x, {.metric = Metric::euclidean}), 1);
}

// Whole numbers from 0 to 255 are read as bytes; other rows, which may be the last, are not.
TEST(Graph, IsTheSameOfRowsThatAreReadAsBytes) {
  const Matrix<float> x = clouds(6000, 40, true);
  const Neighbors bytes = graph_of(x, {.method = IndexOptions::Method::exact});
  Matrix<float> below = x, few = x, last = x;
  for (std::size_t i = 0; i < 6000 * 40; ++i) {
    below.data()[i] -= 1;
    few.data()[i] = std::floor(x.data()[i] / 3);
  }
  last(5999, 39) += 0.5f;
  const Neighbors floats = graph_of(below, {.method = IndexOptions::Method::exact});
  EXPECT_EQ(bytes.rows, floats.rows);
  EXPECT_EQ(bytes.distances, floats.distances);
  for (const Matrix<float>* rows : std::initializer_list<const Matrix<float>*>{&x, &few, &last}) {
    EXPECT_EQ(found_in(*rows, {.method = IndexOptions::Method::exact}), 1);
    EXPECT_GE(found_in(*rows, 0.95), 0.92);
  }
}

TEST(Cells, FindNeighboursInAPlaneWhereBytesAreTooCoarse) {
  const Matrix<float> x = clouds(8000, 2, false);
  Matrix<float> far = x;
  far(17, 0) = 1e6f;  // all others in one step
  for (const double recall : {0.8, 0.99}) {
    EXPECT_GE(found_in(x, recall), recall - 0.03);
    EXPECT_GE(found_in(far, recall), recall - 0.03);
  }
}

TEST(Cells, OfManyEqualRowsStaySmall) {
  Matrix<float> x = clouds(6000, 12, false);
  for (std::size_t i = 0; i < 6000; i += 2) std::copy_n(&x(0, 0), 12, &x(i, 0));
  EXPECT_GE(found_in(x, 0.9), 0.87);
  Threads threads(2);
  const Workers on = workers_on(threads);
  const std::vector<float> half(6000);
  Cells cells(on, {x.view(), half}, 0);
  EXPECT_GT(cells.count(), 3000u / (8 * 32));
}

// What a graph is made of is what its sample is measured by.
TEST(Cells, AllPointsMeetTheCellsThatSomeAreSaidToMeet) {
  Matrix<float> x = clouds(4000, 12, false);
  for (std::size_t i = 0; i < 1000; ++i) std::copy_n(&x(0, 0), 12, &x(4 * i, 0));  // cells that are equally near
  Threads threads(2);
  const Workers on = workers_on(threads);
  const std::vector<float> half(4000);
  Cells cells(on, {x.view(), half}, 0);
  std::vector<std::uint32_t> places(400);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = std::uint32_t(9 * i);
  for (const std::size_t known : {20, 1000}) {
    cells.know(on, known);
    const std::vector<std::uint32_t> near = cells.near(on, places);
    for (const std::size_t nearest : {std::size_t(1), std::size_t(7), std::min<std::size_t>(known, cells.count())}) {
      Best some(places.size(), 15), all = cells.meet_all(on, nearest, 15);
      cells.meet(on, places, near, 0, nearest, some);
      for (std::size_t i = 0; i < places.size(); ++i) {
        float* values = all.view(places[i]).values;
        std::sort(values, values + 15);
        EXPECT_TRUE(std::equal(values, values + 15, some.values(i))) << known << " " << nearest << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace bochner
