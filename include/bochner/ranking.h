// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("answers.csv", {.targets = {"grade"}, .ignore = {"query"}, .task = Task::regression});
//   RankingOptions options;
//   options.groups = row_groups("answers.csv", rows->schema(), "query");
//   const Model model = ranking(*rows, options);
//   const RankingScore score = evaluate_ranking(model, *rows, options.groups);
//   std::printf("NDCG@10 %.4f of %zu queries\n", score.ndcg, score.groups);

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/feature_options.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct RankingOptions {
  // What a pair of rows weighs: the same; or, as in LambdaRank, by how much the NDCG of its group would change if the
  // two changed places, found anew for the scores of the last solution. chosen: by the NDCG of groups held out; the
  // same if groups are long.
  enum class Weights { chosen, same, ndcg };

  std::vector<std::uint64_t> groups = {};  // the query of each row; empty: all rows are of one
  Weights weights = Weights::chosen;
  // The penalty; empty: searched, by the NDCG of groups held out; several: the best of them. With too few groups to
  // choose by: empty or one.
  std::vector<double> lambdas = {};
  // How rows become features. Without a number of them: as many as there are rows, 1024 at most.
  FeatureOptions features = {.map = Nystroem{}};
};

// A machine that puts the rows of a group in order. Its target is a number, the larger the earlier: the grade of an
// answer to a query. With the features z it minimises
//   lambda / 2 |w|^2 + the mean over groups of sum v_ij max(0, 1 - w . (z_i - z_j))^2,
// over the pairs of a group with y_i > y_j (Joachims, KDD 2002; the squared hinge of Chapelle & Keerthi 2010), by
// Newton's steps. v sums to 1 in a group, for Weights::ndcg to 1 on average. Sums over pairs that weigh the same take
// O(m log m) for a group of m rows; no pair is ever stored. The model puts out a score, by which rows of one query are
// compared. Its head has the figures "ranking": the penalty, and 1 where pairs weigh by NDCG; and, if groups were held
// out, "held_out": their NDCG@10, the share of their pairs in order, and how many they are. The same bytes for any
// threads.
Model ranking(Rows& rows, const RankingOptions& options = {});

// How well scores put groups in order. A group whose rows are all of one grade has no order and does not count.
struct RankingScore {
  double ndcg = 0;         // the mean over groups
  double pairs = 0;        // share of pairs of different grades that are in order, of all groups; ties by half
  std::size_t groups = 0;  // that count
  std::size_t without = 0;
};
// NDCG of the first `at` rows (Jarvelin & Kekalainen 2002), with gains 2^y - 1 where all grades are whole numbers from
// 0 to 30, otherwise y less the least of them; the discount of place r is 1 / log2(1 + r). Rows of equal scores share
// their places. groups: empty: all rows are of one.
RankingScore score_ranking(std::span<const double> scores, std::span<const double> grades,
                           std::span<const std::uint64_t> groups, std::size_t at = 10);
RankingScore evaluate_ranking(const Model& model, Rows& rows, std::span<const std::uint64_t> groups,
                              const Execution& execution = {}, std::size_t at = 10);

}  // namespace bochner
