// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/em.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "methods/mixtures/maximize.h"
#include "methods/mixtures/mixture_map.h"

namespace bochner {

namespace {

using Kind = CovarianceForm::Kind;

// Rounding of rows, by their size: float densities have six digits, of which a mean over rows keeps more.
double slack_of(double log_likelihood, bool double_precision) {
  return (double_precision ? 1e-9 : 1e-6) * (1 + std::abs(log_likelihood));
}

// Gaussian `from_k` of `from` becomes Gaussian `to_k` of `to`, of the same form; tied ones share theirs.
void copy_gaussian(const Gaussians& from, std::size_t from_k, Gaussians& to, std::size_t to_k) {
  std::copy_n(&from.means(from_k, 0), from.inputs(), &to.means(to_k, 0));
  if (from.variances.rows() > 0) std::copy_n(&from.variances(from_k, 0), from.variances.cols(), &to.variances(to_k, 0));
  if (from.form.kind != Kind::tied && !from.matrices.empty()) to.matrices[to_k] = from.matrices[from_k];
}

Gaussians empty_like(const Gaussians& some, std::size_t count) {
  Gaussians to{.form = some.form,
               .means = Matrix<double>(count, some.inputs()),
               .variances = some.variances.rows() > 0 ? Matrix<double>(count, some.variances.cols()) : Matrix<double>(),
               .matrices = {}};
  if (some.form.kind == Kind::tied)
    to.matrices = some.matrices;
  else if (!some.matrices.empty())
    to.matrices.resize(count);
  return to;
}

}  // namespace

Mixture Mixtures::of_group(std::size_t group) const {
  const std::size_t M = components();
  std::vector<std::size_t> kept;
  double all = 0;
  for (std::size_t k = group * M; k < (group + 1) * M; ++k)
    if (weights[k] > 0) kept.push_back(k), all += weights[k];
  Mixture mixture{.weights = {}, .gaussians = empty_like(gaussians, kept.size())};
  for (std::size_t m = 0; m < kept.size(); ++m) {
    copy_gaussian(gaussians, kept[m], mixture.gaussians, m);
    mixture.weights.push_back(weights[kept[m]] / all);
  }
  return mixture;
}

Mixtures side_by_side(const std::vector<Mixture>& groups) {
  std::size_t M = 0;
  for (const Mixture& mixture : groups) M = std::max(M, mixture.weights.size());
  Mixtures all{.gaussians = empty_like(groups[0].gaussians, M * groups.size()),
               .weights = std::vector<double>(M * groups.size()),
               .groups = groups.size()};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    require(groups[g].gaussians.form == all.gaussians.form && groups[g].gaussians.inputs() == all.gaussians.inputs(),
            "mixture: groups of different covariances or inputs");
    for (std::size_t m = 0; m < M; ++m) {
      const std::size_t from = std::min(m, groups[g].weights.size() - 1);
      copy_gaussian(groups[g].gaussians, from, all.gaussians, g * M + m);
      all.weights[g * M + m] = m < groups[g].weights.size() ? groups[g].weights[m] : 0;
    }
  }
  return all;
}

double EmRun::mean_log_likelihood() const {
  const double all = std::accumulate(group_weights.begin(), group_weights.end(), 0.0);
  return std::accumulate(log_likelihoods.begin(), log_likelihoods.end(), 0.0) / all;
}

Mixtures maximized(const MixtureFold& fold, const Mixtures& from, std::span<const double> floor, Threads& threads) {
  Mixtures to{.gaussians = maximized(fold.sums(), from.gaussians, floor, threads),
              .weights = from.weights,
              .groups = from.groups};
  const std::size_t M = from.components();
  for (std::size_t g = 0; g < from.groups; ++g) {
    const double all = fold.weight(g);
    if (!(all > 0)) continue;
    for (std::size_t k = g * M; k < (g + 1) * M; ++k) to.weights[k] = fold.sums().weight(k) / all;
  }
  return to;
}

namespace {

// The state of EM between rounds. Groups are looked at one by one, unless they share a covariance.
class Em {
 public:
  Em(Mixtures start, const EmOptions& options)
      : options_(options),
        tied_(start.gaussians.form.kind == Kind::tied),
        before_(start),
        ended_(tied_ ? 1 : start.groups),
        run_{.mixtures = std::move(start), .log_likelihoods = {}, .group_weights = {}, .paths = {}} {
    run_.log_likelihoods.resize(run_.mixtures.groups);
    run_.group_weights.resize(run_.mixtures.groups);
    run_.paths.resize(ended_.size());
  }

  std::shared_ptr<const MixtureRound> next_round() const {
    return std::make_shared<const MixtureRound>(run_.mixtures.gaussians, run_.mixtures.weights, run_.mixtures.groups,
                                                options_.double_precision);
  }

  // Whether there is another round to make after this one.
  bool goes_on(const MixtureFold& fold) {
    ++run_.rounds;
    for (std::size_t unit = 0; unit < ended_.size(); ++unit)
      if (!ended_[unit]) look_at(unit, fold);
    run_.converged = std::all_of(ended_.begin(), ended_.end(), [](bool ended) { return ended; });
    return !run_.converged && run_.rounds <= options_.rounds;
  }

  void step(const MixtureFold& fold, Threads& threads) {
    Mixtures next = maximized(fold, run_.mixtures, options_.floor, threads);
    before_ = std::move(run_.mixtures);
    run_.mixtures = std::move(next);
    for (std::size_t unit = 0; unit < ended_.size(); ++unit)
      if (ended_[unit]) restore(unit);
  }

  EmRun take() { return std::move(run_); }

  // done: no round is left to make.
  Archive saved(bool done) const {
    Archive archive;
    archive.put_count("done", done ? 1 : 0);
    archive.put_count("rounds", run_.rounds);
    archive.put_count("falls", run_.falls);
    archive.put_count("converged", run_.converged ? 1 : 0);
    save_mixtures("mixtures", run_.mixtures, archive);
    save_mixtures("before", before_, archive);
    archive.put<double>("log_likelihoods", run_.log_likelihoods, {run_.log_likelihoods.size()});
    archive.put<double>("group_weights", run_.group_weights, {run_.group_weights.size()});
    const std::vector<std::uint8_t> ended(ended_.begin(), ended_.end());
    archive.put<std::uint8_t>("ended", ended, {ended.size()});
    for (std::size_t unit = 0; unit < run_.paths.size(); ++unit)
      archive.put<double>(path_name(unit), run_.paths[unit], {run_.paths[unit].size()});
    return archive;
  }
  // Returns whether that run was done.
  bool load(const Archive& archive) {
    run_.rounds = archive.get_count("rounds");
    run_.falls = archive.get_count("falls");
    run_.converged = archive.get_count("converged", 1) == 1;
    load_mixtures("mixtures", archive, run_.mixtures);
    load_mixtures("before", archive, before_);
    run_.log_likelihoods = archive.get<double>("log_likelihoods", {run_.log_likelihoods.size()});
    run_.group_weights = archive.get<double>("group_weights", {run_.group_weights.size()});
    const std::vector<std::uint8_t> ended = archive.get<std::uint8_t>("ended", {ended_.size()});
    ended_.assign(ended.begin(), ended.end());
    for (std::size_t unit = 0; unit < run_.paths.size(); ++unit)
      run_.paths[unit] = archive.get<double>(path_name(unit), {archive.length(path_name(unit))});
    return archive.get_count("done", 1) == 1;
  }

 private:
  static std::string path_name(std::size_t unit) { return "path" + std::to_string(unit); }
  static void save_mixtures(const std::string& name, const Mixtures& mixtures, Archive& archive) {
    Archive child;
    save_gaussians(mixtures.gaussians, child);
    child.put<double>("weights", mixtures.weights, {mixtures.weights.size()});
    archive.put_child(name, std::move(child));
  }
  // Loads as many components of as many inputs as `mixtures` has.
  static void load_mixtures(const std::string& name, const Archive& archive, Mixtures& mixtures) {
    const Archive child = archive.child(name);
    Gaussians gaussians = load_gaussians(child);
    if (gaussians.size() != mixtures.gaussians.size() || gaussians.inputs() != mixtures.gaussians.inputs() ||
        gaussians.form != mixtures.gaussians.form)
      fail(Error::Kind::model, "mixture: the checkpoint has {} Gaussians of {} inputs, expected {} of {}",
           gaussians.size(), gaussians.inputs(), mixtures.gaussians.size(), mixtures.gaussians.inputs());
    mixtures.weights = child.get<double>("weights", {mixtures.weights.size()});
    mixtures.gaussians = std::move(gaussians);
  }

  std::size_t first_group(std::size_t unit) const { return tied_ ? 0 : unit; }
  std::size_t end_group(std::size_t unit) const { return tied_ ? run_.mixtures.groups : unit + 1; }

  void look_at(std::size_t unit, const MixtureFold& fold) {
    double sum = 0, weight = 0;
    for (std::size_t g = first_group(unit); g < end_group(unit); ++g) {
      sum += fold.log_likelihood(g);
      weight += fold.weight(g);
    }
    const double mean = weight > 0 ? sum / weight : 0;
    std::vector<double>& path = run_.paths[unit];
    if (!path.empty() && mean < path.back() - slack_of(mean, options_.double_precision)) {
      ++run_.falls;
      restore(unit);
      ended_[unit] = true;
      return;
    }
    ended_[unit] = !path.empty() && mean - path.back() <= options_.tolerance;
    path.push_back(mean);
    for (std::size_t g = first_group(unit); g < end_group(unit); ++g) {
      run_.log_likelihoods[g] = fold.log_likelihood(g);
      run_.group_weights[g] = fold.weight(g);
    }
  }

  void restore(std::size_t unit) {
    if (tied_) {
      run_.mixtures = before_;
      return;
    }
    const std::size_t M = before_.components();
    for (std::size_t k = unit * M; k < (unit + 1) * M; ++k) {
      copy_gaussian(before_.gaussians, k, run_.mixtures.gaussians, k);
      run_.mixtures.weights[k] = before_.weights[k];
    }
  }

  const EmOptions& options_;
  bool tied_;
  Mixtures before_;
  std::vector<bool> ended_;
  EmRun run_;
};

}  // namespace

EmRun run_em(const MixturePass& pass, Mixtures start, const EmOptions& options, Threads& threads,
             const StateKeeper& keeper) {
  Em em(std::move(start), options);
  const auto keep = [&](bool done) {
    if (keeper.keep) keeper.keep(em.saved(done));
  };
  if (keeper.take)
    if (const auto saved = keeper.take(); saved && em.load(*saved)) return em.take();
  for (;;) {
    const MixtureFold fold = pass(MixtureFold(em.next_round()));
    const bool goes_on = em.goes_on(fold);
    if (goes_on) em.step(fold, threads);
    keep(!goes_on);
    if (!goes_on) return em.take();
  }
}

}  // namespace bochner
