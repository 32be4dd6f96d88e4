// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = train(*open_rows("cars.csv", {.targets = {"price"}}));
//   const Report& report = model.report();
//   if (report.termination == Termination::step_limit) std::puts("more steps would help");
//   if (report.score) std::puts(report.score->text().c_str());

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bochner {

// How well predictions meet targets. What does not apply, or is not known, is absent.
struct Score {
  std::uint64_t rows = 0;
  bool weighted = false;  // rows count by weights that differ
  // Classification. The error is the fraction wrong, of the rows' weight where they have weights.
  std::optional<double> error;
  std::optional<double> baseline_error;    // error of the answer that is always the most frequent class
  std::optional<double> unweighted_error;  // where the rows are weighted
  // Classification, where probabilities are known: the mean of -log p(true class), beside the answer that always gives
  // each class its share of these rows. The standard error is that of their difference, taken row by row.
  std::optional<double> log_loss, baseline_log_loss, log_loss_standard_error;
  // The chance that a row of the second class scores above one of the first; of more than two classes the mean over
  // each against the rest. Ties count by half: any constant has 0.5. By chance: how far from 0.5 scores come that know
  // nothing of the classes, one standard deviation.
  std::optional<double> auc, auc_by_chance;
  // Regression.
  std::optional<double> r2;    // share of the variance explained, the mean of the targets; always answering the mean: 0
  std::optional<double> rmse;  // root of the mean squared error
  std::optional<double> mae;   // mean absolute error
  std::optional<double> relative_error;  // |yhat - y| / |y| of the paper: depends on where the target has its zero
  // The mean deviance of the law of poisson, gamma or tweedie,
  // beside that of always answering the mean.
  std::optional<double> deviance, baseline_deviance;
  std::optional<double> standard_error;  // error or r2: how far chance moves it with as many rows

  // "error 4.12 % +- 0.30 on 1000 rows ...", "R2 0.9800 +- 0.0030, rmse 1.8, ..."
  std::string text() const;
  // A line where the score is no better than a constant answer, or not clearly so; otherwise nothing. Classes are told
  // apart if the error, the log-loss or the AUC says so.
  std::string warning() const;
  // A line where log-loss or AUC are clearly better than a constant and the error is not: what to do with such a model.
  std::string hint() const;
};

// Why a learner ended. A training that is cancelled has no report: it throws Stopped.
enum class Termination {
  converged,    // solved exactly, or as close as the tolerance asks
  step_limit,   // the most steps or epochs were made first: the model is what they reached, and a note says so
  fixed_steps,  // as many steps as asked for, with no tolerance to reach
};

// What a training did and found.
struct Report {
  struct PathPoint {
    double lambda = 0;
    Score score;
  };

  // A machine of the automatic race. What is left over: mean squared error of the rows held out, as a share of the
  // variance of their (coded) targets.
  struct Candidate {
    std::string name;
    double left_over = 0;
    double weight = 0;  // weight in the blend
    bool operator==(const Candidate&) const = default;
  };
  // What a column of the file matters. distance: its share of the squared distance of rows in the learnt metric.
  // shuffled: how much more is left over on the rows held out where its values are shuffled among them.
  struct Importance {
    std::string column;
    double distance = 0, shuffled = 0;
    bool operator==(const Importance&) const = default;
  };
  struct CurvePoint {
    std::uint64_t rows = 0;
    double left_over = 0;
    bool operator==(const CurvePoint&) const = default;
  };

  std::uint64_t rows = 0;
  std::size_t inputs = 0;
  std::size_t features = 0;
  std::string map;
  std::string learner;
  std::string solver;
  Termination termination = Termination::converged;
  double lambda = 0;                  // penalty in  |Zw - y|^2 + lambda n |w|^2
  std::string kernel;                 // the features' kernel, if they have one: "gaussian"
  std::vector<double> bandwidth;      // its length scales: one, or one per input
  std::vector<double> length_scales;  // one per input of random bins, if a search found them
  std::vector<double> part_weights;   // one per kernel, if the head is a sum of parts learnt together
  std::string validation;             // how the score was found: "leave-one-out", "8192 rows held out", a file
  std::optional<Score> score;
  std::optional<Score> test;    // score on rows that nothing in the training saw
  std::vector<Score> folds;     // cross-validation of the whole training
  std::vector<PathPoint> path;  // every lambda that was tried
  // One per target, for ridge by Cholesky on rows without weights: that of a Gaussian process with the likeliest noise.
  std::vector<double> log_marginal_likelihood;
  std::vector<std::pair<double, double>> target_ranges;  // regression: the least and the greatest target
  std::vector<std::pair<double, double>> input_ranges;   // one per input as the maps see it; empty: too many to keep
  double missing_share = 0;                              // share of the input cells
  std::optional<double> quantile;                        // the level that an automatic machine was optimized for
  std::vector<double> class_weights;                     // one per class, where a watch learns on by them; or none
  std::vector<Candidate> candidates;                     // candidates of the automatic race, in its order
  std::vector<Importance> importance;                    // automatic race: the columns, the largest first
  std::vector<CurvePoint> learning_curve;                // automatic race: one kernel model learnt from fewer rows
  std::vector<std::string> notes;                        // what was chosen for the user, and warnings
  std::vector<std::pair<std::string, double>> seconds;   // step, wall clock

  std::string text() const;
  // The score's warning, unless the answers are quantiles, which their R2 does not judge.
  std::string warning(const Score& score) const;
};

}  // namespace bochner
