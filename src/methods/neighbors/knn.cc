// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/knn.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.h"
#include "base/pieces.h"
#include "base/require.h"
#include "bochner/learner.h"
#include "learn/nested.h"
#include "learn/score.h"
#include "methods/neighbors/knn_map.h"
#include "random/hold_out.h"

namespace bochner {

namespace {

constexpr std::size_t kNeighbors[] = {1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100};
// Factors on the kernel's length scale, which is that of a fit to all rows: a mean over neighbours is more local. 0:
// all neighbours weigh the same.
constexpr double kFactors[] = {0, 2, 1, 0.5, 0.25, 0.125};
constexpr double kMostJudged = 8192;  // rows that are left out, one after the other
constexpr std::size_t kRowsOfPiece = 64, kPieces = 16;
static_assert(kNestedRows <= kRowsOfPiece * kPieces);  // folds keep what is answered at once

// Rows that judge: as the points lie, and what they should give.
struct Judges {
  std::vector<float> x;
  std::vector<std::uint32_t> self;  // empty: they are no points
  std::vector<double> targets, weights;
  std::size_t count = 0;
};

class KnnFit {
 public:
  KnnFit(const Stream& stream, const Survey& survey, const LearnerOptions& options, const Stream* validation)
      : stream_(stream), survey_(survey), options_(options), validation_(validation) {}

  Fitted run() {
    collect();
    report().seconds.emplace_back("points", clock_.lap());
    describe();
    const std::vector<KnnRule> rules = candidates();
    const Judges judges = validation_ ? judges_of_validation() : judges_left_out();
    std::size_t best = 0;
    if (judges.count > 0 && (validation_ || points_->count() > 1)) {
      const bool nested = !validation_ && rules.size() > 1 && judges.count < kNestedRows;
      const Judged found = judge(rules, judges, nested);
      best = best_of(found.rules);
      report().score = nested ? nested_score(found, judges).score() : found.rules[best].score();
      report().validation = validation_ ? "validation file"
                            : nested    ? nested_folds_text("neighbours and their weights")
                                        : "leave-one-out";
      report().seconds.emplace_back("choice of neighbours", clock_.lap());
    }
    const KnnRule& rule = rules[best];
    report().notes.push_back(rule.kernel
                                 ? fmt::format("neighbours: {}, weighted by {} of length {:.4g}", rule.neighbors,
                                               kernel_name(*rule.kernel), rule.kernel->length_scales[0])
                                 : fmt::format("neighbours: {}, equally weighted", rule.neighbors));
    fitted_.head = knn_map(std::move(*points_), std::move(targets_), rule);
    return std::move(fitted_);
  }

  // The rows by a rule that is known.
  MapPtr by(KnnRule rule) {
    collect();
    rule.neighbors = std::min(rule.neighbors, points_->count());
    return knn_map(std::move(*points_), std::move(targets_), std::move(rule));
  }

 private:
  Report& report() { return fitted_.report; }
  bool numbers() const { return stream_.schema().task == Task::regression; }

  // The rows that weigh anything.
  void collect() {
    const std::size_t d = stream_.features(), targets = stream_.schema().targets;
    std::vector<float> x;
    std::vector<double> values, weights;
    x.reserve(survey_.rows() * d);
    bool differ = false;
    stream_.each("points", [&](const auto& block) {
      for (std::size_t i = 0; i < block.rows; ++i) {
        const double weight = weight_of(block.weights, i);
        if (!(weight > 0)) continue;
        for (std::size_t j = 0; j < d; ++j) x.push_back(float(block.values[i * block.stride + j]));
        const double* y = block.targets + i * block.target_count;
        if (numbers())
          values.insert(values.end(), y, y + targets);
        else
          targets_.labels.push_back(std::uint32_t(y[0]));
        differ = differ || (!weights.empty() && weight != weights[0]);
        weights.push_back(weight);
      }
    });
    const std::size_t n = weights.size();
    Matrix<float> points(n, d);
    std::copy(x.begin(), x.end(), points.data());
    std::vector<float>().swap(x);
    points_.emplace(std::move(points));
    if (numbers()) {
      targets_.values = Matrix<double>(n, targets);
      std::copy(values.begin(), values.end(), targets_.values.data());
    } else {
      targets_.classes = stream_.schema().labels.size();
    }
    if (differ) targets_.weights = std::move(weights);
  }

  // A row beside itself has one point fewer; where there is one point it must do.
  std::vector<KnnRule> candidates() const {
    const std::size_t others = std::max<std::size_t>(1, points_->count() - (validation_ ? 0 : 1));
    std::vector<std::size_t> counts = options_.neighbors;
    if (counts.empty()) counts.assign(std::begin(kNeighbors), std::end(kNeighbors));
    for (std::size_t& k : counts) k = std::min(k, others);
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    std::vector<KnnRule> rules;
    using Weighting = LearnerOptions::Weighting;
    for (const std::size_t k : counts)
      for (const double factor : kFactors) {
        if (options_.weighting == Weighting::equal && factor > 0) continue;
        if (options_.weighting == Weighting::kernel && factor == 0) continue;
        if (k == 1 && factor != (options_.weighting == Weighting::kernel ? 1 : 0)) continue;  // one neighbour decides
        KnnRule& rule = rules.emplace_back(KnnRule{.neighbors = k});
        if (factor == 0) continue;
        rule.kernel = options_.kernel;
        rule.kernel->length_scales[0] *= factor;
      }
    return rules;
  }

  Judges judges_left_out() const {
    const std::size_t n = points_->count(), d = points_->inputs();
    const double fraction = hold_out_fraction(double(n), 1, kMostJudged);
    Judges judges;
    for (std::size_t i = 0; i < n; ++i) {
      if (fraction < 1 && !is_held_out(options_.seed, i, fraction)) continue;
      const float* x = &points_->centred()(i, 0);
      judges.x.insert(judges.x.end(), x, x + d);
      judges.self.push_back(std::uint32_t(i));
      if (numbers())
        judges.targets.insert(judges.targets.end(), &targets_.values(i, 0), &targets_.values(i, 0) + targets());
      else
        judges.targets.push_back(double(targets_.labels[i]));
      judges.weights.push_back(targets_.weights.empty() ? 1 : targets_.weights[i]);
      ++judges.count;
    }
    return judges;
  }

  Judges judges_of_validation() const {
    Judges judges;
    const std::size_t d = points_->inputs();
    validation_->each("validation", [&](const auto& block) {
      const std::size_t before = judges.count;
      judges.count += block.rows;
      judges.x.resize(judges.count * d);
      points_->centre(block.view(), {judges.x.data() + before * d, block.rows, d, d});
      for (std::size_t i = 0; i < block.rows; ++i) {
        const double* y = block.targets + i * block.target_count;
        judges.targets.insert(judges.targets.end(), y, y + targets());
        judges.weights.push_back(weight_of(block.weights, i));
      }
    });
    return judges;
  }

  std::size_t targets() const { return numbers() ? targets_.values.cols() : 1; }

  // Scores of all rules; with folds also those without the rows of each fold, and what each rule answers.
  struct Judged {
    std::vector<Scorer> rules;
    std::vector<std::vector<Scorer>> without = {};  // folds x rules
    std::vector<double> answers = {};               // rows x rules x outputs
  };

  static std::size_t best_of(const std::vector<Scorer>& scorers) {
    const auto less = [](const Scorer& a, const Scorer& b) { return a.loss() < b.loss(); };
    return std::size_t(std::min_element(scorers.begin(), scorers.end(), less) - scorers.begin());
  }
  std::size_t fold_of(std::size_t judge) const { return fold_of_row(options_.seed, judge, kNestedFolds); }

  // The rows of each fold by the rule that the others chose.
  Scorer nested_score(const Judged& found, const Judges& judges) const {
    const std::size_t outputs = targets_.outputs(), width = found.rules.size() * outputs;
    Scorer scorer(stream_.schema().task, outputs);
    std::vector<std::size_t> best;
    for (const std::vector<Scorer>& scorers : found.without) best.push_back(best_of(scorers));
    for (std::size_t i = 0; i < judges.count; ++i)
      scorer.add(found.answers.data() + i * width + best[fold_of(i)] * outputs, judges.targets.data() + i * targets(),
                 judges.weights[i]);
    return scorer;
  }

  // What every rule makes of the judges, some at a time: pieces by threads, sums in the order of rows.
  Judged judge(const std::vector<KnnRule>& rules, const Judges& judges, bool folds) {
    const std::size_t outputs = targets_.outputs(), d = points_->inputs(), width = rules.size() * outputs;
    std::size_t most = 0;
    for (const KnnRule& rule : rules) most = std::max(most, rule.neighbors);
    Judged found{std::vector<Scorer>(rules.size(), Scorer(stream_.schema().task, outputs))};
    if (folds) found.without.assign(kNestedFolds, found.rules);
    const std::size_t at_once = kRowsOfPiece * kPieces;
    std::vector<double> answers(std::min(at_once, judges.count) * width);
    const Workers on = stream_.workers();
    for (std::size_t begin = 0; begin < judges.count; begin += at_once) {
      const std::size_t end = std::min(judges.count, begin + at_once);
      in_pieces(on.threads, end - begin, kRowsOfPiece, [&](std::size_t at, std::size_t rows) {
        const std::size_t first = begin + at;
        std::vector<NearPoint> near(rows * most);
        points_->find(on.ops, {judges.x.data() + first * d, rows, d, d}, most,
                      judges.self.empty() ? nullptr : judges.self.data() + first, near.data());
        for (std::size_t i = 0; i < rows; ++i)
          answer(rules, judges.x.data() + (first + i) * d, {near.data() + i * most, most},
                 answers.data() + (at + i) * width);
      });
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t r = 0; r < rules.size(); ++r) {
          const double* const answer = answers.data() + (i - begin) * width + r * outputs;
          const double* const target = judges.targets.data() + i * targets();
          found.rules[r].add(answer, target, judges.weights[i]);
          for (std::size_t f = 0; f < found.without.size(); ++f)
            if (f != fold_of(i)) found.without[f][r].add(answer, target, judges.weights[i]);
        }
    }
    if (folds) found.answers = std::move(answers);  // fewer than are judged at once
    return found;
  }

  // One row by every rule; shares p of classes as scores 2 p - 1, which is what a score is measured by.
  void answer(const std::vector<KnnRule>& rules, const float* x, std::span<const NearPoint> near, double* out) const {
    const std::size_t outputs = targets_.outputs();
    std::vector<double> weights(near.size());
    for (const KnnRule& rule : rules) {
      const std::span<const NearPoint> heard = near.first(rule.neighbors);
      weigh_neighbors(rule.kernel, *points_, x, heard, weights.data());
      average_neighbors(targets_, heard, weights.data(), out);
      for (std::size_t t = 0; targets_.classes > 0 && t < outputs; ++t) out[t] = 2 * out[t] - 1;
      out += outputs;
    }
  }

  void describe() {
    report().rows = survey_.rows();
    report().inputs = stream_.schema().inputs;
    report().features = stream_.features();
    report().learner = learner_row(Learner::knn).name;
    report().solver = "exact search";
  }

  const Stream& stream_;
  const Survey& survey_;
  const LearnerOptions& options_;
  const Stream* validation_;
  Clock clock_;
  Fitted fitted_;
  std::optional<NearestPoints> points_;
  KnnTargets targets_;
};

}  // namespace

Fitted fit_knn(const Stream& stream, const Survey& survey, const LearnerOptions& options, const Stream* validation) {
  return KnnFit(stream, survey, options, validation).run();
}

const LearnsOn kNeighborsLearnOn{
    .is = [](const Model& model) { return rule_of(*model.head()).has_value(); },
    .learn = [](const Model& from, const Stream& rows, const Survey& survey) -> LearntOn {
      return {from.maps(), KnnFit(at_head(from, rows), survey, {}, nullptr).by(*rule_of(*from.head()))};
    },
    .least_rows = [](const Model& from) { return std::uint64_t(rule_of(*from.head())->neighbors); }};

// Points as they are collected and as a matrix, then as rows and as panels.
MemoryPlan knn_memory(const FitSize& size) {
  const double n = double(size.rows), row = double(size.features) * sizeof(float);
  MemoryPlan plan;
  plan.add("points", 2 * n * row);
  plan.add("targets", 2 * n * double(size.targets + 1) * sizeof(double));
  const double judged = std::min(n, 2 * kMostJudged);
  return plan.add("rows left out", judged * row);
}

}  // namespace bochner
