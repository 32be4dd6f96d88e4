// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bochner {

// The area under the ROC curve of one class against the rest: the chance that a row of the class scores above another.
// Exact by sorting while the scores fit into `most`; beyond, a histogram whose bins are the leading bits of a float, so
// that scores equal to about one part in 1000 count as ties.
class Ranking {
 public:
  explicit Ranking(std::size_t most) : most_(most) {}

  void add(double score, bool of_class, double weight);
  bool exact() const { return bins_.empty(); }
  double area() const;  // NaN where the class, or the rest, has no rows

 private:
  struct Row {
    double score, weight;
    bool of_class;
  };
  struct Bin {
    double of_class = 0, rest = 0;
  };
  void add_to_bin(const Row& row);

  std::size_t most_;
  std::vector<Row> rows_;
  std::vector<Bin> bins_;
};

}  // namespace bochner
