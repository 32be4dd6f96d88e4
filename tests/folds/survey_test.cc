// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/survey.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/archive.h"
#include "bochner/error.h"
#include "random/draw.h"

namespace bochner {
namespace {

Schema schema_of(std::size_t inputs) {
  Schema schema;
  schema.inputs = inputs;
  schema.targets = 1;
  return schema;
}

struct Table {
  std::vector<double> x, y;
  RowBlock<double> block;

  explicit Table(std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      x.insert(x.end(), {normal(1, Draw::frequency, i), double(i % 2), double(i % 3)});
      y.push_back(double(i));
    }
    block.rows = rows;
    block.cols = block.stride = 3;
    block.values = x.data();
    block.targets = y.data();
    block.target_count = 1;
  }
};

Survey survey_of(const RowBlock<double>& block, int threads, std::size_t block_rows) {
  Threads team(threads);
  Survey survey(schema_of(3), 7);
  for (std::size_t begin = 0; begin < block.rows; begin += block_rows)
    survey.add({cpu_backend(), team}, block.slice(begin, std::min(block_rows, block.rows - begin)));
  return survey;
}

TEST(Survey, SeesRangesCountsAndIndicators) {
  const Table table(3000);
  const Survey survey = survey_of(table.block, 2, 1000);
  EXPECT_EQ(survey.rows(), 3000u);
  EXPECT_TRUE(survey.columns()[1].indicator);
  EXPECT_FALSE(survey.columns()[2].indicator);
  EXPECT_EQ(survey.columns()[1].nonzero, 1500u);
  EXPECT_EQ(survey.columns()[2].max, 2);
  EXPECT_EQ(survey.targets()[0].max, 2999);
}

// What reads rows as float sees their ranges so, with offsets and without.
TEST(Survey, ShiftedRangesAreThoseOfFloats) {
  const Table table(300);
  const Survey exact = survey_of(table.block, 1, 300);
  for (const std::vector<double>& offsets : {std::vector<double>(), std::vector<double>{0.3, 0.1, 0}}) {
    const Survey shifted = exact.shifted(offsets);
    for (std::size_t j = 0; j < 3; ++j) {
      const double offset = offsets.empty() ? 0 : offsets[j];
      EXPECT_EQ(float(shifted.columns()[j].min), shifted.columns()[j].min) << j;
      EXPECT_EQ(float(shifted.columns()[j].max), shifted.columns()[j].max) << j;
      EXPECT_NEAR(shifted.columns()[j].min, exact.columns()[j].min - offset, 1e-6);
      EXPECT_NEAR(shifted.columns()[j].max, exact.columns()[j].max - offset, 1e-6);
    }
  }
}

TEST(Survey, IsTheSameForAnyThreadsBlocksAndMergeOrder) {
  const Table table(30000);  // more rows than a sample keeps
  const Survey one = survey_of(table.block, 1, 30000);
  EXPECT_LT(one.sampled(), 30000u);
  EXPECT_EQ(one, survey_of(table.block, 3, 1024));
  EXPECT_EQ(one, survey_of(table.block, 7, 777));
  Survey first = survey_of(table.block.slice(0, 11111), 2, 5000),
         second = survey_of(table.block.slice(11111, 18889), 2, 5000);
  Survey reversed = second;
  reversed.merge(first);
  first.merge(second);
  EXPECT_EQ(one, first);
  EXPECT_EQ(one, reversed);
}

TEST(Survey, ExpectingRowsChangesNothingAndTooManyShows) {
  const Table table(60000);
  const Survey plain = survey_of(table.block, 2, 5000);
  Threads team(2);
  Survey expecting(schema_of(3), 7), disappointed(schema_of(3), 7);
  expecting.expect(60000);
  disappointed.expect(100000);
  for (std::size_t begin = 0; begin < 60000; begin += 5000) {
    expecting.add({cpu_backend(), team}, table.block.slice(begin, 5000));
    disappointed.add({cpu_backend(), team}, table.block.slice(begin, 5000));
  }
  EXPECT_FALSE(plain.short_of_rows());
  EXPECT_FALSE(expecting.short_of_rows());
  EXPECT_EQ(plain, expecting);
  EXPECT_TRUE(disappointed.short_of_rows());
  EXPECT_THROW(expecting.merge(disappointed), std::invalid_argument);
}

TEST(Survey, RefusesNonFiniteValuesWithTheirPlace) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Table table(2000);
    table.x[3 * 1234 + 2] = bad;
    try {
      survey_of(table.block, 2, 1024);
      FAIL() << "accepted " << bad;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("row 1234, column 2"), std::string::npos) << e.what();
    }
  }
}

TEST(Survey, SampleIsUniformOverTheRows) {
  const Table table(100000);
  const Survey survey = survey_of(table.block, 2, 16384);
  double mean = 0;
  for (const Survey::SampledRow& row : survey.sample(survey.sampled()))
    mean += double(row.row) / double(survey.sampled());
  // A uniform sample of m has a mean within a few n / sqrt(12 m) of n / 2.
  EXPECT_NEAR(mean, 50000, 5 * 100000 / std::sqrt(12.0 * double(survey.sampled())));
}

TEST(Survey, AFileWithoutTheShapeOrTheColumnsItClaimsIsDamaged) {
  Archive saved;
  survey_of(Table(10).block, 1, 10).save(saved);
  const auto damaged = [](const Archive& archive) {
    try {
      Survey::from(archive);
    } catch (const Error& error) {
      return error.kind() == Error::Kind::model;
    }
    return false;
  };
  EXPECT_FALSE(damaged(saved));
  Archive no_shape = saved;
  no_shape.arrays.erase("sample.keys");
  no_shape.put<std::uint64_t>("sample.keys", std::vector<std::uint64_t>{1}, {});
  EXPECT_TRUE(damaged(no_shape));
  Archive wide = saved;  // before memory is taken for it
  wide.tree["schema"]["sparse"] = true;
  wide.tree["schema"]["inputs"] = 4000000000u;
  EXPECT_TRUE(damaged(wide));
}

}  // namespace
}  // namespace bochner
