// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "methods/mixtures/gaussian_sums.h"
#include "methods/mixtures/hmm_map.h"

namespace bochner {

// Sequences in memory: rows one after the other, where each begins, and its class.
struct Sequences {
  Matrix<double> x;
  std::vector<std::size_t> starts;     // and the number of rows
  std::vector<std::uint32_t> classes;  // one per sequence
  std::size_t groups = 1;
  std::vector<double> weights = {};  // one per sequence; empty: all 1. Summed over rows, they give the number of rows

  std::size_t size() const { return classes.size(); }
  double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
  MatrixView<const double> rows(std::size_t i) const { return x.view().slice(starts[i], starts[i + 1] - starts[i]); }
  Sequences of(const std::vector<std::size_t>& chosen) const;
};

// Hidden Markov models that a round of Baum-Welch starts from, one of each class; sums are about their means.
struct HmmRound {
  explicit HmmRound(std::vector<Hmm> hmms);

  std::vector<Hmm> hmms;
  HmmStates states;
  std::shared_ptr<const GaussianCenters> about;  // the centers of all models, side by side
};

// One round over whole sequences: how much each row counts for each state, and the sums of the M step. A sequence is
// summed in floating point and then exactly, so that sequences may be split among folds in any way.
class HmmFold {
 public:
  // about: what sums are taken about where they are not of the rows that densities are taken of.
  explicit HmmFold(std::shared_ptr<const HmmRound> round, std::shared_ptr<const GaussianCenters> about = nullptr);

  void add(const Workers& on, const Sequences& sequences) { add(on, sequences, sequences.x.view()); }
  // `of`: as many rows as the sequences have; the Gaussians' sums are taken of them.
  void add(const Workers& on, const Sequences& sequences, MatrixView<const double> of);
  void merge(const HmmFold& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const HmmFold& other) const {
    return sums_ == other.sums_ && starts_ == other.starts_ && transitions_ == other.transitions_ &&
           likelihoods_ == other.likelihoods_ && rows_ == other.rows_ && sequences_ == other.sequences_;
  }

  const GaussianSums& sums() const { return sums_; }
  double log_likelihood(std::size_t c) const { return likelihoods_[c].value(); }
  std::uint64_t rows(std::size_t c) const { return rows_[c]; }
  std::uint64_t sequences(std::size_t c) const { return sequences_[c]; }
  double starts(std::size_t c, std::size_t s) const { return starts_[c * S_ + s].value(); }
  double transitions(std::size_t c, std::size_t from, std::size_t to) const {
    return transitions_[(c * S_ + from) * S_ + to].value();
  }

 private:
  std::shared_ptr<const HmmRound> round_;
  std::size_t S_;
  GaussianSums sums_;
  std::vector<BinnedSum> starts_, transitions_, likelihoods_;
  std::vector<std::uint64_t> rows_, sequences_;
};

// A pass over all sequences that adds them to an empty fold.
using HmmPass = std::function<HmmFold(const HmmFold& empty)>;
HmmPass pass_over(const Workers& on, const Sequences& sequences);  // which must outlive it

}  // namespace bochner
