// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/archive.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"
#include "bochner/schema.h"

namespace bochner {

// What one look over the raw rows tells: ranges and counts per column, exactly, and a uniform sample of rows.
// Everything is a minimum, a maximum, a count or the rows with the smallest random keys, so parts merge to the
// same result in any order. Refuses NaN and Inf with their row and column.
class Survey {
 public:
  struct ColumnFacts {
    double min = 0, max = 0;
    std::uint64_t nonzero = 0;
    bool indicator = true;  // only 0 and 1 seen
    bool operator==(const ColumnFacts&) const = default;
  };

  struct SampledRow {
    std::uint64_t key = 0, row = 0;
    std::vector<double> values;  // dense: one per input; sparse: as `columns` says
    std::vector<std::uint32_t> columns;
    std::vector<double> targets;
    double weight = 1;
    bool operator==(const SampledRow&) const = default;
  };

  // part: rows of different parts, which all begin at row 0, are sampled by different draws.
  Survey(const Schema& schema, std::uint64_t seed, std::uint64_t part = 0);

  // How many rows will come: those whose keys are clearly too large for the sample are then not even taken. Where the
  // rows are far fewer the sample may be `short_of_rows`, and the look must be taken again without.
  void expect(std::size_t rows);
  bool short_of_rows() const { return sample_.size() < std::min<std::uint64_t>(sample_rows_, rows_); }

  template <class T>
  void add(const Workers& on, const RowBlock<T>& block);
  void merge(const Survey& other);
  // The survey of the same rows with their weights multiplied by that of their class. The largest weight becomes a
  // bound on it.
  Survey reweighted(const std::vector<double>& class_weights) const;
  // About the mean weight of the rows that weigh anything: of those sampled, and never below what the largest weight
  // implies for the mean of all. Where all weigh the same it is that weight, to the bit.
  double usual_weight() const;
  // The survey of the same rows with their weights divided by `unit`.
  void weigh_in(double unit);
  double weight_unit() const { return weight_unit_; }
  // The survey of the same rows read by another schema of the same columns: other levels and labels, wider sparse rows.
  Survey recoded(const Schema& to) const;

  // The survey of the same rows less `offsets` (empty: as they are), one per input, rounded to float.
  Survey shifted(const std::vector<double>& offsets) const;
  // Subtracts `offsets` from the targets, which are numbers.
  void shift_targets(const std::vector<double>& offsets);

  void save(Archive& archive) const;
  void load(const Archive& archive);  // the saved survey has the same schema and seed
  static Survey from(const Archive& archive);

  const Schema& schema() const { return schema_; }
  std::uint64_t seed() const { return seed_; }
  std::uint64_t rows() const { return rows_; }
  const std::vector<ColumnFacts>& columns() const { return columns_; }
  const std::vector<ColumnFacts>& targets() const { return targets_; }
  const std::vector<std::uint64_t>& class_rows() const { return class_rows_; }
  double largest_weight() const { return largest_weight_; }

  static std::size_t most_sampled(const Schema& schema);
  void forget_sample() { std::vector<SampledRow>().swap(sample_); }

  // At most `most` sampled rows, in random order; and their inputs as dense rows.
  std::span<const SampledRow> sample(std::size_t most) const;
  std::size_t sampled() const { return sample_.size(); }
  Matrix<double> sample_inputs(std::size_t most) const;
  bool operator==(const Survey& other) const;  // compares what was seen; the part does not count

 private:
  void keep_smallest(std::size_t sorted);  // the first `sorted` rows of the sample are in order

  Schema schema_;
  std::uint64_t seed_, part_;
  std::size_t sample_rows_;
  std::uint64_t largest_taken_ = ~std::uint64_t{0};  // key
  std::uint64_t rows_ = 0;
  std::vector<ColumnFacts> columns_, targets_;
  std::vector<std::uint64_t> class_rows_;
  double largest_weight_ = 0;
  double weight_unit_ = 1;          // that the weights were divided by
  std::vector<SampledRow> sample_;  // the sample_rows_ rows with the smallest keys
};

}  // namespace bochner
