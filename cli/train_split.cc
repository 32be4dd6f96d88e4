// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "train_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "options.h"
#include "require.h"

namespace bochner {

namespace {

constexpr std::size_t kLeastTestRows = 2, kLeastTrainRows = 5;

double figure(const Score& score) { return score.error ? 100 * *score.error : score.r2.value_or(0); }

void check_sizes(const Rows& train, const Rows& test, const std::string& option) {
  if (!train.size() || !test.size()) return;
  if (*test.size() < kLeastTestRows || *train.size() < kLeastTrainRows)
    fail(Error::Kind::data, "{}: leaves {} to train on and {} to test, expected at least {} and {}; use more rows",
         option, counted(*train.size(), "row"), counted(*test.size(), "row"), kLeastTrainRows, kLeastTestRows);
}

}  // namespace

TestSplit split_for_test(Rows& rows, std::uint64_t seed, double share) {
  TestSplit split;
  split.train = subset_rows(rows, [=](std::uint64_t row) { return !is_test_row(seed, row, share); });
  split.test = subset_rows(rows, [=](std::uint64_t row) { return is_test_row(seed, row, share); });
  check_sizes(*split.train, *split.test, "--test");
  return split;
}

std::vector<Score> cross_validate(Rows& rows, TrainOptions options, std::size_t folds, Messages& messages) {
  const std::uint64_t seed = options.seed;
  options.checkpoint = {};  // the training on all rows has it
  options.say = {};
  const auto part = [&](std::size_t fold, bool inside) {
    return subset_rows(rows, [=](std::uint64_t row) { return (fold_of_row(seed, row, folds) == fold) == inside; });
  };
  for (std::size_t fold = 0; fold < folds; ++fold) check_sizes(*part(fold, false), *part(fold, true), "--folds");
  std::vector<Score> scores;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const std::unique_ptr<Rows> others = part(fold, false), own = part(fold, true);
    messages.step(fmt::format("fold {} of {}", fold + 1, folds));
    const Model model = train(*others, options);
    scores.push_back(model.evaluate(*own, options.execution));
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
