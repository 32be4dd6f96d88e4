// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bochner/evaluation.h"

namespace bochner {

// The area under the ROC curve of one class against the rest: the chance that a row of the class scores above another.
// Exact by sorting while the scores fit into `most`. Beyond it is forgotten, or a histogram whose bins are the leading
// bits of a float, so that scores equal to about one part in 1000 count as ties.
class ClassRanking {
 public:
  enum class Beyond { forget, histogram };
  // NaN where the class, or the rest, has no rows, or where there were too many.
  struct Area {
    double value = 0;
    double by_chance = 0;  // the standard deviation of the area of scores that know nothing of the class
  };

  explicit ClassRanking(std::size_t most = 0, Beyond beyond = Beyond::forget) : most_(most), beyond_(beyond) {}

  void add(double score, bool of_class, double weight);
  bool exact() const { return bins_.empty(); }
  Area area() const;
  // Points from the largest scores on, ties at once; those near to the one before are left out.
  std::vector<Evaluation::RankingPoint> curve() const;

 private:
  struct Row {
    double score, weight;
    bool of_class;
  };
  // The rows of one score: the weights of the class and of the rest.
  struct Tie {
    double of_class = 0, rest = 0;
  };
  void add_to_bin(const Row& row);
  std::vector<Tie> ties() const;  // sorted by score

  std::size_t most_;
  Beyond beyond_;
  bool forgotten_ = false;
  double squares_of_class_ = 0, squares_of_rest_ = 0;  // sums of squared weights
  std::vector<Row> rows_;
  std::vector<Tie> bins_;
};

}  // namespace bochner
