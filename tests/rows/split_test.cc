// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/require.h"
#include "random/draw.h"

namespace bochner {
namespace {

std::vector<std::uint64_t> groups_of_size(std::size_t groups, std::size_t size) {
  std::vector<std::uint64_t> of;
  for (std::size_t i = 0; i < groups * size; ++i) of.push_back(1000 + i % groups);
  return of;
}

TEST(Split, GroupsAreHeldOutWhole) {
  const std::vector<std::uint64_t> groups = groups_of_size(40, 5);
  for (const double share : {0.1, 0.3, 0.5}) {
    const std::vector<char> held = held_groups(groups, share, 7);
    std::set<std::uint64_t> in, out;
    for (std::size_t i = 0; i < held.size(); ++i) (held[i] ? out : in).insert(groups[i]);
    for (const std::uint64_t group : out) EXPECT_FALSE(in.contains(group));
    EXPECT_NEAR(double(out.size()), share * 40, 1);
    EXPECT_EQ(held, held_groups(groups, share, 7));
    EXPECT_NE(held, held_groups(groups, share, 8));
  }
}

TEST(Split, PartsHaveAboutAsManyRowsAndEachGroupIsInOne) {
  std::vector<std::uint64_t> groups = groups_of_size(40, 5);
  for (std::size_t i = 0; i < 30; ++i) groups.push_back(7);  // a larger one
  const std::vector<std::size_t> parts = group_parts(groups, 5, 3);
  std::vector<std::size_t> rows(5);
  std::map<std::uint64_t, std::set<std::size_t>> of;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ++rows[parts[i]];
    of[groups[i]].insert(parts[i]);
  }
  for (const auto& [group, where] : of) EXPECT_EQ(where.size(), 1u) << group;
  for (const std::size_t count : rows) EXPECT_NEAR(double(count), 46, 16);
}

TEST(Split, FewGroupsAreStillSplit) {
  const std::vector<std::uint64_t> two = groups_of_size(2, 50);
  const std::vector<char> held = held_groups(two, 0.15, 1);
  EXPECT_EQ(std::count(held.begin(), held.end(), 1), 50);
  const std::vector<std::size_t> parts = group_parts(two, 5, 1);
  EXPECT_EQ(std::set<std::size_t>(parts.begin(), parts.end()), (std::set<std::size_t>{0, 1}));
  EXPECT_THROW(held_groups(groups_of_size(1, 50), 0.15, 1), std::invalid_argument);
}

struct Table {
  Matrix<float> x;
  Matrix<double> y;
  std::unique_ptr<Rows> rows;

  // Rows i and i + distinct are equal.
  Table(std::size_t n, std::size_t distinct, double levels) : x(n, 2), y(n, 1) {
    Schema schema;
    schema.inputs = 2;
    schema.targets = 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const double value = uniform(5, Draw::sample, i % distinct, j);
        x(i, j) = float(levels > 0 ? std::floor(levels * value) : value);
      }
      y(i, 0) = std::floor(2 * uniform(5, Draw::sample, i % distinct, 2));
    }
    rows = memory_rows<float>(std::as_const(x).view(), std::as_const(y).view(), schema);
  }
};

TEST(Split, HeldOutRowsThatStandAmongTheOthersAreCounted) {
  const auto fifth = [](std::uint64_t row) -> std::size_t { return row % 5 == 0 ? 0 : 1; };
  Table once(1000, 1000, 0), twice(1000, 800, 0);
  EXPECT_EQ(repeated_rows(*once.rows, 1, fifth).repeated, 0u);
  EXPECT_EQ(repeated_rows(*once.rows, 1, fifth).warning(), "");
  // Rows 0 to 199 come again as 800 to 999, in the same part: equal rows of one side flatter nothing.
  EXPECT_EQ(repeated_rows(*twice.rows, 1, fifth).repeated, 0u);
  const RepeatedRows found = repeated_rows(*twice.rows, 2, [](std::uint64_t row) -> std::size_t { return row >= 500; });
  EXPECT_EQ(found.held, 1000u);
  EXPECT_EQ(found.repeated, 400u);
  EXPECT_NE(found.warning().find("400 of 1000 held-out rows"), std::string::npos);
}

TEST(Split, RowsOfFewLevelsAreEqualByChance) {
  const auto fifth = [](std::uint64_t row) -> std::size_t { return row % 5 == 0 ? 0 : 1; };
  Table few(1000, 1000, 4);
  const RepeatedRows found = repeated_rows(*few.rows, 1, fifth);
  EXPECT_EQ(found.repeated, 200u);
  EXPECT_GT(found.by_chance, 0.99);
  EXPECT_EQ(found.warning(), "");
}

TEST(Split, BlocksOfTimeFollowEachOther) {
  std::vector<double> times;
  for (std::size_t i = 0; i < 200; ++i) times.push_back(double(i * 37 % 200) / 2);  // each once, in another order
  const std::vector<std::size_t> blocks = time_blocks(times, 3, 0.15);
  std::size_t rows[4] = {};
  for (std::size_t i = 0; i < 200; ++i) {
    ++rows[blocks[i]];
    for (std::size_t j = 0; j < 200; ++j) EXPECT_TRUE(blocks[i] >= blocks[j] || times[i] < times[j]);
  }
  EXPECT_EQ(rows[0], 110u);
  for (const std::size_t block : {1, 2, 3}) EXPECT_EQ(rows[block], 30u);
}

TEST(Split, RowsOfOneTimeAreInOneBlock) {
  std::vector<double> times(90, 1.0);
  times.insert(times.end(), 10, 2.0);
  const std::vector<std::size_t> blocks = time_blocks(times, 4, 0.2);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(blocks[i], times[i] == 2 ? 1u : 0u);
  EXPECT_THROW(time_blocks(std::vector<double>(5, 3.0), 1, 0.2), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
