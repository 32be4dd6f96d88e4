// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "methods/mixtures/hmm_fit.h"
#include "methods/mixtures/hmm_map.h"
#include "methods/mixtures/hmm_start.h"
#include "methods/mixtures/maximize.h"

namespace bochner {

namespace {

double slack_of(double log_likelihood) { return 1e-9 * (1 + std::abs(log_likelihood)); }

std::vector<Hmm> maximized(const HmmFold& fold, const std::vector<Hmm>& from, const std::vector<double>& floor,
                           Threads& threads) {
  const std::vector<Gaussians> parts =
      split_gaussians(bochner::maximized(fold.sums(), joined_gaussians(from), floor, threads), from.size());
  std::vector<Hmm> to;
  for (std::size_t c = 0; c < from.size(); ++c) to.push_back(maximized_chain(fold, from[c], c, parts[c]));
  return to;
}

// The state of Baum-Welch between rounds.
class BaumWelch {
 public:
  BaumWelch(std::vector<Hmm> start, const HmmOptions& options)
      : options_(options), before_(start), ended_(start.size()) {
    const std::size_t C = start.size();
    run_ = {.hmms = std::move(start),
            .log_likelihoods = std::vector<double>(C),
            .rows = std::vector<double>(C),
            .paths = std::vector<std::vector<double>>(C)};
  }

  const std::vector<Hmm>& hmms() const { return run_.hmms; }
  HmmRun take() { return std::move(run_); }

  // Whether there is another round to make after this one.
  bool goes_on(const HmmFold& fold) {
    ++run_.rounds;
    for (std::size_t c = 0; c < ended_.size(); ++c)
      if (!ended_[c]) look_at(c, fold);
    run_.converged = std::all_of(ended_.begin(), ended_.end(), [](bool ended) { return ended; });
    return !run_.converged && run_.rounds <= options_.rounds;
  }

  void step(const HmmFold& fold, const std::vector<double>& floor, Threads& threads) {
    before_ = run_.hmms;
    run_.hmms = maximized(fold, before_, floor, threads);
    for (std::size_t c = 0; c < ended_.size(); ++c)
      if (ended_[c]) run_.hmms[c] = before_[c];
  }

  // done: no round is left to make.
  Archive saved(bool done) const {
    Archive archive, now, before;
    archive.put_count("done", done ? 1 : 0);
    archive.put_count("rounds", run_.rounds);
    archive.put_count("falls", run_.falls);
    archive.put_count("converged", run_.converged ? 1 : 0);
    save_hmms(run_.hmms, now);
    save_hmms(before_, before);
    archive.put_child("hmms", std::move(now));
    archive.put_child("before", std::move(before));
    archive.put<double>("log_likelihoods", run_.log_likelihoods, {run_.log_likelihoods.size()});
    archive.put<double>("rows", run_.rows, {run_.rows.size()});
    const std::vector<std::uint8_t> ended(ended_.begin(), ended_.end());
    archive.put<std::uint8_t>("ended", ended, {ended.size()});
    for (std::size_t c = 0; c < run_.paths.size(); ++c)
      archive.put<double>(path_name(c), run_.paths[c], {run_.paths[c].size()});
    return archive;
  }
  // Returns whether that run was done.
  bool load(const Archive& archive) {
    const std::size_t C = ended_.size();
    run_.rounds = archive.get_count("rounds");
    run_.falls = archive.get_count("falls");
    run_.converged = archive.get_count("converged", 1) == 1;
    run_.hmms = alike(load_hmms(archive.child("hmms"), C));
    before_ = alike(load_hmms(archive.child("before"), C));
    run_.log_likelihoods = archive.get<double>("log_likelihoods", {C});
    run_.rows = archive.get<double>("rows", {C});
    const std::vector<std::uint8_t> ended = archive.get<std::uint8_t>("ended", {C});
    ended_.assign(ended.begin(), ended.end());
    for (std::size_t c = 0; c < C; ++c)
      run_.paths[c] = archive.get<double>(path_name(c), {archive.length(path_name(c))});
    return archive.get_count("done", 1) == 1;
  }

 private:
  static std::string path_name(std::size_t c) { return "path" + std::to_string(c); }

  // Models of as many states, components and inputs as there were.
  std::vector<Hmm> alike(std::vector<Hmm> hmms) const {
    for (const Hmm& hmm : hmms)
      if (hmm.states() != before_[0].states() || hmm.components() != before_[0].components() ||
          hmm.gaussians.inputs() != before_[0].gaussians.inputs() || hmm.gaussians.form != before_[0].gaussians.form)
        fail(Error::Kind::model, "hmm: the checkpoint has {} states of {} inputs, expected {} of {}", hmm.states(),
             hmm.gaussians.inputs(), before_[0].states(), before_[0].gaussians.inputs());
    return hmms;
  }

  void look_at(std::size_t c, const HmmFold& fold) {
    const double sum = fold.log_likelihood(c), mean = fold.rows(c) ? sum / double(fold.rows(c)) : 0;
    std::vector<double>& path = run_.paths[c];
    if (!path.empty() && mean < path.back() - slack_of(mean)) {
      ++run_.falls;
      run_.hmms[c] = before_[c];
      ended_[c] = true;
      return;
    }
    ended_[c] = !path.empty() && mean - path.back() <= options_.tolerance;
    path.push_back(mean);
    run_.log_likelihoods[c] = sum;
    run_.rows[c] = double(fold.rows(c));
  }

  const HmmOptions& options_;
  std::vector<Hmm> before_;
  std::vector<bool> ended_;
  HmmRun run_;
};

}  // namespace

double HmmRun::mean_log_likelihood() const {
  const double all = std::accumulate(rows.begin(), rows.end(), 0.0);
  return all > 0 ? std::accumulate(log_likelihoods.begin(), log_likelihoods.end(), 0.0) / all : 0;
}

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

HmmRun run_baum_welch(const HmmPass& pass, Threads& threads, std::vector<Hmm> start, const HmmOptions& options,
                      const std::vector<double>& floor, const StateKeeper& keeper) {
  BaumWelch chain(std::move(start), options);
  if (keeper.take)
    if (const auto saved = keeper.take(); saved && chain.load(*saved)) return chain.take();
  for (;;) {
    threads.check_stop();
    const HmmFold fold = pass(HmmFold(std::make_shared<const HmmRound>(chain.hmms())));
    const bool goes_on = chain.goes_on(fold);
    if (goes_on) chain.step(fold, floor, threads);
    if (keeper.keep) keeper.keep(chain.saved(!goes_on));
    if (!goes_on) return chain.take();
  }
}

HmmRun run_baum_welch(const Workers& on, const Sequences& sequences, std::vector<Hmm> start, const HmmOptions& options,
                      const std::vector<double>& floor, const StateKeeper& keeper) {
  return run_baum_welch(pass_over(on, sequences), on.threads, std::move(start), options, floor, keeper);
}

}  // namespace bochner
