// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/part_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bochner/error.h"

namespace bochner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Count {
  std::uint64_t rows = 0;
  void merge(const Count& other) { rows += other.rows; }
};

SumOrigin part(const std::string& name, std::uint64_t number, std::uint64_t rows, const std::string& machine) {
  return {name, {{name, number, rows}}, {machine}};
}

TEST(PartSum, PartsAndMachinesStandInOneOrder) {
  Count sum{3}, other{4};
  SumOrigin origin = part("b", 2, 3, "x86"), from = part("a", 1, 4, "arm");
  merge_part(sum, origin, Count{5}, part("c", 3, 5, "x86"));
  merge_part(other, from, sum, origin);
  EXPECT_EQ(other.rows, 12u);
  EXPECT_THAT(from.parts, ElementsAre(PartRows{"a", 1, 4}, PartRows{"b", 2, 3}, PartRows{"c", 3, 5}));
  EXPECT_THAT(from.machines, ElementsAre("arm", "x86"));
}

TEST(PartSum, APartThatIsInBothIsRefusedAndNothingChanges) {
  Count sum{3};
  SumOrigin origin = part("b.csv", 2, 3, "x86");
  try {
    merge_part(sum, origin, Count{3}, part("copy.csv", 2, 3, "x86"));
    FAIL() << "rows would count twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::data);
    EXPECT_THAT(error.what(), HasSubstr("its part copy.csv is the same as b.csv"));
  }
  EXPECT_EQ(sum.rows, 3u);
  EXPECT_EQ(origin.parts.size(), 1u);
}

TEST(PartSum, OriginIsSavedAndLoaded) {
  SumOrigin origin = part("b", ~std::uint64_t(0), 3, "x86");
  origin.merge(part("a", 1, 4, "arm"));
  Archive archive;
  origin.save_parts(archive);
  SumOrigin again;
  again.load_parts(archive);
  again.load_machines(archive);  // a survey has none
  EXPECT_EQ(again.parts, origin.parts);
  EXPECT_TRUE(again.machines.empty());
}

}  // namespace
}  // namespace bochner
