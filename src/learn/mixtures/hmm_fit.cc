// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/mixtures/hmm_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "bochner/project.h"
#include "learn/mixtures/floor.h"
#include "learn/mixtures/hmm_shrink.h"
#include "learn/mixtures/hmm_start.h"
#include "learn/mixtures/maximize.h"
#include "maps/forward_backward.h"
#include "maps/map_rows.h"

namespace bochner {

namespace {

double slack_of(double log_likelihood) { return 1e-9 * (1 + std::abs(log_likelihood)); }

// The M step of model c; gaussians: of all models, already made.
Hmm maximized_chain(const HmmFold& fold, const Hmm& from, std::size_t c, Gaussians gaussians) {
  const std::size_t S = from.states(), M = from.components();
  Hmm to = from;
  to.gaussians = std::move(gaussians);
  const auto shares = [](double* p, const std::vector<double>& counts) {
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (std::size_t i = 0; all > 0 && i < counts.size(); ++i) p[i] = counts[i] / all;
  };
  std::vector<double> counts(S), of_components(M);
  for (std::size_t s = 0; s < S; ++s) counts[s] = fold.starts(c, s);
  shares(to.start.data(), counts);
  for (std::size_t s = 0; s < S; ++s) {
    for (std::size_t r = 0; r < S; ++r) counts[r] = fold.transitions(c, s, r);
    shares(&to.transitions(s, 0), counts);
    for (std::size_t m = 0; m < M; ++m) of_components[m] = fold.sums().weight((c * S + s) * M + m);
    shares(&to.weights(s, 0), of_components);
  }
  return to;
}

std::vector<Hmm> maximized(const HmmFold& fold, const std::vector<Hmm>& from, const std::vector<double>& floor,
                           Threads& threads) {
  const std::vector<Gaussians> parts =
      split_gaussians(bochner::maximized(fold.sums(), joined_gaussians(from), floor, threads), from.size());
  std::vector<Hmm> to;
  for (std::size_t c = 0; c < from.size(); ++c) to.push_back(maximized_chain(fold, from[c], c, parts[c]));
  return to;
}

// Emissions of all inputs by the states that the rows have in the projection.
std::vector<Hmm> mapped_back(const Workers& on, const Sequences& small, const std::vector<Hmm>& hmms,
                             const Sequences& sequences, const CovarianceForm& form, const std::vector<double>& floor) {
  const std::size_t K = hmms.size() * hmms[0].gaussians.size(), d = sequences.x.cols();
  Gaussians from = floor_gaussians(form.kind == CovarianceForm::Kind::lowrank ? CovarianceForm{} : form, K, d, floor);
  for (std::size_t j = 0; j < d; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < sequences.x.rows(); ++i) mean += sequences.x(i, j) / double(sequences.x.rows());
    for (std::size_t k = 0; k < K; ++k) from.means(k, j) = mean;
  }
  HmmFold fold(std::make_shared<const HmmRound>(hmms), std::make_shared<const GaussianCenters>(from.form, from.means));
  fold.add(on, small, sequences.x.view());
  Gaussians all = bochner::maximized(fold.sums(), from, floor, on.threads);
  if (form.kind == CovarianceForm::Kind::lowrank) all = in_form(all, form, std::vector<double>(K, 1.0), floor);
  const std::vector<Gaussians> parts = split_gaussians(all, hmms.size());
  std::vector<Hmm> to;
  for (std::size_t c = 0; c < hmms.size(); ++c) to.push_back(maximized_chain(fold, hmms[c], c, parts[c]));
  return to;
}

HmmRun fit_projected(const Workers& on, const Sequences& sequences, const HmmOptions& options,
                     const std::vector<double>& floor) {
  const std::size_t d = sequences.x.cols(), all = sequences.groups * options.states * options.components;
  const double wanted =
      *options.project ? double(*options.project) : std::round(10 * std::log(double(std::max<std::size_t>(all, 2))));
  const std::size_t k = std::clamp<std::size_t>(std::size_t(wanted), 1, d);
  const MapPtr projection =
      project(d, {.kind = ProjectOptions::Kind::gaussian, .dims = k, .seed = options.features.seed});
  Sequences small{.x = Matrix<double>(sequences.x.rows(), k),
                  .starts = sequences.starts,
                  .classes = sequences.classes,
                  .groups = sequences.groups,
                  .weights = sequences.weights};
  map_rows(on, *projection, RowBlock<double>::dense(sequences.x.view()), small.x.view());
  HmmOptions inner = options;
  inner.project.reset();
  const HmmRun found = fit_hmms(on, small, inner);
  HmmOptions once = options;
  once.rounds = 0;
  HmmRun run = run_baum_welch(on, sequences, mapped_back(on, small, found.hmms, sequences, *options.covariance, floor),
                              once, floor);
  run.rounds += found.rounds;
  run.falls += found.falls;
  run.converged = found.converged;
  return run;
}

}  // namespace

double HmmRun::mean_log_likelihood() const {
  const double all = std::accumulate(rows.begin(), rows.end(), 0.0);
  return all > 0 ? std::accumulate(log_likelihoods.begin(), log_likelihoods.end(), 0.0) / all : 0;
}

HmmRun run_baum_welch(const Workers& on, const Sequences& sequences, std::vector<Hmm> start, const HmmOptions& options,
                      const std::vector<double>& floor) {
  const std::size_t C = start.size();
  HmmRun run{.hmms = std::move(start),
             .log_likelihoods = std::vector<double>(C),
             .rows = std::vector<double>(C),
             .paths = std::vector<std::vector<double>>(C)};
  std::vector<Hmm> before = run.hmms;
  std::vector<bool> ended(C);
  for (;;) {
    on.threads.check_stop();
    HmmFold fold(std::make_shared<const HmmRound>(run.hmms));
    fold.add(on, sequences);
    ++run.rounds;
    for (std::size_t c = 0; c < C; ++c) {
      if (ended[c]) continue;
      const double sum = fold.log_likelihood(c), mean = fold.rows(c) ? sum / double(fold.rows(c)) : 0;
      std::vector<double>& path = run.paths[c];
      if (!path.empty() && mean < path.back() - slack_of(mean)) {
        ++run.falls;
        run.hmms[c] = before[c];
        ended[c] = true;
        continue;
      }
      ended[c] = !path.empty() && mean - path.back() <= options.tolerance;
      path.push_back(mean);
      run.log_likelihoods[c] = sum;
      run.rows[c] = double(fold.rows(c));
    }
    run.converged = std::all_of(ended.begin(), ended.end(), [](bool e) { return e; });
    if (run.converged || run.rounds > options.rounds) return run;
    before = run.hmms;
    run.hmms = maximized(fold, before, floor, on.threads);
    for (std::size_t c = 0; c < C; ++c)
      if (ended[c]) run.hmms[c] = before[c];
  }
}

HmmRun fit_hmms(const Workers& on, const Sequences& sequences, const HmmOptions& options) {
  const std::vector<double> variances = class_variances(sequences);
  const double share = options.floor ? *options.floor : choose_hmm_floor(on, sequences, options, variances);
  const std::vector<double> floor = floor_of(variances, share);
  HmmRun best;
  if (options.project) {
    best = fit_projected(on, sequences, options, floor);
  } else if (!options.begin.empty()) {
    best = run_baum_welch(on, sequences, options.begin, options, floor);
  } else {
    const bool same = options.topology == HmmOptions::Topology::left_to_right && options.components == 1;
    for (std::size_t attempt = 0; attempt < (same ? 1 : std::max<std::size_t>(1, options.restarts)); ++attempt) {
      HmmRun run = run_baum_welch(on, sequences, hmm_start(on, sequences, options, floor, attempt), options, floor);
      if (attempt == 0) {
        best = std::move(run);
        continue;
      }
      best.falls += run.falls;
      for (std::size_t c = 0; c < run.hmms.size(); ++c) {
        if (!(run.log_likelihoods[c] > best.log_likelihoods[c])) continue;
        best.hmms[c] = run.hmms[c];
        best.log_likelihoods[c] = run.log_likelihoods[c];
        best.paths[c] = run.paths[c];
      }
      best.rounds = std::max(best.rounds, run.rounds);
      best.converged = best.converged && run.converged;
    }
  }
  best.floor = share;
  if (options.shrink.value_or(0) > 0) {
    best.hmms = shrunk(best.hmms, gaussian_rows(on, sequences, best.hmms), *options.shrink);
    HmmFold fold(std::make_shared<const HmmRound>(best.hmms));
    fold.add(on, sequences);
    for (std::size_t c = 0; c < best.hmms.size(); ++c) best.log_likelihoods[c] = fold.log_likelihood(c);
  }
  return best;
}

std::vector<double> class_evidences(const Workers& on, const HmmStates& states, const std::vector<Hmm>& hmms,
                                    MatrixView<const double> x) {
  std::vector<double> evidences;
  Matrix<double> log_b(x.rows, states.states());
  for (std::size_t c = 0; c < hmms.size(); ++c) {
    states.log_densities(on.ops, x, c, log_b.view(), {});
    evidences.push_back(log_evidence({hmms[c].start, hmms[c].transitions}, std::as_const(log_b).view()));
  }
  return evidences;
}

}  // namespace bochner
