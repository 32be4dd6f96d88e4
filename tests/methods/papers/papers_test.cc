// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/papers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "methods/papers/claims.h"

namespace bochner {
namespace {

Claim claim_of(ClaimKind judge, std::optional<double> printed, double rounding = 0) {
  return {"group", "000", "place", "text", printed, rounding, judge, nullptr};
}

std::string verdict(ClaimKind judge, double printed, std::vector<double> values, double error = 0,
                    double rounding = 0) {
  return judged(claim_of(judge, printed, rounding), {.values = std::move(values), .error = error}).verdict;
}

TEST(Papers, VerdictsFollowTheRule) {
  EXPECT_EQ(verdict(ClaimKind::more, 0.9, {0.95}), "beaten");
  EXPECT_EQ(verdict(ClaimKind::more, 0.9, {0.85}), "lost");
  EXPECT_EQ(verdict(ClaimKind::more, 0.9, {0.85}, 0.06), "level");
  EXPECT_EQ(verdict(ClaimKind::less, 5, {4}), "beaten");
  EXPECT_EQ(verdict(ClaimKind::less, 5, {5.04}, 0, 0.05), "level");
  EXPECT_EQ(verdict(ClaimKind::less, 5, {5.06}, 0, 0.05), "lost");
  EXPECT_EQ(verdict(ClaimKind::same, 1, {1.1}), "lost");
  EXPECT_EQ(verdict(ClaimKind::same, 1, {1.1, 0.9}), "level");
  EXPECT_EQ(verdict(ClaimKind::bound, 0.1, {0.05}), "level");
  EXPECT_EQ(verdict(ClaimKind::bound, 0.1, {0.2}), "lost");
  EXPECT_EQ(verdict(ClaimKind::slip, 7000, {15789}, 0, 500), "beaten");
  EXPECT_EQ(verdict(ClaimKind::slip, 7000, {7100}, 0, 500), "level");
  EXPECT_EQ(verdict(ClaimKind::order, 1e13, {5e12}), "level");
  EXPECT_EQ(verdict(ClaimKind::order, 1e13, {5e11}), "lost");
  EXPECT_EQ(verdict(ClaimKind::more, 0.9, {std::nan("")}), "lost");
}

TEST(Papers, SpreadWidensTheMarginByThreeStandardErrors) {
  // Mean 1.2, deviation 0.2, four seeds: a margin of 0.3.
  const std::vector<double> values = {1.0, 1.4, 1.0, 1.4};
  EXPECT_EQ(verdict(ClaimKind::more, 1, values), "level");
  EXPECT_EQ(verdict(ClaimKind::more, 0.8, values), "beaten");
  EXPECT_NEAR(judged(claim_of(ClaimKind::more, 1), {.values = values}).spread, 0.2309, 1e-4);
}

TEST(Papers, SkippedClaimsSayWhy) {
  const PaperRow row = judged(claim_of(ClaimKind::more, 1), {.skipped = "no data"});
  EXPECT_EQ(row.verdict, "skipped");
  EXPECT_EQ(row.why, "no data");
  EXPECT_FALSE(row.ours);
}

TEST(Papers, GroupsAreChosenByName) {
  const Papers found = reproduce_papers({.only = "ladder"});
  ASSERT_FALSE(found.rows.empty());
  for (const PaperRow& row : found.rows) EXPECT_EQ(row.group, "ladder");
  EXPECT_THROW(reproduce_papers({.only = "laddr"}), std::invalid_argument);
  EXPECT_THROW(reproduce_papers({.only = "ladder", .seeds = 0}), std::invalid_argument);
  const std::vector<std::string> groups = paper_groups();
  EXPECT_EQ(std::set<std::string>(groups.begin(), groups.end()).size(), groups.size());
}

TEST(Papers, WithoutDigitsOrDataClaimsAreSkipped) {
  for (const char* group : {"digits", "tables", "ads", "usps"})
    for (const PaperRow& row : reproduce_papers({.only = group}).rows) EXPECT_EQ(row.verdict, "skipped") << row.claim;
  for (const PaperRow& row : reproduce_papers({.only = "ads", .data = "/nowhere"}).rows)
    EXPECT_THAT(row.why, testing::HasSubstr("/nowhere"));
}

TEST(Papers, PagesHoldEveryClaimAndEscapeIt) {
  Papers papers;
  papers.rows.push_back({"g", "000", "p", "a < b | c", 1.0, 2.0, 0, 0, "beaten", "why"});
  papers.pictures.push_back({"g", "title", "<svg></svg>"});
  EXPECT_THAT(papers_page(papers), testing::AllOf(testing::HasSubstr("a &lt; b"), testing::HasSubstr("<svg></svg>")));
  EXPECT_THAT(papers_markdown(papers), testing::HasSubstr("a < b \\| c"));
}

}  // namespace
}  // namespace bochner
