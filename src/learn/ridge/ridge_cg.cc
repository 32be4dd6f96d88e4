// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/ridge_cg.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "base/require.h"
#include "learn/fit_memory.h"
#include "learn/ridge/cg_equations.h"
#include "learn/ridge/lambda_search.h"
#include "learn/sketched_gram.h"
#include "random/hold_out.h"
#include "run/checkpoint.h"

namespace bochner {

namespace {

// Half-decades, 10^(step / 2), as in the search by Cholesky: 1e-10 to 100.
constexpr int kStart = -12, kLeast = -20, kMost = 4;

// The rows that are held out, ascending; none where it would be all.
std::vector<std::uint64_t> draw_held(std::uint64_t rows, std::uint64_t seed, Threads& threads) {
  constexpr std::size_t kPiece = 8192;
  const double fraction = held_out_fraction(double(rows));
  std::vector<std::vector<std::uint64_t>> pieces((rows + kPiece - 1) / kPiece);
  threads.run(pieces.size(), [&](std::size_t piece, int) {
    for (std::uint64_t row = piece * kPiece; row < std::min<std::uint64_t>(rows, (piece + 1) * kPiece); ++row)
      if (is_held_out(seed, row, fraction)) pieces[piece].push_back(row);
  });
  std::vector<std::uint64_t> held;
  for (const auto& piece : pieces) held.insert(held.end(), piece.begin(), piece.end());
  if (held.size() == rows) held.clear();
  return held;
}

// The targets and weights of the rows that are held out.
struct HeldTargets {
  const std::vector<std::uint64_t>& held;
  std::vector<double> targets = {}, weights = {};

  template <class T>
  void add(const RowBlock<T>& z) {
    const auto begin = std::lower_bound(held.begin(), held.end(), z.first);
    const auto end = std::lower_bound(begin, held.end(), z.first + z.rows);
    for (auto row = begin; row != end; ++row) {
      const std::size_t i = *row - z.first;
      targets.insert(targets.end(), z.targets + i * z.target_count, z.targets + (i + 1) * z.target_count);
      weights.push_back(z.weights ? z.weights[i] : 1.0);
    }
  }
};

Scorer score_held(const CgSolution& solution, const HeldTargets& held, const TargetCode& code) {
  const std::size_t outputs = code.columns(),
                    targets = held.targets.size() / std::max<std::size_t>(1, held.weights.size());
  Scorer scorer(code.task, outputs);
  std::vector<double> row(outputs);
  for (std::size_t i = 0; i < held.weights.size(); ++i) {
    for (std::size_t k = 0; k < outputs; ++k)
      row[k] =
          code.task == Task::regression ? solution.held(i, k) * code.unit[k] + code.center[k] : solution.held(i, k);
    scorer.add(row.data(), &held.targets[i * targets], held.weights[i]);
  }
  return scorer;
}

// Solutions of the lambdas asked for so far, by lambda.
struct Tried {
  CgSolution solution;
  LambdaTrial trial;
};
using Path = std::map<double, Tried>;

// The sketch in the checkpoint: large, and D^3 to make. It does not change, so it is saved once.
class SavedSketch {
 public:
  explicit SavedSketch(Checkpoint* checkpoint) : checkpoint_(checkpoint) {}

  TiledSymmetric<double> take_or(std::size_t D, const std::function<TiledSymmetric<double>()>& make) {
    const auto found = checkpoint_ ? checkpoint_->take(kStep) : std::nullopt;
    if (!found) return make();
    TiledSymmetric<double> gram(D, GramFold::tile_for(D));
    found->get_into("gram", shape(gram), std::span(gram.values()));
    saved_ = true;
    return gram;
  }
  void offer(const TiledSymmetric<double>& gram) {
    if (saved_ || !checkpoint_) return;
    saved_ = checkpoint_->offer(kStep, [&](Archive& archive) {
      archive.put_view("gram", std::span<const double>(gram.values()), shape(gram));
    });
  }

 private:
  static constexpr const char* kStep = "sketch";
  static std::vector<std::size_t> shape(const TiledSymmetric<double>& g) {
    return {g.tile_count(), g.tile(), g.tile()};
  }

  Checkpoint* checkpoint_;
  bool saved_ = false;
};

Path::iterator best_of(Path& path) {
  return std::min_element(path.begin(), path.end(),
                          [](const auto& a, const auto& b) { return a.second.trial.loss < b.second.trial.loss; });
}

// Three decades about 1e-6, more on the side where the loss still falls, then the half-decades about the best.
// solve(lambdas, start) adds to the path.
template <class Solve>
void search_path(Path& path, const Solve& solve) {
  const auto lambda = [](int step) { return std::pow(10.0, step / 2.0); };
  solve({lambda(kStart - 2), lambda(kStart), lambda(kStart + 2)}, nullptr);
  int low = kStart - 2, high = kStart + 2;
  while (true) {
    const double best = best_of(path)->first;
    if (best == lambda(low) && low - 2 >= kLeast)
      solve({lambda(low -= 2)}, nullptr);
    else if (best == lambda(high) && high + 2 <= kMost)
      solve({lambda(high += 2)}, nullptr);
    else
      break;
  }
  const double best = best_of(path)->first;
  const CgSolution start = path.at(best).solution;
  int center = low;
  while (lambda(center) != best) ++center;
  solve({lambda(center - 1), lambda(center + 1)}, &start);
}

}  // namespace

Fitted fit_ridge_cg(const Stream& stream, const Survey& survey, const RidgeOptions& options, const Stream* validation,
                    const std::function<void(const std::string&)>& say) {
  const std::size_t D = stream.features();
  for (double lambda : options.lambdas)
    require(lambda >= 0 && std::isfinite(lambda), "ridge: lambda is {}, expected a number >= 0", lambda);
  require(options.tolerance > 0, "ridge: tolerance is {}, expected a positive number", options.tolerance);
  require(survey.rows() > 0, "ridge: there are no rows");
  require(options.select != RidgeOptions::Select::leave_one_out,
          "ridge: leave-one-out needs the Gram matrix, which conjugate gradients never form; "
          "use the solver cholesky or select by hold-out");
  const TargetCode code = target_code(stream.schema(), survey, options.intercept);
  CgOptions cg{options.tolerance, options.most_steps};
  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;

  // What the features and the factors may take of the memory.
  const std::size_t factors_kept = cg_factors(D, options), panel_bytes = factors_kept * GramFold::bytes(D) / 3 * 2;
  const double memory = double(memory_limit(stream.execution()));
  const FitSize size = fit_size(stream, survey, code.columns(), validation != nullptr);
  const double left = memory - cg_memory(size, options, memory).total();
  FeatureStore cache(stream, survey.rows(), std::size_t(std::max(left, 0.0)));
  if (say) say("features: " + cache.text());  // not a note: the model must not depend on the memory

  KeptRows all{D, cache.width(), cache.unit(), feature_bound(stream), survey.rows(), survey.largest_weight()};
  KeptRows rest = all;
  if (!validation) rest.held = draw_held(survey.rows(), options.seed, stream.threads());

  MomentFold moments(rest, code);
  HeldTargets held{rest.held};
  cache.each("features", [&](const auto& block) {
    moments.add(stream.workers(), block);
    held.add(block);
  });
  cg.held_targets = Matrix<double>(rest.held.size(), code.columns());
  for (std::size_t i = 0; i < rest.held.size(); ++i)
    for (std::size_t k = 0; k < code.columns(); ++k)
      cg.held_targets(i, k) = code.encode(&held.targets[i * stream.schema().targets], k);
  const CentredMoments all_moments(moments.value(true), options.intercept);
  report.seconds.emplace_back("features", clock.lap());
  const auto sketch = [&] {
    const auto buckets = std::size_t(sketch_ratio(double(survey.rows()), double(D)) * double(D));
    const CountSketch::Places places(stream.workers(), survey.rows(), buckets, options.seed,
                                     cache.kept_rows() == cache.rows());
    return sketched_gram(cache, places, {cache.weights(), all_moments.feature_mean}, panel_bytes);
  };
  SavedSketch saved(stream.execution().checkpoint);
  SketchFactors factors(saved.take_or(D, sketch), all_moments.weight, factors_kept, stream.threads());
  report.seconds.emplace_back("sketch", clock.lap());

  // Every lambda on the rows that are not held out; or on all of them where there is a validation set.
  const CentredMoments rest_moments(moments.value(false), options.intercept);
  Path path;
  const auto solve = [&](std::vector<double> lambdas, const CgSolution* start) {
    while (!lambdas.empty()) {
      const std::vector<double> group(lambdas.begin(), lambdas.begin() + std::min(lambdas.size(), factors_kept));
      lambdas.erase(lambdas.begin(), lambdas.begin() + std::ptrdiff_t(group.size()));
      std::vector<CgSolution> solutions = solve_by_cg(cache, rest, rest_moments, factors, group, start, cg);
      saved.offer(factors.gram());
      std::vector<Scorer> scorers;
      if (validation) {
        std::vector<Coefficients> heads;
        for (const CgSolution& s : solutions) heads.push_back(decode(s.head(rest_moments), code));
        scorers = score_on_stream(*validation, heads, code);
      } else {
        for (const CgSolution& s : solutions) scorers.push_back(score_held(s, held, code));
      }
      for (std::size_t l = 0; l < group.size(); ++l)
        path[group[l]] = {std::move(solutions[l]), {group[l], scorers[l].loss(), scorers[l].score()}};
    }
  };
  const bool scored = validation || !rest.held.empty();
  if (!options.lambdas.empty())
    solve(options.lambdas, nullptr);
  else if (scored)
    search_path(path, solve);
  else
    solve({1e-6}, nullptr);
  const Tried& best = (scored ? best_of(path) : path.begin())->second;
  report.lambda = best.trial.lambda;
  report.seconds.emplace_back("lambda", clock.lap());

  // All rows, from where the others left off.
  CgSolution solution = best.solution;
  if (!rest.held.empty()) {
    const CgOptions as_close{std::max(10 * std::min(best.solution.gap, options.tolerance), 1e-15), options.most_steps};
    const CgSolution start = with_held_rows(cache, rest, rest_moments, all_moments, best.solution);
    solution = solve_by_cg(cache, all, all_moments, factors, {report.lambda}, &start, as_close)[0];
  }
  const Coefficients head = decode(solution.head(all_moments), code);
  fitted.head = linear(head.weights, head.intercept);
  report.seconds.emplace_back("solve", clock.lap());

  report.rows = survey.rows();
  report.inputs = stream.schema().inputs;
  report.features = D;
  report.learner = "ridge";
  report.solver = "cg";
  report.notes.push_back(fmt::format(
      "cg: {} steps{}, objective within {:.1g} of its minimum", best.solution.iterations,
      rest.held.empty() ? "" : fmt::format(" + {} with the held-out rows", solution.iterations), solution.gap));
  if (solution.gap > options.tolerance) report.termination = Termination::step_limit;
  if (solution.gap > options.tolerance)
    report.notes.push_back(
        fmt::format("cg: did not converge: the objective is within {:.1g} of its minimum, wanted {:.1g}; raise lambda "
                    "(now {:g}) or use the solver cholesky",
                    solution.gap, options.tolerance, report.lambda));
  if (!scored) return fitted;
  for (const auto& [lambda, tried] : path) report.path.push_back({lambda, tried.trial.score});
  report.score = best.trial.score;
  report.validation = validation ? "validation file" : fmt::format("{} rows held out", rest.held.size());
  return fitted;
}

}  // namespace bochner
