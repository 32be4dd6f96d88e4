// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/feature_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "random/draw.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 5000, kInputs = 3, kFeatures = 50;

// Dense or CSR rows with a target and a weight each.
struct Source {
  std::vector<float> values;
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> columns;
  std::vector<double> targets, weights;
  std::unique_ptr<Rows> rows;

  explicit Source(bool sparse) {
    offsets.push_back(0);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::uint32_t j = 0; j < kInputs; ++j) {
        if (sparse && (i + j) % 3 == 0) continue;
        values.push_back(float(normal(1, Draw::sample, i, j)));
        columns.push_back(j);
      }
      offsets.push_back(values.size());
      targets.push_back(normal(2, Draw::sample, i));
      weights.push_back(1 + uniform(3, Draw::sample, i));
    }
    RowBlock<float> all;
    all.rows = kRows;
    all.cols = all.stride = kInputs;
    all.values = values.data();
    if (sparse) {
      all.offsets = offsets.data();
      all.columns = columns.data();
    }
    all.targets = targets.data();
    all.target_count = 1;
    all.weights = weights.data();
    Schema schema;
    schema.inputs = kInputs;
    schema.targets = 1;
    schema.sparse = sparse;
    rows = memory_rows<float>(all, schema);
  }
};

struct Setup {
  int threads = 1;
  std::size_t kept = kRows;  // rows there is room for
  FeatureStore::Rounding rounding = FeatureStore::Rounding::where_bounded;
  std::size_t block_rows = 0;
};

// What a method sees of a store: the numbers of the rows it asks for, pass after pass.
class Store {
 public:
  Store(Rows& rows, const Setup& setup) : threads_(setup.threads) {
    const MapPtr map = fourier(kInputs, {.features = kFeatures, .seed = 3});
    const bool rounded = setup.rounding == FeatureStore::Rounding::where_bounded;
    const Stream stream(rows, map, threads_, {.block_rows = setup.block_rows});
    store_.emplace(stream, kRows, setup.kept * FeatureStore::row_bytes(kFeatures, Precision::float32, rounded),
                   setup.rounding);
  }
  FeatureStore& operator*() { return *store_; }

  // Row numbers and features, one row after the other.
  std::vector<double> seen(const FeatureStore::Wanted& wanted, std::size_t most_chunks = 1000) {
    std::vector<double> all;
    store_->each_batch(wanted, most_chunks, "", [&](const auto& chunks) {
      for (const auto& chunk : chunks)
        for (std::size_t i = 0; i < chunk.z.size(); ++i) {
          EXPECT_EQ(chunk.number[i] / kChunkRows, chunk.number[0] / kChunkRows);
          all.push_back(double(chunk.number[i]));
          all.insert(all.end(), chunk.z[i], chunk.z[i] + store_->width());
        }
    });
    return all;
  }

 private:
  Threads threads_;
  std::optional<FeatureStore> store_;
};

const std::vector<FeatureStore::Wanted> kPasses = {
    {},
    [](std::size_t row) { return row % 3 == 1; },
    [](std::size_t row) { return row >= 2500 && row % 2 == 0; },
    [](std::size_t row) { return row == 4999; },
    [](std::size_t) { return false; },
    {},
    [](std::size_t row) { return row % 3 != 1; },
};

TEST(FeatureStore, GivesTheSameNumbersKeptOrMappedAnew) {
  for (const bool sparse : {false, true})
    for (const auto rounding : {FeatureStore::Rounding::where_bounded, FeatureStore::Rounding::none}) {
      const Source source(sparse);
      Store plenty(*source.rows, {.rounding = rounding});
      std::vector<std::vector<double>> expected;
      for (const auto& wanted : kPasses) expected.push_back(plenty.seen(wanted));
      EXPECT_EQ(expected[0].size(), kRows * (1 + (*plenty).width()));
      EXPECT_EQ(expected[4].size(), 0u);
      for (const int threads : {1, 2, 3})
        for (const std::size_t kept : {0, 1024, 3000}) {
          Store little(*source.rows, {threads, kept, rounding, 1024 * std::size_t(threads)});
          for (std::size_t pass = 0; pass < kPasses.size(); ++pass)
            ASSERT_EQ(expected[pass], little.seen(kPasses[pass], 1 + pass)) << threads << ' ' << kept << ' ' << pass;
        }
    }
}

TEST(FeatureStore, KeepsWhatWasAskedForLast) {
  const Source source(false);
  struct Counted final : Rows {  // how often rows are read from the start
    Rows& of;
    int passes = 0;
    explicit Counted(Rows& rows) : of(rows) {}
    const Schema& schema() const override { return of.schema(); }
    void rewind() override {
      ++passes;
      of.rewind();
    }
    bool next(std::size_t most, RowBlock<float>& block) override { return of.next(most, block); }
    bool next(std::size_t most, RowBlock<double>& block) override { return of.next(most, block); }
    std::optional<std::size_t> size() const override { return of.size(); }
    double fraction_read() const override { return 0; }
    std::size_t memory_bytes(std::size_t) const override { return 0; }
  } counted(*source.rows);
  Store store(counted, {.kept = 2048});
  const auto few = [](std::size_t row) { return row >= 3000 && row < 4000; };
  store.seen(few);
  const int passes = counted.passes;
  store.seen(few);  // now in memory
  EXPECT_EQ(counted.passes, passes);
  store.seen({});
  EXPECT_EQ(counted.passes, passes + 1);
}

TEST(FeatureStore, SumsChunksInTheirOrder) {
  const Source source(false);
  std::vector<std::vector<double>> found;
  for (const int threads : {1, 2, 3})
    for (const std::size_t kept : {std::size_t(0), kRows}) {
      Store store(*source.rows, {threads, kept});
      std::vector<double> parts((*store).parts()), sums;
      (*store).each_chunk([](std::size_t row) { return row % 2 == 0; },
                          [&](const auto& rows, std::size_t part) {
                            parts[part] = 0;
                            for (const auto* z : rows.z) parts[part] += 1.0 / (1 + std::abs(double(z[0])));
                          },
                          [&](std::size_t part) { sums.push_back(parts[part]); });
      found.push_back(sums);
    }
  EXPECT_EQ(found[0].size(), (kRows + kChunkRows - 1) / kChunkRows);
  for (const auto& sums : found) EXPECT_EQ(sums, found[0]);
}

TEST(FeatureStore, RoundingIsHalfAUnitAtMost) {
  const Source source(false);
  Store rounded(*source.rows, {}), exact(*source.rows, {.rounding = FeatureStore::Rounding::none});
  const std::vector<double> a = rounded.seen({}), b = exact.seen({});
  ASSERT_EQ(a.size(), b.size());
  const std::size_t width = 1 + (*rounded).width();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i % width != 0) {
      ASSERT_NEAR(a[i] * (*rounded).unit(), b[i], 0.501 * (*rounded).unit());
    }
}

TEST(FeatureStore, TakesTheTargetsAndWeightsOfAllRows) {
  const Source source(false);
  Store store(*source.rows, {.kept = 1024});
  (*store).fill();
  EXPECT_EQ((*store).targets(), source.targets);
  EXPECT_EQ((*store).weights(), source.weights);
  EXPECT_THROW((*store).dense(), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
