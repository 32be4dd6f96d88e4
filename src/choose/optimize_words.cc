// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cstdlib>
#include <string>

#include "base/require.h"
#include "bochner/train.h"

namespace bochner {

namespace {

using Best = Optimize::Score;

struct OptimizeWord {
  const char* name;
  Best best;
};
constexpr OptimizeWord kOptimizeWords[] = {{"error", Best::error},
                                           {"log-loss", Best::log_loss},
                                           {"auc", Best::log_loss},
                                           {"rmse", Best::rmse},
                                           {"mae", Best::quantile}};

}  // namespace

bool Optimize::suits(Task task) const {
  if (score == Best::chosen) return true;
  return (score == Best::error || score == Best::log_loss) == (task == Task::classification);
}

Optimize parse_optimize(const std::string& words) {
  const std::string quantile = "quantile:";
  if (words.starts_with(quantile)) {
    const std::string number = words.substr(quantile.size());
    char* end = nullptr;
    const double level = std::strtod(number.c_str(), &end);
    require(!number.empty() && *end == 0 && level > 0 && level < 1,
            "optimize: found '{}', expected a number between 0 and 1, as in quantile:0.9", words);
    return {Best::quantile, level};
  }
  for (const OptimizeWord& word : kOptimizeWords)
    if (words == word.name) return {word.best};
  mistake("optimize: found '{}', expected error, log-loss or auc for classes, rmse, mae or quantile:LEVEL for numbers",
          words);
}

}  // namespace bochner
