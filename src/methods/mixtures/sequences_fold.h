// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <vector>

#include "folds/binned_sum.h"
#include "methods/mixtures/hmm_fold.h"
#include "rows/partitioned_rows.h"

namespace bochner {

// Sequences of several partitions that come together, in any order, and what is counted of all of them.
class SequencesFold {
 public:
  SequencesFold(std::size_t inputs, std::size_t groups);

  using Takes = std::function<bool(std::uint64_t partition, std::uint64_t number)>;
  // where: of `all`; takes: which of them come together.
  void add(const Sequences& all, const RankSequences& where, const Takes& takes);
  void merge(const SequencesFold& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);

  // Refuses a name that two partitions have: that of a sequence which was cut.
  void check_whole() const;
  Sequences in_order() const;
  std::size_t count() const { return names_.size(); }           // those that came together, and the others
  double row_weight() const { return row_weight_[0].value(); }  // 0: rows have none
  std::vector<double> class_weights() const;                    // each class: sum of its sequences' weights

 private:
  void append(const Sequences& other);

  Sequences sequences_;
  std::vector<std::uint64_t> partitions_, numbers_;  // places of those that came together
  std::vector<std::uint64_t> names_, holders_;       // all sequences: hashes of names, and the partition
  std::vector<BinnedSum> row_weight_, class_weights_;
};

}  // namespace bochner
