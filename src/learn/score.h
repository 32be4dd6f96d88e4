// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <limits>
#include <vector>

#include "bochner/report.h"
#include "bochner/schema.h"
#include "learn/ranking.h"

namespace bochner {

struct TargetCode;

// Adds up predictions against targets, row by row. Rows must come in a fixed order.
class Scorer {
 public:
  Scorer() = default;
  // outputs: columns of a prediction (targets, or 1 score for two classes, or one score per class).
  // most_ranked: scores of all outputs together that may be kept for the AUC.
  Scorer(Task task, std::size_t outputs, std::size_t most_ranked = kMostRanked,
         ClassRanking::Beyond beyond = ClassRanking::Beyond::forget);

  // prediction: decoded, as the model gives it; target: class index or values; log_loss: -log p(true class) if known.
  void add(const double* prediction, const double* target, double weight = 1, double log_loss = kUnknown);

  // Numbers are judged by the deviance of the law whose variance grows as mean^power, too.
  void judge_by_power(double power) { power_ = power; }

  Score score() const;
  // What lambda and bandwidth are chosen by: the error plus a quarter of the squared error of the scores, which
  // breaks the ties of few rows; the squared error relative to the targets' variance for regression.
  double loss() const;
  bool ranks_exactly() const;
  // The curve of two classes; otherwise none.
  std::vector<Evaluation::RankingPoint> ranking() const;
  // Frees the scores that were kept for the AUC: for sums that are kept themselves. No rows may follow.
  void settle();

  // Sums over codes as sums over the targets they stand for.
  Scorer decoded(const TargetCode& code) const;

  // All of it as numbers, for the log of a run.
  static std::size_t number_count(std::size_t outputs);
  void append_to(std::vector<double>& numbers) const;
  static Scorer from(Task task, std::size_t outputs, const double* numbers);

 private:
  static constexpr std::size_t kMostRanked = std::size_t(1) << 16;
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  // Sums over the rows of one class: l is the log-loss, w the weight.
  struct Losses {
    double l = 0;                      // the sum of w times it
    double one2 = 0, l2 = 0, ll2 = 0;  // sums of w^2 times it
  };
  // Sums for one output: t a target, u = t - shift, r its residual, w the weight. The shift is the first target, so
  // that targets far from zero lose no digits.
  struct Output {
    double shift = 0;
    double u = 0, uu = 0, rr = 0, abs_r = 0;                // sums of w times it
    double one2 = 0, u2 = 0, uu2 = 0, uuu2 = 0, uuuu2 = 0;  // sums of w^2 times it
    double rr2 = 0, rru2 = 0, rruu2 = 0, rrrr2 = 0;         // sums of w^2 times it
    void add_number(double target, double prediction, double weight);
    double variance(double weight) const { return uu - u * u / weight; }  // times the weight
    double squares(double weight) const { return uu + 2 * shift * u + shift * shift * weight; }
    double r2_standard_error(double weight) const;
  };

  Task task_ = Task::regression;
  std::size_t outputs_ = 0;
  std::optional<double> power_;
  double deviance_ = 0, own_ = 0;  // half the deviance, and what of it no mean changes, summed over the outputs
  std::uint64_t rows_ = 0, wrong_rows_ = 0;
  bool weighted_ = false;
  double first_weight_ = 0, weight_ = 0, squared_weight_ = 0, wrong_ = 0, squared_wrong_ = 0;
  std::vector<double> class_weight_;
  std::vector<Output> of_;
  std::vector<Losses> losses_;              // one per class; empty if no log-loss is known
  std::vector<ClassRanking> rankings_;      // the second of two classes, or each class
  std::optional<ClassRanking::Area> area_;  // settled
  void score_losses(Score& score) const;
  ClassRanking::Area mean_area() const;
};

// A score as numbers, for the log of a run; NaN for what it does not have.
std::size_t score_number_count();
void append_score(const Score& score, std::vector<double>& numbers);
Score score_from(const double* numbers);

inline double weight_of(const double* weights, std::size_t i) { return weights ? weights[i] : 1.0; }

// What leave-one-out tells a class by: the score without the row plus w_i (y_i - m) / (n - w_i), m the mean of the
// codes and n the weight of all rows, so that the mean of all rows stands in for that of the others. The others' mean
// leans away from the row's own class, and classes of equal weight without any signal would all be told wrong; with the
// mean of all rows they are a tie, as they should be. The rest of the score does not know the row. Rounded, so that a
// tie stays one.
double judged_score(double score, double code, double mean, double row_weight, double weight);

// The class a row of scores names.
std::size_t predicted_class(const double* scores, std::size_t outputs);

}  // namespace bochner
