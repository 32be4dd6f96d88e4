// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bochner/train.h"
#include "messages.h"

namespace bochner {

// How `train --test SHARE` and `--folds K` share out the rows: drawn by the seed and the row's number or, with --group,
// its group, or in order of --time, before anything looks at them.
struct Split {
  std::size_t parts = 0;                           // parts that are held out, each in its turn
  std::function<std::size_t(std::uint64_t)> part;  // the part of a row; a number from `parts` on: it is never held out
  std::string option;                              // the option that asks for it, for messages
  bool forward = false;                            // a part is not learnt from before it was held out

  bool learns(std::uint64_t row, std::size_t which) const;  // whether a row is learnt from when a part is held out

  std::unique_ptr<Rows> held(Rows& rows, std::size_t which) const;
  std::unique_ptr<Rows> others(Rows& rows, std::size_t which) const;
  // The options of a training on the others.
  TrainOptions options_of_others(const TrainOptions& options, std::size_t which) const;
  // The score of a model on the rows held out.
  Score score(const Model& model, Rows& rows, const TrainOptions& options, std::size_t which) const;
  // Refuses parts that are too small to train or to test on.
  void check(Rows& rows) const;
};
// What --test asks for: a share of the rows, drawn, or those at the end of the file.
struct TestRows {
  double share = 0;
  bool last = false;
};
TestRows test_rows(const std::string& text);
Split last_split(double share, std::uint64_t rows);
Split test_split(std::uint64_t seed, double share, const std::vector<std::uint64_t>& groups);
// The latest rows; and blocks of rows in order of time, each held out from a training on those before it.
Split later_split(const std::vector<double>& times, double share);
Split later_folds(const std::vector<double>& times, std::size_t folds);
Split fold_split(std::uint64_t seed, std::size_t folds, const std::vector<std::uint64_t>& groups);

// The whole training, once for each fold on the rows of the others: the scores on the rows it did not see.
std::vector<Score> cross_validate(Rows& rows, const TrainOptions& options, const Split& split, Messages& messages);

// "R2 0.93 +- 0.02 over 5 folds (0.91 to 0.95)": mean, deviation and range.
std::string folds_text(const std::vector<Score>& folds);
// The mean and the deviation of the errors or R2 of the folds.
std::pair<double, double> mean_and_deviation(const std::vector<Score>& folds);

}  // namespace bochner
