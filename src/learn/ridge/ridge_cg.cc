// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/ridge_cg.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

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
constexpr int kFirstStep = -12, kLeastStep = -20, kMostStep = 4;

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
  solve({lambda(kFirstStep - 2), lambda(kFirstStep), lambda(kFirstStep + 2)}, nullptr);
  int low = kFirstStep - 2, high = kFirstStep + 2;
  while (true) {
    const double best = best_of(path)->first;
    if (best == lambda(low) && low - 2 >= kLeastStep)
      solve({lambda(low -= 2)}, nullptr);
    else if (best == lambda(high) && high + 2 <= kMostStep)
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

void check_options(const RidgeOptions& options, const Survey& survey) {
  check_lambdas(options.lambdas);
  require(options.tolerance > 0, "ridge: tolerance is {}, expected a positive number", options.tolerance);
  require(survey.rows() > 0, "ridge: there are no rows");
  require(options.select != RidgeOptions::Select::leave_one_out,
          "ridge: leave-one-out needs the Gram matrix, which conjugate gradients never form; "
          "use the solver cholesky or select by hold-out");
}

// What the features may take of the memory beside the factors.
std::size_t memory_for_features(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                                bool validation, std::size_t outputs) {
  const double memory = double(memory_limit(stream.execution()));
  const double left = memory - cg_memory(fit_size(stream, survey, outputs, validation), options, memory).total();
  return std::size_t(std::max(left, 0.0));
}

class CgFit {
 public:
  CgFit(const Stream& stream, const Survey& survey, const RidgeOptions& options, const Stream* validation)
      : stream_(stream),
        survey_(survey),
        options_(options),
        validation_(validation),
        code_(target_code(stream.schema(), survey, options.intercept)),
        factors_kept_(cg_factors(stream.features(), options)),
        cache_(stream, survey.rows(),
               memory_for_features(stream, survey, options, validation != nullptr, code_.columns())),
        all_{stream.features(),     cache_.width(), cache_.unit(),
             feature_bound(stream), survey.rows(),  survey.largest_weight()},
        rest_(all_),
        held_{rest_.held},
        saved_(stream.execution().checkpoint) {
    if (!validation) rest_.held = draw_held(survey.rows(), options.seed, stream.threads());
  }

  std::string text() const { return cache_.text(); }

  Fitted run() {
    Clock clock;
    sum_moments();
    report_.seconds.emplace_back("features", clock.lap());
    make_factors();
    report_.seconds.emplace_back("sketch", clock.lap());
    search();
    const Tried& best = (scored() ? best_of(path_) : path_.begin())->second;
    report_.lambda = best.trial.lambda;
    report_.seconds.emplace_back("lambda", clock.lap());
    const CgSolution solution = solve_all_rows(best.solution);
    const Coefficients head = decode(solution.head(*all_moments_), code_);
    report_.seconds.emplace_back("solve", clock.lap());
    describe(best, solution);
    return {linear(head.weights, head.intercept), std::move(report_)};
  }

 private:
  bool scored() const { return validation_ || !rest_.held.empty(); }

  void sum_moments() {
    MomentFold moments(rest_, code_);
    cache_.each("features", [&](const auto& block) {
      moments.add(stream_.workers(), block);
      held_.add(block);
    });
    held_targets_ = Matrix<double>(rest_.held.size(), code_.columns());
    for (std::size_t i = 0; i < rest_.held.size(); ++i)
      for (std::size_t k = 0; k < code_.columns(); ++k)
        held_targets_(i, k) = code_.encode(&held_.targets[i * stream_.schema().targets], k);
    all_moments_.emplace(moments.value(true), options_.intercept);
    rest_moments_.emplace(moments.value(false), options_.intercept);
  }

  void make_factors() {
    const std::size_t D = stream_.features();
    const auto sketch = [&] {
      const auto buckets = std::size_t(sketch_ratio(double(survey_.rows()), double(D)) * double(D));
      const CountSketch::Places places(stream_.workers(), survey_.rows(), buckets, options_.seed,
                                       cache_.kept_rows() == cache_.rows());
      return sketched_gram(cache_, places, {cache_.weights(), all_moments_->feature_mean},
                           factors_kept_ * GramFold::bytes(D) / 3 * 2, RoughGram::Numbers::whole);
    };
    factors_.emplace(saved_.take_or(D, sketch), all_moments_->weight, factors_kept_, stream_.threads());
  }

  // Every lambda on the rows that are not held out; or on all of them where there is a validation set.
  void solve(std::vector<double> lambdas, const CgSolution* start) {
    const CgOptions cg{options_.tolerance, options_.most_steps, held_targets_};
    while (!lambdas.empty()) {
      const std::vector<double> group(lambdas.begin(), lambdas.begin() + std::min(lambdas.size(), factors_kept_));
      lambdas.erase(lambdas.begin(), lambdas.begin() + std::ptrdiff_t(group.size()));
      std::vector<CgSolution> solutions = solve_by_cg({cache_, rest_, *rest_moments_}, *factors_, group, start, cg);
      saved_.offer(factors_->gram());
      const std::vector<Scorer> scorers = score(solutions);
      for (std::size_t l = 0; l < group.size(); ++l)
        path_[group[l]] = {std::move(solutions[l]), {group[l], scorers[l].loss(), scorers[l].score()}};
    }
  }

  std::vector<Scorer> score(const std::vector<CgSolution>& solutions) const {
    std::vector<Scorer> scorers;
    if (!validation_) {
      for (const CgSolution& s : solutions) scorers.push_back(score_held(s, held_, code_));
      return scorers;
    }
    std::vector<Coefficients> heads;
    for (const CgSolution& s : solutions) heads.push_back(decode(s.head(*rest_moments_), code_));
    return score_on_stream(*validation_, heads, code_);
  }

  void search() {
    if (!options_.lambdas.empty())
      solve(options_.lambdas, nullptr);
    else if (scored())
      search_path(path_, [this](std::vector<double> lambdas, const CgSolution* start) { solve(lambdas, start); });
    else
      solve({1e-6}, nullptr);
  }

  // All rows, from where the others left off.
  CgSolution solve_all_rows(const CgSolution& best) {
    if (rest_.held.empty()) return best;
    const CgOptions as_close{std::max(10 * std::min(best.gap, options_.tolerance), 1e-15), options_.most_steps};
    const CgSolution start = with_held_rows({cache_, rest_, *rest_moments_}, *all_moments_, best);
    return solve_by_cg({cache_, all_, *all_moments_}, *factors_, {report_.lambda}, &start, as_close)[0];
  }

  void describe(const Tried& best, const CgSolution& solution) {
    describe_fit(report_, stream_, survey_, "cg");
    report_.notes.push_back(fmt::format(
        "cg: {} steps{}, objective within {:.1g} of its minimum", best.solution.iterations,
        rest_.held.empty() ? "" : fmt::format(" + {} with the held-out rows", solution.iterations), solution.gap));
    if (solution.gap > options_.tolerance) {
      report_.termination = Termination::step_limit;
      report_.notes.push_back(
          fmt::format("cg: did not converge: the objective is within {:.1g} of its minimum, wanted {:.1g}; raise "
                      "lambda (now {:g}) or use the solver cholesky",
                      solution.gap, options_.tolerance, report_.lambda));
    }
    if (!scored()) return;
    for (const auto& [lambda, tried] : path_) report_.path.push_back({lambda, tried.trial.score});
    report_.score = best.trial.score;
    report_.validation = validation_ ? "validation file" : fmt::format("{} rows held out", rest_.held.size());
  }

  const Stream& stream_;
  const Survey& survey_;
  const RidgeOptions& options_;
  const Stream* validation_;
  TargetCode code_;
  std::size_t factors_kept_;
  FeatureStore cache_;
  KeptRows all_, rest_;
  HeldTargets held_;
  SavedSketch saved_;
  Matrix<double> held_targets_;  // coded
  std::optional<CentredMoments> all_moments_, rest_moments_;
  std::optional<SketchFactors> factors_;
  Path path_;
  Report report_;
};

}  // namespace

Fitted fit_ridge_cg(const Stream& stream, const Survey& survey, const RidgeOptions& options, const Stream* validation,
                    const std::function<void(const std::string&)>& say) {
  check_options(options, survey);
  CgFit fit(stream, survey, options, validation);
  if (say) say("features: " + fit.text());  // not a note: the model must not depend on the memory
  return fit.run();
}

}  // namespace bochner
