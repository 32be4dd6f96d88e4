// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bochner/hmm.h"
#include "methods/mixtures/hmm_fold.h"
#include "run/state_keeper.h"

namespace bochner {

// What Baum-Welch did. Where a log-likelihood falls by more than rounding, the model before is kept.
struct HmmRun {
  std::vector<Hmm> hmms;                   // one of each class
  std::vector<double> log_likelihoods;     // sums over the rows of each class, of `hmms`
  std::vector<double> rows;                // number of rows of each class
  std::vector<std::vector<double>> paths;  // mean per row of each class, round by round
  std::size_t rounds = 0, falls = 0;
  bool converged = false;
  double floor = 0;  // share of an input's variance

  double mean_log_likelihood() const;
};

// Baum-Welch from `start`. floor: least variance of each input.
HmmRun run_baum_welch(const HmmPass& pass, Threads& threads, std::vector<Hmm> start, const HmmOptions& options,
                      const std::vector<double>& floor, const StateKeeper& keeper = {});
HmmRun run_baum_welch(const Workers& on, const Sequences& sequences, std::vector<Hmm> start, const HmmOptions& options,
                      const std::vector<double>& floor, const StateKeeper& keeper = {});
// The M step of model c; gaussians: of its states, already made.
Hmm maximized_chain(const HmmFold& fold, const Hmm& from, std::size_t c, Gaussians gaussians);

// Models to start from: states by k-means of a class's rows, or equal parts of its sequences from left to right.
std::vector<Hmm> hmm_start(const Workers& on, const Sequences& sequences, const HmmOptions& options,
                           const std::vector<double>& floor, std::size_t attempt);

// Starts, the likeliest kept, of options whose states and covariance are given; in a projection where asked for.
HmmRun fit_hmms(const Workers& on, const Sequences& sequences, const HmmOptions& options);
// The same of a draw of the sequences, from whose models Baum-Welch goes on over all of them.
HmmRun fit_hmms(const Workers& on, const Sequences& drawn, const HmmOptions& options, const HmmPass& all);

// The options with states, covariance, slopes and shrinkage chosen where they are open: by the log-loss of classes on
// sequences held out, or by their likelihood where there is one class. say: told what was tried.
HmmOptions choose_hmm(const Workers& on, const Sequences& sequences, HmmOptions options,
                      const std::function<void(const std::string&)>& say);

// log p(sequence | class) of each.
std::vector<double> class_evidences(const Workers& on, const HmmStates& states, const std::vector<Hmm>& hmms,
                                    MatrixView<const double> x);

}  // namespace bochner
