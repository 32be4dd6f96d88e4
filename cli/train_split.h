// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/train.h"
#include "messages.h"

namespace bochner {

// The rows of `train --test SHARE`: drawn by the seed and the row's number, before anything looks at them.
struct TestSplit {
  std::unique_ptr<Rows> train, test;
};
TestSplit split_for_test(Rows& rows, std::uint64_t seed, double share);

// The whole training, once for each fold on the rows of the others: the scores on the rows it did not see.
std::vector<Score> cross_validate(Rows& rows, TrainOptions options, std::size_t folds, Messages& messages);

// "R2 0.93 +- 0.02 over 5 folds (0.91 to 0.95)": mean, deviation and range.
std::string folds_text(const std::vector<Score>& folds);
// The mean and the deviation of the errors or R2 of the folds.
std::pair<double, double> mean_and_deviation(const std::vector<Score>& folds);

}  // namespace bochner
