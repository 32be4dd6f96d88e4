// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Sets and bits, projected search, and hash tables.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/threads.h"
#include "methods/neighbors/hashes.h"
#include "methods/neighbors/neighbors_testing.h"
#include "random/draw.h"
#include "run/compute.h"
#include "scratch.h"

namespace bochner {
namespace {

using Method = IndexOptions::Method;

// Rows of 0 and 1 near a few patterns; row 5 is empty, row 9 equals row 8.
Matrix<float> bits_cloud(std::size_t rows, std::size_t inputs, std::uint64_t seed = 1) {
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) {
      const bool pattern = uniform(7, Draw::entry, i % 40, j) < 0.3;
      const bool flipped = uniform(seed, Draw::frequency, i, j) < 0.08;
      x(i, j) = pattern != flipped ? 1.0f : 0.0f;
    }
  if (rows > 9) {
    std::fill_n(&x(5, 0), inputs, 0.0f);
    std::copy_n(&x(8, 0), inputs, &x(9, 0));
  }
  return x;
}

Matrix<float> cloud(std::size_t rows, std::size_t inputs, std::uint64_t seed = 1) {
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j)
      x(i, j) =
          float((2 * normal(7, Draw::entry, i % 30, j) + normal(seed, Draw::frequency, i, j)) / double(1 + j / 4));
  return x;
}

// The same as CSR; owns what the rows view.
struct Sparse {
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  RowBlock<float> block;
  Schema schema;

  explicit Sparse(const Matrix<float>& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      for (std::size_t j = 0; j < x.cols(); ++j)
        if (x(i, j) != 0) {
          columns.push_back(std::uint32_t(j));
          values.push_back(x(i, j));
        }
      offsets.push_back(values.size());
    }
    block.rows = x.rows();
    block.cols = schema.inputs = x.cols();
    block.values = values.data();
    block.offsets = offsets.data();
    block.columns = columns.data();
    schema.sparse = true;
  }
  std::unique_ptr<Rows> rows() const { return memory_rows<float>(block, schema); }
};

double naive_distance(Metric metric, const float* a, const float* b, std::size_t inputs) {
  double differ = 0, either = 0, ab = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < inputs; ++j) {
    differ += a[j] != b[j];
    either += a[j] != 0 || b[j] != 0;
    ab += double(a[j]) * double(b[j]);
    aa += double(a[j]) * double(a[j]);
    bb += double(b[j]) * double(b[j]);
  }
  switch (metric) {
    case Metric::hamming:
      return differ;
    case Metric::jaccard:
      return either > 0 ? differ / either : 0;
    case Metric::cosine:
      return aa > 0 && bb > 0 ? 1 - ab / std::sqrt(aa * bb) : 1;
    default:
      return std::sqrt(std::max(0.0, aa + bb - 2 * ab));
  }
}

// The share of the first rows' neighbours in a graph that are as near as the true ones.
double recall(Metric metric, const Matrix<float>& x, const Neighbors& graph) {
  constexpr std::size_t kRows = 100;
  std::size_t hits = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    std::vector<double> all;
    for (std::size_t y = 0; y < x.rows(); ++y)
      if (y != i) all.push_back(naive_distance(metric, &x(i, 0), &x(y, 0), x.cols()));
    std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(graph.k - 1), all.end());
    for (std::size_t c = 0; c < graph.k; ++c) {
      const std::int64_t row = graph.rows[i * graph.k + c];
      if (row < 0) continue;
      EXPECT_NE(row, std::int64_t(i));
      EXPECT_NEAR(graph.distances[i * graph.k + c], naive_distance(metric, &x(i, 0), &x(std::size_t(row), 0), x.cols()),
                  1e-5);
      hits += graph.distances[i * graph.k + c] <= all[graph.k - 1] + 1e-5;
    }
  }
  return double(hits) / double(kRows * graph.k);
}

TEST(BitsAndSets, AreSearchedAsTheNaiveWayDoes) {
  const Matrix<float> x = bits_cloud(250, 70);
  const Sparse sparse(x);
  for (const Metric metric : {Metric::hamming, Metric::jaccard}) {
    EXPECT_EQ(recall(metric, x, neighbor_graph(*rows_of(x), 6, {.metric = metric})), 1) << metric_name(metric);
    const Neighbors dense = neighbor_graph(*rows_of(x), 6, {.metric = metric});
    const Neighbors csr = neighbor_graph(*sparse.rows(), 6, {.metric = metric});
    EXPECT_EQ(dense.rows, csr.rows);
    EXPECT_EQ(dense.distances, csr.distances);
    const NeighborIndex index(*rows_of(x), {.metric = metric});
    const Neighbors found = index.query(*rows_of(bits_cloud(9, 70)), 1);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(found.distances[i], i == 5 ? found.distances[5] : 0);
  }
}

TEST(BitsAndSets, OtherNumbersAreNoBitsButMayBeSets) {
  Matrix<float> x = bits_cloud(30, 8);
  x(7, 3) = 0.5f;
  EXPECT_THROW(neighbor_graph(*rows_of(x), 2, {.metric = Metric::hamming}), std::invalid_argument);
  Matrix<float> ones = x;
  ones(7, 3) = 1;
  EXPECT_EQ(neighbor_graph(*rows_of(x), 2, {.metric = Metric::jaccard}).distances,
            neighbor_graph(*rows_of(ones), 2, {.metric = Metric::jaccard}).distances);
  EXPECT_THROW(NeighborIndex(*rows_of(ones), {.metric = Metric::hamming}).query(*rows_of(x), 1), std::invalid_argument);
}

struct Case {
  Metric metric;
  Method method;
  std::optional<HashFamily> hash = {};
  bool sparse = false;
};

std::vector<Case> cases() {
  return {{Metric::euclidean, Method::project}, {Metric::cosine, Method::project},
          {Metric::hamming, Method::project},   {Metric::cosine, Method::project, {}, true},
          {Metric::euclidean, Method::lsh},     {Metric::euclidean, Method::lsh, {}, true},
          {Metric::cosine, Method::lsh},        {Metric::cosine, Method::lsh, HashFamily::hyperplane},
          {Metric::hamming, Method::lsh},       {Metric::hamming, Method::lsh, HashFamily::cauchy},
          {Metric::jaccard, Method::lsh},       {Metric::jaccard, Method::lsh, {}, true}};
}

TEST(Methods, FindTheShareThatWasAskedForForAnyThreadsAndFromAFile) {
  testing_files::Scratch folder;
  for (const Case& c : cases()) {
    const bool binary = c.metric == Metric::hamming || c.metric == Metric::jaccard;
    const Matrix<float> x = binary ? bits_cloud(900, 90) : cloud(900, 90);
    const Sparse sparse(x);
    const auto rows = [&] { return c.sparse ? sparse.rows() : rows_of(x); };
    IndexOptions options{.metric = c.metric, .method = c.method, .hash = c.hash, .recall = 0.85, .k = 5, .seed = 4};
    const std::string name = metric_name(c.metric) + (c.method == Method::lsh ? " lsh" : " project");
    Neighbors first;
    std::string bytes;
    for (const int threads : {1, 3}) {
      options.execution.threads = threads;
      IndexReport report;
      const Neighbors graph = neighbor_graph(*rows(), 5, options, &report);
      EXPECT_EQ(report.method, c.method == Method::lsh ? "lsh" : "project") << name;
      EXPECT_GE(report.recall, 0.85) << name;
      const NeighborIndex index(*rows(), options);
      index.save(folder.path("index"));
      std::ifstream file(folder.path("index"), std::ios::binary);
      const std::string saved{std::istreambuf_iterator<char>(file), {}};
      if (threads == 1) {
        EXPECT_GE(recall(c.metric, x, graph), 0.82) << name;
        first = graph;
        bytes = saved;
        const Neighbors asked = index.query(*rows(), 4);
        const Neighbors again = NeighborIndex::load(folder.path("index")).query(*rows(), 4);
        EXPECT_EQ(asked.rows, again.rows) << name;
        EXPECT_EQ(asked.distances, again.distances) << name;
      }
      EXPECT_EQ(graph.rows, first.rows) << name;
      EXPECT_EQ(graph.distances, first.distances) << name;
      EXPECT_EQ(saved, bytes) << name;
    }
  }
}

TEST(Methods, AreRefusedWhereTheyDoNotSuitTheMetric) {
  const Matrix<float> x = bits_cloud(40, 8);
  const auto refused = [&](const IndexOptions& options) {
    EXPECT_THROW(NeighborIndex(*rows_of(x), options), std::invalid_argument);
  };
  for (const Metric metric : {Metric::inner, Metric::jaccard})
    for (const Method method : {Method::project, Method::forest}) refused({.metric = metric, .method = method});
  refused({.metric = Metric::inner, .method = Method::lsh});
  refused({.metric = Metric::cosine, .method = Method::lsh, .hash = HashFamily::stable});
  refused({.metric = Metric::euclidean, .method = Method::lsh, .hash = HashFamily::minhash});
  const NeighborIndex one(*rows_of(bits_cloud(1, 8)), {.method = Method::lsh});  // nothing to hash: every pair
  EXPECT_EQ(one.query(*rows_of(x), 3).rows.size(), 40u);
}

// Two rows at a distance: the share of functions that have the same value for both, and its deviation.
void expect_collisions(HashFamily family, const Matrix<float>& pair, double distance, double width = 1) {
  Threads threads(1);
  const Workers on = workers_on(threads);
  const HashPlan plan{.family = family, .width = width, .hashes = 32, .seed = 11};
  const Sparse sparse(pair);
  std::size_t same = 0, all = 0;
  for (std::size_t group = 0; all < 12000; ++group) {
    const HashGroup hashes(plan, pair.cols(), group);
    const std::vector<std::uint32_t> values =
        hashes.values(on, family == HashFamily::minhash ? sparse.block : RowBlock<float>::dense(pair.view()));
    const std::size_t half = values.size() / 2;
    for (std::size_t i = 0; i < half; ++i, ++all) same += values[i] == values[half + i];
  }
  const double p = collision_probability(family, distance, width);
  const double deviation = std::sqrt(p * (1 - p) / double(all));
  EXPECT_NEAR(double(same) / double(all), p, 4 * deviation + 0.002) << hash_name(family) << " at " << distance;
}

TEST(Hashes, CollideAsTheirClosedFormsSay) {
  Matrix<float> pair(2, 64);
  for (const double distance : {0.3, 1.0, 2.5}) {
    for (std::size_t j = 0; j < 64; ++j) {
      pair(0, j) = float(normal(3, Draw::entry, j));
      pair(1, j) = pair(0, j) + float(distance / 8);
    }
    expect_collisions(HashFamily::stable, pair, distance, 1.7);
    expect_collisions(HashFamily::cauchy, pair, 8 * distance, 5.0);
  }
  for (const double cosine : {0.95, 0.7, 0.2, -0.3}) {
    constexpr std::size_t kInputs = 4096;  // as many as a group's polytopes have coordinates: one turn
    Matrix<float> turned(2, kInputs);
    double ab = 0, aa = 0;
    for (std::size_t j = 0; j < kInputs; ++j) {
      const double u = normal(5, Draw::entry, j), v = normal(5, Draw::phase, j);
      turned(0, j) = float(u);
      turned(1, j) = float(cosine * u + std::sqrt(1 - cosine * cosine) * v);
      ab += double(turned(0, j)) * double(turned(1, j));
      aa += double(turned(0, j)) * double(turned(0, j));
    }
    double bb = 0;
    for (std::size_t j = 0; j < kInputs; ++j) bb += double(turned(1, j)) * double(turned(1, j));
    const double distance = 1 - ab / std::sqrt(aa * bb);
    if (cosine > 0.5) expect_collisions(HashFamily::hyperplane, turned, distance);
    expect_collisions(HashFamily::crosspolytope, turned, distance);
  }
  for (const std::size_t shared : {5, 20, 38}) {
    Matrix<float> sets(2, 200);
    for (std::size_t j = 0; j < 40; ++j) sets(0, 3 * j) = sets(1, 3 * (j + 40 - shared) % 200) = 1;
    expect_collisions(HashFamily::minhash, sets, naive_distance(Metric::jaccard, &sets(0, 0), &sets(1, 0), 200));
  }
}

TEST(Hashes, ModelsAreRightAtTheirEnds) {
  for (const HashFamily family : {HashFamily::stable, HashFamily::cauchy, HashFamily::hyperplane,
                                  HashFamily::crosspolytope, HashFamily::minhash}) {
    EXPECT_NEAR(collision_probability(family, 0), 1, 1e-12);
    double before = 1;
    for (double distance = 0.05; distance <= 1; distance += 0.05) {
      const double p = collision_probability(family, distance);
      EXPECT_LE(p, before) << hash_name(family);
      EXPECT_GE(p, 0);
      before = p;
    }
  }
  EXPECT_NEAR(collision_probability(HashFamily::crosspolytope, 1), 1.0 / (2 * kPolytope), 1e-3);
  EXPECT_NEAR(collision_probability(HashFamily::hyperplane, 1), 0.5, 1e-12);
  EXPECT_THROW(collision_probability(HashFamily::stable, -1), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
