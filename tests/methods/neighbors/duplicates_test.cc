// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/duplicates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "random/draw.h"

namespace bochner {
namespace {

// Sets of a few members out of 300 with values; every third is a copy of an earlier one with some members changed.
struct Sets {
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  Matrix<float> dense;
  RowBlock<float> block;
  Schema schema;

  explicit Sets(std::size_t rows, bool equal_values = false) : dense(rows, 300) {
    std::vector<std::set<std::uint32_t>> sets;
    for (std::size_t i = 0; i < rows; ++i) {
      std::set<std::uint32_t> set;
      if (i % 3 == 2 && i > 10) {
        set = sets[bits(1, Draw::sample, i) % i];
        for (std::size_t c = 0; c < bits(2, Draw::sample, i) % 4; ++c)
          set.insert(std::uint32_t(bits(3, Draw::sample, i, c) % 300));
      } else if (i != 4 && i != 7) {  // those are empty
        const std::size_t size = 1 + bits(4, Draw::sample, i) % 25;
        for (std::size_t c = 0; c < size; ++c) {
          const double u = uniform(5, Draw::sample, i, c);
          set.insert(std::uint32_t(300 * u * u));
        }
      }
      sets.push_back(set);
      for (const std::uint32_t column : set) {
        columns.push_back(column);
        values.push_back(equal_values ? 1.0f : float(1 + column % 3));
        dense(i, column) = values.back();
      }
      offsets.push_back(values.size());
    }
    block.rows = rows;
    block.cols = schema.inputs = 300;
    block.values = values.data();
    block.offsets = offsets.data();
    block.columns = columns.data();
    schema.sparse = true;
  }
  std::unique_ptr<Rows> rows() const { return memory_rows<float>(block, schema); }
  std::unique_ptr<Rows> dense_rows() const {
    Schema whole;
    whole.inputs = 300;
    return memory_rows<float>(dense.view(), {}, whole);
  }
};

double similarity(Metric metric, const float* a, const float* b) {
  double both = 0, either = 0, ab = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < 300; ++j) {
    both += a[j] != 0 && b[j] != 0;
    either += a[j] != 0 || b[j] != 0;
    ab += double(a[j]) * double(b[j]);
    aa += double(a[j]) * double(a[j]);
    bb += double(b[j]) * double(b[j]);
  }
  if (metric == Metric::jaccard) return either > 0 ? both / either : 1;
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : aa == bb ? 1 : 0;
}

std::vector<Duplicate> naive(const Sets& sets, Metric metric, double threshold) {
  std::vector<Duplicate> all;
  for (std::size_t i = 0; i < sets.block.rows; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (const double s = similarity(metric, &sets.dense(i, 0), &sets.dense(j, 0)); s >= threshold - 1e-7)
        all.push_back({i, j, s});
  return all;
}

void expect_same(const std::vector<Duplicate>& found, const std::vector<Duplicate>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].row, expected[i].row);
    EXPECT_EQ(found[i].of, expected[i].of);
    EXPECT_NEAR(found[i].similarity, expected[i].similarity, 1e-6);
  }
}

TEST(Duplicates, AreAllPairsOfTheNaiveWayForAnyThreads) {
  const Sets sets(400);
  for (const Metric metric : {Metric::jaccard, Metric::cosine})
    for (const double threshold : {0.3, 0.5, 0.8, 0.93, 1.0}) {
      const std::vector<Duplicate> expected = naive(sets, metric, threshold);
      ASSERT_GT(expected.size(), 5u);
      for (const int threads : {1, 3}) {
        DuplicateOptions options{.metric = metric, .threshold = threshold, .pairs = true};
        options.execution.threads = threads;
        expect_same(find_duplicates(*sets.rows(), options), expected);
      }
    }
}

TEST(Duplicates, OfDenseRowsAreThoseOfSparseOnes) {
  const Sets sets(300);
  for (const Metric metric : {Metric::jaccard, Metric::cosine})
    for (const bool pairs : {false, true}) {
      std::vector<Duplicate> dense = find_duplicates(*sets.dense_rows(), {metric, 0.7, pairs});
      if (metric == Metric::cosine) std::erase_if(dense, [](const Duplicate& d) { return d.row == 7; });
      std::vector<Duplicate> sparse = find_duplicates(*sets.rows(), {metric, 0.7, pairs});
      if (metric == Metric::cosine) std::erase_if(sparse, [](const Duplicate& d) { return d.row == 7; });
      expect_same(dense, sparse);
    }
}

TEST(Duplicates, NameTheMostSimilarEarlierRow) {
  const Sets sets(400);
  const std::vector<Duplicate> all = naive(sets, Metric::jaccard, 0.6);
  const std::vector<Duplicate> best = find_duplicates(*sets.rows(), {.threshold = 0.6});
  std::set<std::uint64_t> rows;
  for (const Duplicate& each : all) rows.insert(each.row);
  ASSERT_EQ(best.size(), rows.size());
  for (const Duplicate& each : best) {
    double most = 0;
    for (const Duplicate& other : all)
      if (other.row == each.row) most = std::max(most, other.similarity);
    EXPECT_NEAR(each.similarity, most, 1e-12);
    EXPECT_LT(each.of, each.row);
  }
  EXPECT_EQ(duplicate_groups(best), duplicate_groups(all));
  EXPECT_THROW(find_duplicates(*sets.rows(), {.threshold = 0}), std::invalid_argument);
  EXPECT_THROW(find_duplicates(*sets.rows(), {.metric = Metric::euclidean}), std::invalid_argument);
}

TEST(Duplicates, OfDenseRowsAreEqualUnlessAMetricIsNamed) {
  Matrix<double> x(40, 3);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 3; ++j) x(i, j) = 1e9 + double((i * 7 + j) % 30) / 8;  // one number in float
  x(3, 1) = -0.0;
  std::copy_n(&x(3, 0), 3, &x(20, 0));
  x(20, 1) = 0;
  Schema schema;
  schema.inputs = 3;
  const auto rows = memory_rows<double>(std::as_const(x).view(), {}, schema);
  std::vector<Duplicate> expected;
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (x(i, 0) == x(j, 0) && x(i, 1) == x(j, 1) && x(i, 2) == x(j, 2)) expected.push_back({i, j, 1});
  ASSERT_GT(expected.size(), 5u);
  EXPECT_EQ(find_duplicates(*rows, {.pairs = true}), expected);
  EXPECT_THROW(find_duplicates(*rows, {.threshold = 0.9}), std::invalid_argument);
}

TEST(Duplicates, ManyEqualRowsAreNamedOnceEach) {
  Matrix<float> same(3000, 4);
  for (std::size_t i = 0; i < 12000; ++i) same.data()[i] = float(i % 4);
  Schema schema;
  schema.inputs = 4;
  const std::vector<Duplicate> found = find_duplicates(*memory_rows<float>(same.view(), {}, schema));
  ASSERT_EQ(found.size(), 2999u);
  for (const Duplicate& each : found) EXPECT_EQ(each, (Duplicate{each.row, 0, 1}));
  EXPECT_EQ(duplicate_groups(found), 1u);
  EXPECT_EQ(duplicate_groups({}), 0u);
}

}  // namespace
}  // namespace bochner
