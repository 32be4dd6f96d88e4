// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/hmm.h"

#include <gtest/gtest.h>

#include "methods/mixtures/forward_backward.h"
#include "methods/mixtures/hmm_fit.h"
#include "methods/mixtures/hmm_fold.h"
#include "methods/mixtures/hmm_shrink.h"
#include "methods/mixtures/hmm_slopes.h"
#include "methods/mixtures/hmm_start.h"
#include "methods/mixtures/start.h"
#include "naive.h"
#include "run/compute.h"

namespace bochner {
namespace {

// Every path of states of a short sequence: log p, gamma, expected transitions, the likeliest path.
struct Paths {
  double evidence = 0;
  Matrix<double> gamma, transitions;
  std::vector<std::size_t> best;

  Paths(const Chain& chain, const Matrix<double>& log_b) : gamma(log_b.rows(), log_b.cols()) {
    const std::size_t T = log_b.rows(), S = log_b.cols();
    transitions = Matrix<double>(S, S);
    std::vector<std::size_t> path(T);
    double most = -1;
    for (;;) {
      double p = chain.start[path[0]];
      for (std::size_t t = 0; t < T; ++t) {
        p *= std::exp(log_b(t, path[t]));
        if (t > 0) p *= chain.transitions(path[t - 1], path[t]);
      }
      evidence += p;
      for (std::size_t t = 0; t < T; ++t) {
        gamma(t, path[t]) += p;
        if (t > 0) transitions(path[t - 1], path[t]) += p;
      }
      if (p > most) most = p, best = path;
      std::size_t t = 0;
      while (t < T && ++path[t] == S) path[t++] = 0;
      if (t == T) break;
    }
  }
};

struct Problem {
  std::vector<double> start;
  Matrix<double> transitions, log_b;

  Problem(std::size_t T, std::size_t S, std::uint64_t seed) : start(S), transitions(S, S), log_b(T, S) {
    double all = 0;
    for (std::size_t s = 0; s < S; ++s) all += start[s] = uniform(seed, Draw::pick, s);
    for (std::size_t s = 0; s < S; ++s) {
      start[s] /= all;
      double sum = 0;
      for (std::size_t r = 0; r < S; ++r) sum += transitions(s, r) = uniform(seed, Draw::entry, s, r);
      for (std::size_t r = 0; r < S; ++r) transitions(s, r) /= sum;
    }
    for (std::size_t i = 0; i < T * S; ++i) log_b.data()[i] = 3 * normal(seed, Draw::candidate, i);
  }
};

TEST(ForwardBackward, IsTheSumOverAllPaths) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem p(1 + seed % 6, 1 + seed % 4, seed);
    const Chain chain{p.start, p.transitions};
    const std::size_t T = p.log_b.rows(), S = p.log_b.cols();
    const Paths paths(chain, p.log_b);
    Matrix<double> gamma(T, S), transitions(S, S);
    EXPECT_NEAR(forward_backward(chain, p.log_b.view(), gamma.view(), transitions.view()), std::log(paths.evidence),
                1e-12);
    EXPECT_NEAR(log_evidence(chain, p.log_b.view()), std::log(paths.evidence), 1e-12);
    for (std::size_t i = 0; i < T * S; ++i) EXPECT_NEAR(gamma.data()[i], paths.gamma.data()[i] / paths.evidence, 1e-12);
    for (std::size_t i = 0; i < S * S; ++i)
      EXPECT_NEAR(transitions.data()[i], paths.transitions.data()[i] / paths.evidence, 1e-12);
    EXPECT_EQ(viterbi(chain, p.log_b.view()), paths.best);
  }
}

// A state that alone may be reached, 10^5 less likely in the logarithm than another: scaling leaves nothing.
TEST(ForwardBackward, SurvivesWhatScalingDoesNot) {
  Problem p(6, 2, 1);
  p.start = {1, 0};
  p.transitions = Matrix<double>(2, 2);
  p.transitions(0, 0) = p.transitions(1, 1) = 1;
  for (std::size_t t = 0; t < 6; ++t) p.log_b(t, 0) = -1e5, p.log_b(t, 1) = 0;
  Matrix<double> gamma(6, 2), transitions(2, 2);
  EXPECT_NEAR(forward_backward({p.start, p.transitions}, p.log_b.view(), gamma.view(), transitions.view()), -6e5, 1e-6);
  for (std::size_t t = 0; t < 6; ++t) EXPECT_NEAR(gamma(t, 0), 1, 1e-9);
  EXPECT_NEAR(transitions(0, 0), 5, 1e-9);
}

// Chains of `states` states of which each has a mean of its own; class 1 visits them in another order.
Sequences chains(std::size_t count, std::size_t states, std::size_t d, std::uint64_t seed, std::size_t classes = 1) {
  std::vector<double> values;
  Sequences all{.x = {}, .starts = {0}, .classes = {}, .groups = classes};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t T = 1 + std::size_t(30 * uniform(seed, Draw::pick, i)), c = i % classes;
    for (std::size_t t = 0; t < T; ++t) {
      const std::size_t s = (t * states / T + c) % states;
      for (std::size_t j = 0; j < d; ++j)
        values.push_back(2 * normal(seed, Draw::candidate, s, j) + normal(seed, Draw::entry, all.starts.back() + t, j));
    }
    all.starts.push_back(all.starts.back() + T);
    all.classes.push_back(std::uint32_t(c));
  }
  all.x = Matrix<double>(all.starts.back(), d);
  std::copy(values.begin(), values.end(), all.x.data());
  return all;
}

HmmOptions options_of(std::size_t states, const char* covariance) {
  HmmOptions options;
  options.states = states;
  options.covariance = parse_covariance_name(covariance);
  return options;
}

// Baum-Welch as the books write it, in plain loops over all paths, for short sequences.
TEST(BaumWelch, ARoundIsThatOfTheBooks) {
  Sequences sequences = chains(30, 2, 2, 3);
  std::vector<std::size_t> few;  // short ones
  for (std::size_t i = 0; i < sequences.size(); ++i)
    if (sequences.rows(i).rows <= 6) few.push_back(i);
  sequences = sequences.of(few);
  ASSERT_GE(sequences.size(), 3u);
  Threads threads(2);
  HmmOptions options = options_of(2, "full");
  options.floor = 1e-9;
  const std::vector<double> floor(2, 1e-9);
  const std::vector<Hmm> start = hmm_start(workers_on(threads), sequences, options, floor, 0);
  options.rounds = 1;
  options.tolerance = 0;
  const HmmRun run = run_baum_welch(workers_on(threads), sequences, start, options, floor);

  const Hmm& hmm = start[0];
  Matrix<double> moves(2, 2), gamma_all(sequences.x.rows(), 2);
  std::vector<double> first(2);
  double likelihood = 0;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto x = sequences.rows(i);
    Matrix<double> log_b(x.rows, 2);
    for (std::size_t t = 0; t < x.rows; ++t)
      for (std::size_t s = 0; s < 2; ++s)
        log_b(t, s) = testing::naive_log_density({x.row(t), x.row(t) + 2}, testing::row_of(hmm.gaussians.means, s),
                                                 hmm.gaussians.covariance(s));
    const Paths paths({hmm.start, hmm.transitions}, log_b);
    likelihood += std::log(paths.evidence);
    for (std::size_t s = 0; s < 2; ++s) {
      first[s] += paths.gamma(0, s) / paths.evidence;
      for (std::size_t r = 0; r < 2; ++r) moves(s, r) += paths.transitions(s, r) / paths.evidence;
      for (std::size_t t = 0; t < x.rows; ++t)
        gamma_all(sequences.starts[i] + t, s) = paths.gamma(t, s) / paths.evidence;
    }
  }
  EXPECT_NEAR(run.paths[0][0], likelihood / double(sequences.x.rows()), 1e-9);
  const Hmm& found = run.hmms[0];
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_NEAR(found.start[s], first[s] / double(sequences.size()), 1e-9);
    for (std::size_t r = 0; r < 2; ++r)
      EXPECT_NEAR(found.transitions(s, r), moves(s, r) / (moves(s, 0) + moves(s, 1)), 1e-9);
    for (std::size_t j = 0; j < 2; ++j) {
      double weight = 0, sum = 0;
      for (std::size_t t = 0; t < sequences.x.rows(); ++t) {
        weight += gamma_all(t, s);
        sum += gamma_all(t, s) * sequences.x(t, j);
      }
      EXPECT_NEAR(found.gaussians.means(s, j), sum / weight, 1e-9);
    }
  }
}

TEST(BaumWelch, TheLikelihoodNeverFalls) {
  Threads threads(2);
  std::vector<Sequences> hard;
  hard.push_back(chains(20, 3, 3, 1));
  hard.push_back(chains(20, 3, 3, 2));
  for (std::size_t i = 0; i < hard[1].x.rows(); ++i) hard[1].x(i, 1) = 4, hard[1].x(i, 0) = double(i % 2);
  hard.push_back(chains(3, 2, 3, 3));
  for (std::size_t i = 0; i < hard[2].x.rows() * 3; ++i) hard[2].x.data()[i] *= 1e6;
  Sequences ones{.x = Matrix<double>(7, 2), .starts = {0, 1, 2, 3, 4, 5, 6, 7}, .classes = {}, .groups = 2};
  for (std::size_t i = 0; i < 7; ++i) ones.classes.push_back(0), ones.x(i, 0) = double(i);  // one row each, no class 1
  hard.push_back(std::move(ones));
  for (std::size_t h = 0; h < hard.size(); ++h)
    for (const char* covariance : {"diag", "full", "spherical", "lowrank:1"})
      for (const auto topology : {HmmOptions::Topology::free, HmmOptions::Topology::left_to_right})
        for (const std::size_t components : {1, 2}) {
          HmmOptions options = options_of(4, covariance);
          options.topology = topology;
          options.components = components;
          options.restarts = 2;
          options.tolerance = 1e-6;
          options.rounds = 20;
          const HmmRun run = fit_hmms(workers_on(threads), hard[h], options);
          EXPECT_EQ(run.falls, 0u) << h << covariance;
          EXPECT_TRUE(std::isfinite(run.mean_log_likelihood())) << h << covariance;
          const MapPtr usable =
              hmm_map(run.hmms, std::vector<double>(run.hmms.size(), 1.0 / double(run.hmms.size())), {});
          EXPECT_EQ(hmms_of(*usable).size(), run.hmms.size());
        }
}

TEST(BaumWelch, LeftToRightGoesNoOtherWay) {
  Threads threads(2);
  HmmOptions options = options_of(3, "diag");
  options.topology = HmmOptions::Topology::left_to_right;
  const HmmRun run = fit_hmms(workers_on(threads), chains(30, 3, 2, 5), options);
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t r = 0; r < 3; ++r)
      if (r != s && r != s + 1) {
        EXPECT_EQ(run.hmms[0].transitions(s, r), 0);
      }
  EXPECT_EQ(run.hmms[0].start, (std::vector<double>{1, 0, 0}));
}

TEST(HmmFold, SequencesMayBeSplitAmongFoldsInAnyWay) {
  const Sequences all = chains(60, 3, 4, 7, 2);
  Threads one(1), three(3);
  HmmOptions options = options_of(3, "full");
  const std::vector<double> floor = floor_of(class_variances(all), 1e-4);
  const auto round = std::make_shared<const HmmRound>(hmm_start(workers_on(one), all, options, floor, 0));
  HmmFold whole(round);
  whole.add(workers_on(one), all);
  for (std::size_t parts = 1; parts <= 5; ++parts) {
    std::vector<HmmFold> folds(parts, HmmFold(round));
    for (std::size_t p = 0; p < parts; ++p) {
      std::vector<std::size_t> some;
      for (std::size_t i = p; i < all.size(); i += parts) some.push_back(i);
      HmmFold part(round);
      part.add(workers_on(three), all.of(some));
      Archive archive;
      part.save(archive);
      folds[p].load(archive);
    }
    HmmFold sum = folds.back();
    for (std::size_t p = parts - 1; p-- > 0;) sum.merge(folds[p]);
    EXPECT_TRUE(sum == whole) << parts;
  }
}

TEST(Hmm, ClassesThatDifferInOrderAloneAreTold) {
  const Sequences learn = chains(200, 3, 2, 11, 2);
  Threads threads(2);
  HmmOptions options = options_of(0, "diag");
  std::string said;
  options = choose_hmm(workers_on(threads), learn, options, [&](const std::string& text) { said = text; });
  EXPECT_GE(options.states, 2u) << said;
  const HmmRun run = fit_hmms(workers_on(threads), learn, options);
  const HmmStates states(run.hmms);
  const Sequences check = learn.of([] {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < 200; ++i) rows.push_back(i);
    return rows;
  }());
  std::size_t wrong = 0, long_ones = 0;
  for (std::size_t i = 0; i < check.size(); ++i) {
    if (check.rows(i).rows < 12) continue;
    ++long_ones;
    const std::vector<double> p = class_evidences(workers_on(threads), states, run.hmms, check.rows(i));
    wrong += (p[1] > p[0] ? 1u : 0u) != check.classes[i];
  }
  EXPECT_LE(wrong, long_ones / 20);
}

TEST(HmmSlopes, AreThoseOfLeastSquaresOverTheRowsOfTheSequence) {
  const Sequences all = chains(40, 3, 2, 5);  // 1 to 30 rows each
  for (const std::size_t reach : {1, 2, 5, 1000}) {
    const Sequences wide = with_slopes(all, reach);
    ASSERT_EQ(wide.x.cols(), 4u);
    EXPECT_EQ(wide.starts, all.starts);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto x = all.rows(i), z = wide.rows(i);
      for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t j = 0; j < 2; ++j) {
          EXPECT_EQ(z(t, j), x(t, j));
          // The line a + b s of least squares by its normal equations.
          double n = 0, s1 = 0, s2 = 0, y = 0, sy = 0;
          for (std::size_t s = 0; s < x.rows; ++s) {
            if (std::max(s, t) - std::min(s, t) > reach) continue;
            n += 1, s1 += double(s), s2 += double(s * s), y += x(s, j), sy += double(s) * x(s, j);
          }
          EXPECT_NEAR(z(t, 2 + j), n > 1 ? (n * sy - s1 * y) / (n * s2 - s1 * s1) : 0, 1e-10);
        }
    }
  }
  EXPECT_EQ(with_slopes(all, 0).x, all.x);
}

TEST(HmmSlopes, AreChosenWhereTheyTellClasses) {
  // Rows of one state wander up or down: one row tells nothing, neither does one state without slopes.
  Sequences walks{.x = Matrix<double>(60 * 20, 1), .starts = {0}, .classes = {}, .groups = 2};
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t t = 0; t < 20; ++t)
      walks.x(i * 20 + t, 0) = (i % 2 ? 0.3 : -0.3) * (double(t) - 9.5) + 0.2 * normal(4, Draw::entry, i, t);
    walks.starts.push_back((i + 1) * 20);
    walks.classes.push_back(std::uint32_t(i % 2));
  }
  Threads threads(2);
  HmmOptions options = options_of(1, "diag");
  options.slopes.reset();
  std::string said;
  options = choose_hmm(workers_on(threads), walks, options, [&](const std::string& text) { said = text; });
  EXPECT_GT(*options.slopes, 0u) << said;
  walks.groups = 1;
  options.slopes.reset();
  EXPECT_THROW(choose_hmm(workers_on(threads), walks, options, [](const std::string&) {}), std::invalid_argument);
}

TEST(HmmShrink, DrawsCovariancesTowardsTheirMeanByRows) {
  std::vector<Hmm> hmms(2);
  for (std::size_t c = 0; c < 2; ++c) {
    hmms[c].start = {0.5, 0.5};
    hmms[c].weights = Matrix<double>(2, 1);
    hmms[c].gaussians = {.form = {.kind = CovarianceForm::Kind::full},
                         .means = Matrix<double>(2, 2),
                         .variances = {},
                         .matrices = std::vector<Matrix<double>>(2, Matrix<double>(2, 2))};
    for (std::size_t k = 0; k < 2; ++k) {
      Matrix<double>& s = hmms[c].gaussians.matrices[k];
      s(0, 0) = 1 + double(c);
      s(1, 1) = 2 + double(k);
      s(0, 1) = s(1, 0) = 0.25 * double(c + k);
    }
  }
  const std::vector<double> weights = {10, 30, 0, 60};
  const std::vector<Hmm> found = shrunk(hmms, weights, 20);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      double mean = 0;
      for (std::size_t k = 0; k < 4; ++k) mean += weights[k] / 100 * hmms[k / 2].gaussians.matrices[k % 2](i, j);
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(found[k / 2].gaussians.matrices[k % 2](i, j),
                    (weights[k] * hmms[k / 2].gaussians.matrices[k % 2](i, j) + 20 * mean) / (weights[k] + 20), 1e-14);
    }
  EXPECT_EQ(shrunk(hmms, weights, 0), hmms);
}

}  // namespace
}  // namespace bochner
