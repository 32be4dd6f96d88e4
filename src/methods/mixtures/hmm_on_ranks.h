// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "methods/mixtures/hmm_fit.h"
#include "model/mapped_rows.h"

namespace bochner {

// Sequences that lie, each as a whole, in the partitions of several ranks (Partition::sequences). Choices and starts
// come from those that meet on every rank: all of them up to most_bytes, otherwise a draw of a sixteenth of that, and
// the rounds of Baum-Welch are then sums over all.
class SequencesOnRanks {
 public:
  // groups: classes, or 1. Both rows and mapped must outlive it.
  SequencesOnRanks(Rows& rows, const MappedRows& mapped, std::size_t groups, std::uint64_t seed, double most_bytes);

  // Those that meet, in the order of the partitions; weights as they were given.
  const Sequences& met() const { return met_; }
  bool are_drawn() const { return met_.size() < sequences_; }
  std::string note() const;
  // A pass over the sequences of all ranks, with slopes over so many rows.
  HmmPass pass(const Workers& on, std::size_t slopes) const;
  std::vector<double> priors() const;  // the classes' shares of all sequences

 private:
  Sequences own() const;

  Rows& rows_;
  const MappedRows& mapped_;
  std::size_t groups_;
  Sequences met_;
  std::uint64_t sequences_ = 0;        // all ranks have so many
  double row_weight_ = 0;              // sum of the rows' weights; 0: they have none
  std::vector<double> class_weights_;  // each class: sum of its sequences' weights
};

// hmm() of rows that several ranks have, where so many bytes may meet.
Model hmm_on_ranks(Rows& rows, const HmmOptions& options, double most_bytes);

}  // namespace bochner
