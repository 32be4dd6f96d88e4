// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "train_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bochner/split.h"
#include "options.h"
#include "require.h"

namespace bochner {

namespace {

constexpr std::size_t kLeastTestRows = 2, kLeastTrainRows = 5;

double figure(const Score& score) { return score.error ? 100 * *score.error : score.r2.value_or(0); }

}  // namespace

bool Split::learns(std::uint64_t row, std::size_t which) const {
  const std::size_t of = part(row);
  return of != which && (!forward || of >= parts || of < which);
}

std::unique_ptr<Rows> Split::held(Rows& rows, std::size_t which) const {
  return subset_rows(rows, [part = part, which](std::uint64_t row) { return part(row) == which; });
}

std::unique_ptr<Rows> Split::others(Rows& rows, std::size_t which) const {
  return subset_rows(rows, [split = *this, which](std::uint64_t row) { return split.learns(row, which); });
}

TrainOptions Split::options_of_others(const TrainOptions& options, std::size_t which) const {
  TrainOptions other = options;
  const auto learnt = [&](std::uint64_t row) { return learns(row, which); };
  other.groups = groups_of(options.groups, learnt);
  other.times = times_of(options.times, learnt);
  return other;
}

Score Split::score(const Model& model, Rows& rows, const TrainOptions& options, std::size_t which) const {
  const auto groups = groups_of(options.groups, [&](std::uint64_t row) { return part(row) == which; });
  return score_of_groups(model.evaluate(*held(rows, which), options.execution), groups);
}

void Split::check(Rows& rows) const {
  for (std::size_t which = 0; which < parts; ++which) {
    const std::unique_ptr<Rows> train = others(rows, which), test = held(rows, which);
    if (!train->size() || !test->size()) continue;
    if (*test->size() < kLeastTestRows || *train->size() < kLeastTrainRows)
      fail(Error::Kind::data, "{}: leaves {} to train on and {} to test, expected at least {} and {}; use more rows",
           option, counted(*train->size(), "row"), counted(*test->size(), "row"), kLeastTrainRows, kLeastTestRows);
  }
}

TestRows test_rows(const std::string& text) {
  constexpr std::string_view kLast = "last:";
  TestRows rows;
  rows.last = text.starts_with(kLast);
  rows.share = parse_number("--test", rows.last ? text.substr(kLast.size()) : text);
  require(rows.share > 0 && rows.share < 1,
          "--test: found {}, expected a share of the rows between 0 and 1, such as 0.2 or last:0.2", text);
  return rows;
}

Split last_split(double share, std::uint64_t rows) {
  const std::uint64_t held = std::max<std::uint64_t>(1, std::uint64_t(std::llround(share * double(rows))));
  return {1, [first = rows - std::min(rows, held)](std::uint64_t row) -> std::size_t { return row >= first ? 0 : 1; },
          "--test"};
}

Split later_split(const std::vector<double>& times, double share) {
  Split split = later_folds(times, 1);
  split.part = [blocks = time_blocks(times, 1, share)](std::uint64_t row) -> std::size_t { return 1 - blocks[row]; };
  split.option = "--test";
  return split;
}

Split later_folds(const std::vector<double>& times, std::size_t folds) {
  std::vector<std::size_t> blocks = time_blocks(times, folds, 1 / double(folds + 1));
  Split split{*std::max_element(blocks.begin(), blocks.end()), {}, "--folds", true};
  // The rows before all blocks are in none of the parts.
  split.part = [blocks = std::move(blocks), never = split.parts](std::uint64_t row) {
    return blocks[row] == 0 ? never : blocks[row] - 1;
  };
  return split;
}

Split test_split(std::uint64_t seed, double share, const std::vector<std::uint64_t>& groups) {
  Split split{1, {}, "--test"};
  if (groups.empty())
    split.part = [=](std::uint64_t row) -> std::size_t { return is_test_row(seed, row, share) ? 0 : 1; };
  else
    split.part = [held = held_groups(groups, share, seed)](std::uint64_t row) -> std::size_t { return !held[row]; };
  return split;
}

Split fold_split(std::uint64_t seed, std::size_t folds, const std::vector<std::uint64_t>& groups) {
  Split split{folds, {}, "--folds"};
  if (groups.empty())
    split.part = [=](std::uint64_t row) { return fold_of_row(seed, row, folds); };
  else
    split.part = [parts = group_parts(groups, folds, seed)](std::uint64_t row) { return parts[row]; };
  return split;
}

std::vector<Score> cross_validate(Rows& rows, const TrainOptions& options, const Split& split, Messages& messages) {
  std::vector<Score> scores;
  for (std::size_t fold = 0; fold < split.parts; ++fold) {
    TrainOptions of_fold = split.options_of_others(options, fold);
    of_fold.checkpoint = {};  // the training on all rows has it
    of_fold.say = of_fold.notice = {};
    messages.step(fmt::format("fold {} of {}", fold + 1, split.parts));
    const Model model = train(*split.others(rows, fold), of_fold);
    scores.push_back(split.score(model, rows, options, fold));
    messages.say(fmt::format("  fold {}: {}", fold + 1, scores.back().text()));
  }
  return scores;
}

std::pair<double, double> mean_and_deviation(const std::vector<Score>& folds) {
  const double count = double(folds.size());
  double sum = 0, squares = 0;
  for (const Score& fold : folds) sum += figure(fold) / count;
  for (const Score& fold : folds) squares += (figure(fold) - sum) * (figure(fold) - sum);
  return {sum, folds.size() > 1 ? std::sqrt(squares / (count - 1)) : 0};
}

std::string folds_text(const std::vector<Score>& folds) {
  const auto [mean, deviation] = mean_and_deviation(folds);
  const auto by_figure = [](const Score& a, const Score& b) { return figure(a) < figure(b); };
  const auto [least, most] = std::minmax_element(folds.begin(), folds.end(), by_figure);
  const bool classes = folds[0].error.has_value();
  return fmt::format(fmt::runtime(classes ? "{}error {:.2f} % ± {:.2f} over {} folds ({:.2f} to {:.2f})"
                                          : "{}R2 {:.4f} ± {:.4f} over {} folds ({:.4f} to {:.4f})"),
                     folds[0].weighted ? "weighted " : "", mean, deviation, folds.size(), figure(*least),
                     figure(*most));
}

}  // namespace bochner
