// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/require.h"
#include "bochner/ranking.h"
#include "methods/ranking/groups.h"
#include "methods/ranking/rank_tree.h"
#include "random/elementary.h"

namespace bochner {

std::vector<std::vector<std::size_t>> rows_by_group(std::span<const std::uint64_t> groups, std::size_t rows) {
  require(groups.empty() || groups.size() == rows, "groups: found {}, expected one for each of the {} rows",
          groups.size(), rows);
  std::vector<std::vector<std::size_t>> found;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto [at, fresh] = places.try_emplace(groups.empty() ? 0 : groups[i], found.size());
    if (fresh) found.emplace_back();
    found[at->second].push_back(i);
  }
  return found;
}

std::vector<double> gains_of(std::span<const double> grades) {
  constexpr double kMostGrade = 30;
  std::vector<double> gains(grades.begin(), grades.end());
  const bool graded = std::all_of(gains.begin(), gains.end(), [](double grade) {
    return grade >= 0 && grade <= kMostGrade && grade == std::floor(grade);
  });
  const double least = gains.empty() ? 0 : *std::min_element(gains.begin(), gains.end());
  for (double& gain : gains) gain = graded ? std::ldexp(1.0, int(gain)) - 1 : gain - least;
  return gains;
}

double discount_at(std::size_t place) { return portable_log(2) / portable_log(double(place) + 2); }

double best_dcg(std::vector<double> gains, std::size_t at) {
  std::sort(gains.begin(), gains.end(), std::greater<>());
  double sum = 0;
  for (std::size_t r = 0; r < std::min(at, gains.size()); ++r) sum += gains[r] * discount_at(r);
  return sum;
}

namespace {

// A row of a group.
struct Answer {
  double score, grade, gain;
};

// Rows of equal scores have the mean of their gains at each of their places. answers: by score, the largest first.
double dcg(std::span<const Answer> answers, std::size_t at) {
  double sum = 0;
  for (std::size_t begin = 0; begin < std::min(at, answers.size());) {
    std::size_t end = begin;
    double gain = 0, discount = 0;
    for (; end < answers.size() && answers[end].score == answers[begin].score; ++end) {
      gain += answers[end].gain;
      if (end < at) discount += discount_at(end);
    }
    sum += gain / double(end - begin) * discount;
    begin = end;
  }
  return sum;
}

// Pairs of different grades among grades in ascending order.
double pairs_of(std::span<const double> sorted) {
  double pairs = 0;
  for (std::size_t i = 0, begin = 0; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[begin]) begin = i;
    pairs += double(begin);
  }
  return pairs;
}

struct PairCount {
  double right = 0, all = 0;  // ties are half right
};

// answers: by score, the largest first.
PairCount count_pairs(std::span<const Answer> answers) {
  std::vector<double> levels;
  for (const Answer& answer : answers) levels.push_back(answer.grade);
  std::sort(levels.begin(), levels.end());
  RankTree seen(answers.size());  // places are grades
  PairCount count{0, pairs_of(levels)};
  std::vector<double> tie;
  for (std::size_t begin = 0, end = 0; begin < answers.size(); begin = end) {
    tie.clear();
    for (; end < answers.size() && answers[end].score == answers[begin].score; ++end) tie.push_back(answers[end].grade);
    std::sort(tie.begin(), tie.end());
    count.right += pairs_of(tie) / 2;
    for (const double grade : tie) {
      const auto after = std::size_t(std::upper_bound(levels.begin(), levels.end(), grade) - levels.begin());
      count.right += double(begin) - seen.before(after)[0];
    }
    for (const double grade : tie)
      seen.add(std::size_t(std::lower_bound(levels.begin(), levels.end(), grade) - levels.begin()), {1, 0, 0});
  }
  return count;
}

}  // namespace

RankingScore score_ranking(std::span<const double> scores, std::span<const double> grades,
                           std::span<const std::uint64_t> groups, std::size_t at) {
  require(scores.size() == grades.size(), "ranking: found {} scores for {} grades", scores.size(), grades.size());
  require(at > 0, "ranking: NDCG of the first 0 rows, expected 1 or more");
  const auto finite = [](double value) { return std::isfinite(value); };
  require(std::all_of(scores.begin(), scores.end(), finite) && std::all_of(grades.begin(), grades.end(), finite),
          "ranking: found a score or a grade that is no finite number, expected finite ones");
  const std::vector<double> gains = gains_of(grades);
  RankingScore found;
  PairCount pairs;
  for (const std::vector<std::size_t>& rows : rows_by_group(groups, scores.size())) {
    std::vector<Answer> answers;
    std::vector<double> own;
    for (const std::size_t i : rows) {
      answers.push_back({scores[i], grades[i], gains[i]});
      own.push_back(gains[i]);
    }
    std::stable_sort(answers.begin(), answers.end(),
                     [](const Answer& a, const Answer& b) { return a.score > b.score; });
    const PairCount count = count_pairs(answers);
    if (count.all == 0) {
      ++found.without;
      continue;
    }
    ++found.groups;
    pairs.right += count.right;
    pairs.all += count.all;
    found.ndcg += dcg(answers, at) / best_dcg(std::move(own), at);
  }
  if (found.groups == 0) return {NAN, NAN, 0, found.without};
  found.ndcg /= double(found.groups);
  found.pairs = pairs.right / pairs.all;
  return found;
}

RankingScore evaluate_ranking(const Model& model, Rows& rows, std::span<const std::uint64_t> groups,
                              const Execution& execution, std::size_t at) {
  require(model.outputs() == 1, "ranking: the model puts out {} numbers, expected one", model.outputs());
  std::vector<double> scores, grades;
  model.predict(rows, execution, [&](const RowBlock<double>& block) {
    require(block.targets && block.target_count == 1, "ranking: the rows have no grades, expected the target {}",
            model.schema().target_names().empty() ? "" : model.schema().target_names()[0]);
    for (std::size_t i = 0; i < block.rows; ++i) {
      scores.push_back(block.values[i * block.stride]);
      grades.push_back(block.targets[i]);
    }
  });
  return score_ranking(scores, grades, groups, at);
}

}  // namespace bochner
