// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "methods/neighbors/codes.h"
#include "methods/neighbors/neighbors_testing.h"
#include "random/draw.h"
#include "run/compute.h"
#include "scratch.h"

namespace bochner {
namespace {

Matrix<float> cloud(std::size_t rows, std::size_t inputs, std::uint64_t seed = 1) {
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j)
      x(i, j) = float(normal(seed, Draw::entry, i % 5, j) + normal(seed, Draw::frequency, i, j) / double(1 + j / 4));
  return x;
}

double squared(const float* a, const float* b, std::size_t inputs) {
  double sum = 0;
  for (std::size_t j = 0; j < inputs; ++j) sum += (double(a[j]) - double(b[j])) * (double(a[j]) - double(b[j]));
  return sum;
}

TEST(Graph, NamesARowOnceAndDistancesAreTrue) {
  const Matrix<float> x = cloud(3000, 60);
  for (const double recall : {0.9, 0.99}) {
    const Neighbors graph = neighbor_graph(*rows_of(x), 10, {.method = IndexOptions::Method::forest, .recall = recall});
    for (std::size_t i = 0; i < x.rows(); ++i) {
      std::set<std::int64_t> seen{std::int64_t(i)};
      for (std::size_t c = 0; c < 10; ++c) {
        const std::int64_t row = graph.rows[i * 10 + c];
        if (row < 0) continue;
        ASSERT_TRUE(seen.insert(row).second) << "row " << i << " has " << row << " twice";
        ASSERT_NEAR(graph.distances[i * 10 + c], std::sqrt(squared(&x(i, 0), &x(std::size_t(row), 0), 60)), 1e-5);
      }
    }
  }
}

// Bytes hold such rows: their distances are not found from the rows once more.
TEST(Graph, OfWholeNumbersHasTheirDistancesToTheBit) {
  Matrix<float> x = cloud(1500, 40);
  for (std::size_t i = 0; i < 1500 * 40; ++i)
    x.data()[i] = std::clamp(std::round(x.data()[i] * 10 + 100), 0.0f, 255.0f);
  const Neighbors graph = neighbor_graph(*rows_of(x), 5, {.method = IndexOptions::Method::forest, .recall = 0.9});
  for (std::size_t i = 0; i < 1500 * 5; ++i) {
    ASSERT_GE(graph.rows[i], 0);
    ASSERT_EQ(graph.distances[i], std::sqrt(squared(&x(i / 5, 0), &x(std::size_t(graph.rows[i]), 0), 40)));
  }
}

TEST(Codes, BoundTheDistancesOfRows) {
  Threads threads(2);
  const Workers on = workers_on(threads);
  const Matrix<float> x = cloud(200, 37);
  const std::optional<Codes> codes = Codes::of(on, x.view());
  ASSERT_TRUE(codes);
  std::vector<std::uint32_t> all(200), apart(200);
  for (std::uint32_t i = 0; i < 200; ++i) all[i] = i;
  double widest = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    code_distances(codes->rows().row(i), codes->rows(), all, apart.data());
    for (std::uint32_t j = 0; j < 200; ++j) {
      const double distance = std::sqrt(squared(&x(i, 0), &x(j, 0), 37));
      const double of_bytes = codes->step() * std::sqrt(double(apart[j]));
      ASSERT_LE(std::abs(distance - of_bytes), codes->slack(i, j) * (1 + 1e-9));
      widest = std::max(widest, codes->slack(i, j) / (1 + distance));
    }
  }
  EXPECT_LT(widest, 0.3);  // they say something
}

TEST(Codes, OfWholeNumbersThatABytesHoldsAreExact) {
  Threads threads(1);
  Matrix<float> x(300, 9);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 9; ++j) x(i, j) = float(bits(1, Draw::entry, i, j) % 140) * 0x1p-7f;
  const std::optional<Codes> codes = Codes::of(workers_on(threads), x.view());
  ASSERT_TRUE(codes);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(codes->error(i), 0);
  EXPECT_FALSE(Codes::of(workers_on(threads), Matrix<float>(4, 3).view()));  // all equal
}

TEST(Bytes, OfAnIndexRoundItsRowsAndStayInItsFile) {
  const Matrix<float> x = cloud(400, 12), queries = cloud(20, 12, 3);
  const NeighborIndex plain(*rows_of(x)), bytes(*rows_of(x), {.bytes = true});
  const Neighbors expected = plain.query(*rows_of(queries), 5), found = bytes.query(*rows_of(queries), 5);
  double step = 0;
  for (std::size_t j = 0; j < 12; ++j) {
    float low = x(0, j), high = low;
    for (std::size_t i = 0; i < 400; ++i) low = std::min(low, x(i, j)), high = std::max(high, x(i, j));
    step = std::max(step, double(high - low) / 255);
  }
  for (std::size_t i = 0; i < found.distances.size(); ++i)
    EXPECT_NEAR(found.distances[i], expected.distances[i], step * std::sqrt(12.0) / 2 * (1 + 1e-6));
  testing_files::Scratch folder;
  const std::string path = folder.path("bytes.index"), whole = folder.path("plain.index");
  bytes.save(path);
  plain.save(whole);
  EXPECT_LT(std::filesystem::file_size(path), std::filesystem::file_size(whole) - 3 * 400 * 12 + 1000);
  NeighborIndex again = NeighborIndex::load(path);
  const Neighbors loaded = again.query(*rows_of(queries), 5);
  EXPECT_EQ(loaded.rows, found.rows);
  EXPECT_EQ(loaded.distances, found.distances);
  again.save(whole);
  EXPECT_EQ(testing_files::read_bytes(whole), testing_files::read_bytes(path));
  const std::vector<std::uint64_t> some{7, 200};
  again.remove(some);
  again.save(whole);
  EXPECT_EQ(NeighborIndex::load(whole).size(), 398u);
  EXPECT_THROW(again.add(*rows_of(x)), std::invalid_argument);
  EXPECT_THROW(again.merge(bytes), std::invalid_argument);
}

TEST(Bytes, OfADamagedFileAreRefused) {
  testing_files::Scratch folder;
  const std::string path = folder.path("i");
  NeighborIndex(*rows_of(cloud(30, 4)), {.bytes = true}).save(path);
  const Archive good = read_archive(path);
  const auto refused = [&](const std::function<void(Archive&)>& spoil) { refuse(path, good, spoil); };
  refused([](Archive& a) { a.arrays.erase("codes"); });
  refused([](Archive& a) { a.arrays.erase("low"); });
  refused([](Archive& a) { a.tree["rows"] = 31; });
  refused([](Archive& a) { a.tree["rows"] = 0; });
  refused([](Archive& a) { a.tree["from"] = 5; });  // larger than the next row's number
  for (const double step : {0.0, -1.0, 1e300}) refused([&](Archive& a) { a.tree["step"] = step; });
  refused([](Archive& a) {
    a.arrays.erase("codes");
    a.put<std::uint8_t>("codes", std::vector<std::uint8_t>(8), {2, 4});
  });
  refused([](Archive& a) {
    a.arrays.erase("low");
    a.put<float>("low", std::vector<float>(4, std::numeric_limits<float>::infinity()), {4});
  });
}

TEST(HashCheck, FindsTheClosedFormsOnRows) {
  Matrix<float> x = cloud(300, 128);
  for (const HashFamily family :
       {HashFamily::stable, HashFamily::cauchy, HashFamily::hyperplane, HashFamily::minhash}) {
    if (family == HashFamily::minhash)
      for (std::size_t i = 0; i < 300 * 128; ++i) x.data()[i] = x.data()[i] > 0.5f ? 1.0f : 0.0f;
    const auto rows = rows_of(x);
    const HashCheck check = check_hash(*rows, family, 2000, 7);
    ASSERT_EQ(check.bands.size(), 6u);
    EXPECT_GE(check.functions, 2000u);
    for (const HashCheck::Band& band : check.bands)
      EXPECT_NEAR(band.found, band.expected, 5 * band.deviation + 0.002) << check.text();
    EXPECT_GT(check.bands[0].expected, check.bands[5].expected);
  }
}

TEST(Filter, FindsWhatASearchAmongTheAllowedRowsFinds) {
  const Matrix<float> x = cloud(1500, 40), queries = cloud(25, 40, 9);
  for (const IndexOptions::Method method : {IndexOptions::Method::exact, IndexOptions::Method::forest})
    for (const std::uint64_t every : {2, 3, 20, 701}) {
      const NeighborIndex index(*rows_of(x), {.method = method, .recall = 0.99, .first = 100});
      const bool most = every == 3;  // all but every third
      const RowFilter allowed = [&](std::uint64_t row) { return ((row - 100) % every == 0) != most; };
      const Neighbors found = index.query(*rows_of(queries), 6, allowed);
      std::size_t hits = 0, places = 0;
      for (std::size_t i = 0; i < 25; ++i) {
        std::vector<double> all;
        for (std::size_t p = 0; p < 1500; ++p)
          if (allowed(100 + p)) all.push_back(std::sqrt(squared(&queries(i, 0), &x(p, 0), 40)));
        std::sort(all.begin(), all.end());
        ASSERT_EQ(found.k, std::min<std::size_t>(6, all.size()));
        for (std::size_t c = 0; c < found.k; ++c, ++places) {
          ASSERT_GE(found.rows[i * found.k + c], 100);
          ASSERT_TRUE(allowed(std::uint64_t(found.rows[i * found.k + c])));
          hits += found.distances[i * found.k + c] <= all[found.k - 1] * (1 + 1e-5);
        }
      }
      EXPECT_GE(double(hits) / double(places), method == IndexOptions::Method::exact ? 1.0 : 0.95) << every;
    }
}

TEST(Filter, ThatAllowsNoRowFindsNone) {
  const NeighborIndex index(*rows_of(cloud(50, 3)));
  const Neighbors found = index.query(*rows_of(cloud(4, 3, 2)), 5, [](std::uint64_t) { return false; });
  EXPECT_EQ(found.k, 0u);
  EXPECT_TRUE(found.rows.empty());
}

TEST(StreamedNeighbors, AreThoseOfRowsInMemory) {
  for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::inner, Metric::jaccard}) {
    Matrix<float> x = cloud(700, 20);
    const Matrix<float> queries = cloud(130, 20, 4);
    for (std::size_t i = 0; i < 700 * 20; i += 2) x.data()[i] = 0;
    const NeighborIndex index(*rows_of(x), {.metric = metric, .method = IndexOptions::Method::exact});
    IndexOptions small{.metric = metric};
    small.execution.memory = 30000;  // a block of rows and one of queries
    const Neighbors expected = index.query(*rows_of(queries), 8);
    const auto rows = rows_of(x), asked = rows_of(queries);
    const Neighbors found = streamed_neighbors(*rows, *asked, 8, small);
    EXPECT_EQ(found.rows, expected.rows) << metric_name(metric);
    EXPECT_EQ(found.distances, expected.distances);
    const Neighbors graph = neighbor_graph(*rows_of(x), 4, {.metric = metric, .method = IndexOptions::Method::exact});
    small.first = 1000;
    small.method = IndexOptions::Method::exact;
    const Neighbors streamed = neighbor_graph(*rows_of(x), 4, small);
    ASSERT_EQ(streamed.rows.size(), graph.rows.size());
    for (std::size_t i = 0; i < graph.rows.size(); ++i) ASSERT_EQ(streamed.rows[i], graph.rows[i] + 1000) << i;
    EXPECT_EQ(streamed.distances, graph.distances);
  }
}

TEST(StreamedNeighbors, RefuseNoRowsAndOtherColumns) {
  const Matrix<float> one = cloud(1, 3), two = cloud(2, 4);
  const auto rows = rows_of(one), others = rows_of(two);
  EXPECT_THROW(streamed_neighbors(*rows, *others, 3), std::invalid_argument);
  EXPECT_THROW(streamed_graph(*rows, 3), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
