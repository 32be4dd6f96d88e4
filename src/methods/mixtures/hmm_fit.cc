// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/hmm_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "bochner/project.h"
#include "maps/map_rows.h"
#include "methods/mixtures/floor.h"
#include "methods/mixtures/forward_backward.h"
#include "methods/mixtures/hmm_shrink.h"
#include "methods/mixtures/hmm_start.h"
#include "methods/mixtures/maximize.h"

namespace bochner {

namespace {

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

// Draws the covariances of a run together, where that is asked for.
void shrink(HmmRun& run, const HmmOptions& options, const HmmPass& pass) {
  if (!(options.shrink.value_or(0) > 0)) return;
  run.hmms = shrunk(run.hmms, gaussian_rows(pass, run.hmms), *options.shrink);
  const HmmFold fold = pass(HmmFold(std::make_shared<const HmmRound>(run.hmms)));
  for (std::size_t c = 0; c < run.hmms.size(); ++c) run.log_likelihoods[c] = fold.log_likelihood(c);
}

}  // namespace

HmmRun fit_hmms(const Workers& on, const Sequences& sequences, const HmmOptions& options) {
  const std::vector<double> variances = class_variances(sequences);
  Checkpoint* const checkpoint = options.features.execution.checkpoint;
  const double share =
      options.floor ? *options.floor
                    : logged(checkpoint, fmt::format("floor of {} inputs", sequences.x.cols()), 1,
                             [&] { return std::vector{choose_hmm_floor(on, sequences, options, variances)}; })[0];
  const std::vector<double> floor = floor_of(variances, share);
  HmmRun best;
  if (options.project) {
    best = fit_projected(on, sequences, options, floor);
  } else if (!options.begin.empty()) {
    best = run_baum_welch(on, sequences, options.begin, options, floor, keeper_of(checkpoint, "Baum-Welch"));
  } else {
    const bool same = options.topology == HmmOptions::Topology::left_to_right && options.components == 1;
    for (std::size_t attempt = 0; attempt < (same ? 1 : std::max<std::size_t>(1, options.restarts)); ++attempt) {
      HmmRun run = run_baum_welch(on, sequences, hmm_start(on, sequences, options, floor, attempt), options, floor,
                                  keeper_of(checkpoint, fmt::format("Baum-Welch {}", attempt)));
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
  shrink(best, options, pass_over(on, sequences));
  return best;
}

HmmRun fit_hmms(const Workers& on, const Sequences& drawn, const HmmOptions& options, const HmmPass& all) {
  HmmOptions first = options;
  first.shrink = 0;
  HmmRun start = fit_hmms(on, drawn, first);
  HmmRun run =
      run_baum_welch(all, on.threads, std::move(start.hmms), options, floor_of(class_variances(drawn), start.floor));
  run.rounds += start.rounds;
  run.falls += start.falls;
  run.floor = start.floor;
  shrink(run, options, all);
  return run;
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
