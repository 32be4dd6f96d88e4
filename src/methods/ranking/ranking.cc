// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/ranking.h"

#include <cmath>
#include <optional>

#include "base/require.h"
#include "bochner/figures.h"
#include "bochner/split.h"
#include "methods/ranking/ranking_newton.h"
#include "model/mapped_rows.h"
#include "random/draw.h"
#include "run/check_memory.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

using Weights = RankingOptions::Weights;

constexpr std::size_t kMostFeatures = 1024;  // that are chosen
constexpr std::size_t kLeastGroups = 5;      // that have pairs: fewer, and none is held out
constexpr double kHeldOut = 0.2;             // a share of the groups
constexpr double kUsualLambda = 1e-3;
constexpr double kMostPairs = 2e7;  // sum of squared rows of groups up to which weights by NDCG are tried unasked
constexpr int kRounds = 3;          // each with the weights by NDCG of the last

// Solves for one penalty; where pairs weigh by NDCG, from the solution of pairs that weigh the same.
bool solve(RankingNewton& newton, PairLoss& loss, double lambda, bool by_ndcg) {
  loss.weigh_alike();
  bool converged = newton.solve(lambda);
  for (int round = 0; round < kRounds && by_ndcg; ++round) {
    loss.weigh_by_ndcg(newton.scores());
    converged = newton.solve(lambda);
  }
  return converged;
}

struct Trial {
  double lambda = kUsualLambda;
  bool by_ndcg = false;
  RankingScore score = {NAN, NAN, 0, 0};
  bool skips_ndcg = false;  // groups are so long that weights by NDCG, unasked, would take too much time
};

class RankingFit {
 public:
  RankingFit(const DenseDesign& z, std::vector<double> grades, const RankingOptions& options)
      : z_(z), grades_(std::move(grades)), options_(options) {
    if (options_.groups.empty()) options_.groups.assign(z.rows(), 0);
  }

  // The penalty and the weights of pairs by which groups held out are ranked best.
  Trial choose() const {
    const std::vector<double> lambdas = options_.lambdas.empty()
                                            ? std::vector<double>{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}
                                            : options_.lambdas;
    std::vector<bool> held(z_.rows());
    for (std::size_t i = 0; i < held.size(); ++i)
      held[i] = uniform(options_.features.seed, Draw::split, options_.groups[i], 2) < kHeldOut;
    // Rows held out are of one grade to the loss: they have no pairs.
    std::vector<std::uint64_t> taught_groups = options_.groups;
    std::vector<double> taught_grades = grades_;
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i]) taught_grades[i] = grades_[0];
    PairLoss loss(taught_grades, taught_groups, z_.threads());
    const std::size_t all = PairLoss(grades_, options_.groups, z_.threads()).groups();
    if (loss.groups() < kLeastGroups || loss.groups() == all) {
      require(options_.lambdas.size() <= 1, "lambda: found {} and too few groups to choose by, expected one",
              options_.lambdas.size());
      return {options_.lambdas.empty() ? kUsualLambda : lambdas[0], options_.weights == Weights::ndcg};
    }
    RankingNewton newton(z_, loss);
    double pairs = 0;
    for (std::size_t g = 0; g < loss.groups(); ++g) pairs += double(loss.rows(g).size()) * double(loss.rows(g).size());
    const bool skips = options_.weights == Weights::chosen && pairs > kMostPairs;
    Trial best;
    for (const bool by_ndcg : {false, true}) {
      if (options_.weights != Weights::chosen && by_ndcg != (options_.weights == Weights::ndcg)) continue;
      if (by_ndcg && skips) continue;
      int worse = 0;
      for (const double lambda : lambdas) {
        solve(newton, loss, lambda, by_ndcg);
        const RankingScore score = score_of(newton.scores(), held);
        worse = score.ndcg > best.score.ndcg || std::isnan(best.score.ndcg) ? 0 : worse + 1;
        if (worse == 0) best = {lambda, by_ndcg, score};
        if (worse == 2 && options_.lambdas.empty()) break;
      }
    }
    best.skips_ndcg = skips;
    return best;
  }

  std::vector<double> weights(const Trial& trial, bool& converged) const {
    PairLoss loss(grades_, options_.groups, z_.threads());
    if (loss.groups() == 0)
      fail(Error::Kind::data,
           "ranking: the rows of every group have one grade, expected pairs of different ones; check the target and "
           "the column of groups");
    RankingNewton newton(z_, loss);
    converged = solve(newton, loss, trial.lambda, trial.by_ndcg);
    return newton.weights();
  }

 private:
  RankingScore score_of(const std::vector<double>& scores, const std::vector<bool>& held) const {
    std::vector<double> some, grades;
    std::vector<std::uint64_t> groups;
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i]) {
        some.push_back(scores[i]);
        grades.push_back(grades_[i]);
        groups.push_back(options_.groups[i]);
      }
    return score_ranking(some, grades, groups);
  }

  const DenseDesign& z_;
  std::vector<double> grades_;
  RankingOptions options_;
};

void check(const Rows& rows, const RankingOptions& options) {
  const Schema& schema = rows.schema();
  require(schema.targets == 1, "ranking: found {} targets, expected one, the grade", schema.targets);
  require(schema.task == Task::regression, "ranking: the target holds classes, expected numbers; call it a regression");
  for (const double lambda : options.lambdas)
    require(lambda > 0 && std::isfinite(lambda), "lambda: found {}, expected a number above 0", lambda);
}

}  // namespace

Model ranking(Rows& rows, const RankingOptions& options) {
  check(rows, options);
  FeatureOptions features = options.features;
  if (features.features == 0)
    if (const auto count = rows.size()) features.features = std::min(std::max<std::size_t>(*count, 2), kMostFeatures);
  MappedRows mapped(rows, features, "ranking");
  require(options.groups.empty() || options.groups.size() == mapped.rows(),
          "groups: found {}, expected one for each of the {} rows", options.groups.size(), mapped.rows());
  require(mapped.plan().map() || !mapped.schema().sparse,
          "map: found none for sparse rows, expected fourier, nystroem or project");
  const double n = double(mapped.rows()), D = double(mapped.features());
  check_memory("the features of some groups, and their products", 8 * (4 * D * D + 3 * D * D + 8 * n),
               mapped.execution(), "take fewer features");
  FeatureStore store(mapped.stream(), mapped.rows(), memory_limit(mapped.execution()) / 2,
                     FeatureStore::Rounding::none);
  const DenseDesign z(store, false);
  std::vector<double> grades;
  for (std::size_t i = 0; i < z.rows(); ++i) grades.push_back(z.targets(i)[0]);
  const RankingFit fit(z, std::move(grades), options);
  const Trial trial = fit.choose();
  bool converged = false;
  const std::vector<double> found = fit.weights(trial, converged);
  Matrix<double> weights(found.size(), 1);
  std::copy(found.begin(), found.end(), weights.data());
  Report report;
  report.learner = "ranking";
  report.solver = "newton-cg";
  report.lambda = trial.lambda;
  if (!converged) report.termination = Termination::step_limit;
  if (trial.skips_ndcg)
    mapped.note(
        "pairs: weights by NDCG were not tried, since they take all pairs of long groups; ask for them to have them");
  mapped.note(trial.score.groups == 0
                  ? fmt::format("pairs: too few groups to hold some out, so lambda is {}",
                                options.lambdas.empty() ? "the usual one" : "as it was given")
                  : fmt::format("pairs weigh {}; NDCG@10 {:.4f} and {:.2f} % of pairs in order, of {} groups held out",
                                trial.by_ndcg ? "by NDCG" : "the same", trial.score.ndcg, 100 * trial.score.pairs,
                                trial.score.groups));
  Figures figures = {{"ranking", {trial.lambda, trial.by_ndcg ? 1.0 : 0.0}}};
  if (trial.score.groups > 0)
    figures.push_back({"held_out", {trial.score.ndcg, trial.score.pairs, double(trial.score.groups)}});
  const MapPtr head = measured(linear(std::move(weights), {}), std::move(figures));
  return std::move(mapped).model(head, std::move(report), Outputs{Outputs::Kind::components, {"score"}},
                                 MappedRows::Targets::kept);
}

}  // namespace bochner
