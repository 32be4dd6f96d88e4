// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/matrix.h"
#include "methods/automatic/tree_bins.h"

namespace bochner {

struct TreeSplit {
  double gain = 0;
  std::size_t input = 0, bin = 0;  // place among the inputs; rows of this bin and those before go below
};

// A leaf that may be split: where its rows lie among those drawn, histograms and best split.
struct OpenLeaf {
  std::size_t begin = 0, end = 0;
  std::vector<double> sums;  // one set per bin: targets' sums, weight and, if rows have weights, their number
  TreeSplit best;
  std::int64_t parent = -1;
  bool above = false;

  std::size_t rows() const { return end - begin; }
};

// A leaf that was split and its sides, the one with fewer rows first. A side without histograms is not split again.
struct SplitLeaf {
  OpenLeaf& whole;
  OpenLeaf& less;
  OpenLeaf& more;
};

// What splits are judged by: binned rows, what is left over of their targets, their weights (1 where `weighted` is
// not).
struct SplitRows {
  const BinnedRows& binned;
  const Matrix<double>& residuals;
  std::span<const double> weights;
  bool weighted;
};

// Finds where leaves split by histograms of their rows. Sums are double, in the order of the rows: same bits for any
// number of threads.
class SplitFinder {
 public:
  // ridge: rows' weight that pulls a leaf to 0; least_rows: on both sides of a split.
  SplitFinder(const Workers& on, const SplitRows& rows, double ridge, std::size_t least_rows);

  // The histograms of the inputs and the best split of a leaf.
  void begin(OpenLeaf& leaf, std::span<const std::uint32_t> drawn);
  // The same of the sides of leaves, of those that have `least` rows: the smaller side is summed, the other is what is
  // left of the whole, whose histograms it takes. best: also finds the best split of each.
  void part(std::span<const SplitLeaf> leaves, std::span<const std::uint32_t> drawn, std::size_t least, bool best);
  // The split that gains most when all leaves take it, whatever rows it leaves on a side.
  TreeSplit find_common(std::span<const OpenLeaf> leaves) const;
  // Leaves that are no longer looked at: their histograms become room for others.
  void close(std::span<OpenLeaf> leaves);

 private:
  const double* at(const std::vector<double>& sums, std::size_t input) const {
    return sums.data() + binned_.first[input] * width_;
  }
  bool plain() const { return width_ == 2; }  // one target, no weights
  double count(const double* s) const { return s[width_ - 1]; }
  template <class Work>
  void over_inputs(double steps, const Work& work) const;
  std::vector<double> room();
  void sum(OpenLeaf& leaf, std::span<const std::uint32_t> drawn, std::size_t begin, std::size_t end) const;
  void subtract(const SplitLeaf& leaf, std::size_t begin, std::size_t end) const;
  TreeSplit best_of(const OpenLeaf& leaf, const std::vector<double>& total, std::size_t input) const;
  double gain(const double* s) const;
  std::vector<double> total_of(const OpenLeaf& leaf) const;
  template <class Found>
  void each_cut(const OpenLeaf& leaf, std::size_t input, const std::vector<double>& total, double least,
                const Found& found) const;
  TreeSplit best_of_level(std::span<const OpenLeaf> leaves, const std::vector<std::vector<double>>& totals,
                          std::size_t input) const;
  std::size_t end_of(const OpenLeaf& leaf, std::size_t input) const;

  Threads& threads_;
  const BinnedRows& binned_;
  const Matrix<double>& residuals_;
  std::span<const double> weights_;
  std::size_t targets_, width_;
  double ridge_, least_rows_;
  std::vector<std::vector<double>> rooms_;  // histograms that no leaf has
};

}  // namespace bochner
