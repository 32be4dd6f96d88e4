// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bochner/split.h"
#include "bochner/train.h"
#include "folds/target_code.h"
#include "learn/score.h"
#include "learn/unseen.h"
#include "methods/automatic/level_means.h"
#include "methods/automatic/metric_machine.h"
#include "methods/automatic/twofold.h"
#include "run/stream.h"

namespace bochner {

constexpr std::size_t kCrosswiseParts = 5;  // parts of the rows held out that are blended crosswise
constexpr std::size_t kFoldParts = 5;       // parts of few rows: as many folds as asked for are held out in turn

// A training that races: what it predicts for the rows held out, coded, and how it is fitted again on all rows.
struct Candidate {
  std::string name;
  Matrix<double> held;
  double error = 0;               // the mean squared error of `held`
  std::function<MapPtr()> refit;  // maps rows as they are to codes
};

// y = shift + sum_j weights_j p_j, and what it predicts for the rows held out: each fifth of them by what the others
// gave.
struct FinalBlend {
  Matrix<double> weights;  // candidates x columns
  std::vector<double> shift;
  Matrix<double> held = {};
  std::string name = {};  // what it was chosen by, for people: " by log-loss"; empty: squared error
};

struct ClassScores;

// The rows that race: all of them or, where those do not fit in memory or are more than `most`, a sample that is kept
// in memory: of about `most` rows, or of the first of its halves, quarters, ... that fits.
class RaceSource {
 public:
  // row_bytes: that a row takes while the race goes on.
  RaceSource(Rows& all, std::uint64_t rows, double row_bytes, double memory, std::uint64_t seed,
             std::size_t most = 1000000);

  bool sampled() const { return kept_ != nullptr; }
  Rows& rows() const { return kept_ ? *kept_ : all_; }
  std::size_t count() const { return count_; }
  // The groups or times of the rows that race, taken from those of all rows; empty if there are none.
  std::vector<std::uint64_t> groups(std::span<const std::uint64_t> of_all) const;
  std::vector<double> times(std::span<const double> of_all) const;

 private:
  Rows& all_;
  std::function<bool(std::uint64_t)> takes_;
  std::size_t count_;
  std::unique_ptr<Rows> kept_;
};

// What is known of the rows of a race besides their cells, one for each; empty: nothing.
struct RaceKin {
  std::vector<std::uint64_t> groups = {};  // rows of a group are shared out whole
  std::vector<double> times =
      {};  // held out are the last rows, in several folds blocks that judge what those before taught
  std::vector<LevelColumn> levels = {};  // inputs that are made of the targets of other rows
};

// Rows held out together.
struct RaceFold {
  MachineRows machine;              // all rows, and which of them are held out
  std::vector<std::uint32_t> held;  // their numbers, rising
  std::vector<double> mean;         // mean codes of the rows not held out
  std::size_t first = 0;            // place of its first row among those held out in all folds
  Matrix<float> x;              // its own inputs, if levels are told by its rows or times are known; otherwise all's
  std::vector<double> weights;  // weights of the rows in order of time, 0 for rows later than those held out
};

// The coded inputs of rows as they are, by the sums of all of them, and their codes in the rows of a race.
std::vector<LevelColumn> level_columns(const Stream& rows, const TargetCode& code,
                                       std::span<const std::uint64_t> class_rows);
std::vector<LevelColumn> with_codes(std::vector<LevelColumn> columns, const Stream& raced, std::size_t count);

// The rows of a race, all in memory: inputs as the stream's map makes them, coded targets, and which are held out: once
// or, in several folds, each row in one of them at most. Predictions of rows held out are in the order of held().
class RaceRows {
 public:
  // folds: 1, or up to kFoldParts of that many parts, with rows of each class shared out evenly.
  RaceRows(const Stream& stream, const TargetCode& code, std::size_t rows, std::uint64_t seed, std::size_t folds = 1,
           const RaceKin& known = {});
  RaceRows(const RaceRows&) = delete;
  RaceRows& operator=(const RaceRows&) = delete;

  std::size_t folds() const { return folds_.size(); }
  const RaceFold& fold(std::size_t f) const { return folds_[f]; }
  const MachineRows& machine() const { return folds_[0].machine; }
  const Matrix<float>& inputs() const { return x_; }
  std::span<const std::uint32_t> held() const { return held_; }
  std::size_t outputs() const { return y_.cols(); }
  Matrix<double> together(std::span<const Matrix<double>> of_folds) const;  // predictions

  double error(const Matrix<double>& held) const;  // mean squared, of predictions of the rows held out
  double relative(double error) const;             // error / error of the mean
  // Predictions of the rows of the first fold.
  double first_error(const Matrix<double>& held) const;

  // y = mean + sum_j b_j (p_j - mean) by non-negative least squares on the rows held out, shrunk where they gain little
  // more than chance would: all of it to 0 where there is no signal. Candidates x columns: of classes the same in all
  // columns, of numbers each column its own.
  Matrix<double> weigh(std::span<const Candidate> candidates) const;
  double first_blended_error(std::span<const Candidate> candidates) const;  // the first fold alone
  // Predictions of that blend for the rows held out, coded; and their score in the units of the targets.
  Matrix<double> blend(std::span<const Candidate> candidates, const Matrix<double>& weights) const;
  // The same where each fifth of these rows has the weights that the others gave: what a blend does with new rows.
  Matrix<double> blend_crosswise(std::span<const Candidate> candidates) const;
  // The blend of the model. Of classes, weights and shifts by Newton steps on the log-loss where these lower it, and do
  // not raise the error, on rows that did not choose them.
  FinalBlend conclude(std::span<const Candidate> candidates, const Optimize& optimize = {}) const;
  Score score(const Matrix<double>& held) const;
  // These inputs as rows with the targets of the file.
  std::unique_ptr<Rows> encoded(const FlowRows& rows, const Schema& of_file) const;
  RepeatedRows repeated() const;  // those among the rows held out
  // The same rows, decoded, for what is learnt from rows not seen.
  UnseenRows unseen(const Matrix<double>& held, const std::vector<double>& class_weights) const;

 private:
  double mean(std::size_t p, std::size_t k) const { return folds_[fold_of_[p]].mean[k]; }  // p: place in held()
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  double decoded(double code, std::size_t column) const {
    return code_.task == Task::regression ? code_.center[column] + code_.unit[column] * code : code;
  }
  void read(const Stream& stream);
  void choose_held(std::uint64_t seed, std::size_t folds, std::span<const std::uint64_t> groups);
  void hold_later(std::span<const double> times, std::size_t folds, std::uint64_t seed);
  void hold_out();
  void enter_levels(std::span<const LevelColumn> levels, std::uint64_t seed);
  void keep_within_what_was();
  void share_out_crosswise(std::span<const std::uint64_t> groups, std::uint64_t seed);
  std::vector<std::size_t> parts(std::uint64_t seed) const;  // each row's part, one of kFoldParts
  using Numbers = std::span<const std::size_t>;
  Matrix<double> weigh(std::span<const Candidate> candidates, Numbers rows) const;  // rows: some of the rows held out
  std::vector<double> weigh(std::span<const Candidate> candidates, Numbers rows, Numbers columns) const;
  FinalBlend by_squares(std::span<const Candidate> candidates, Numbers rows) const;
  FinalBlend by_log_loss(std::span<const Candidate> candidates, Numbers rows, const ClassScores& classes,
                         FinalBlend squares) const;
  // The weights and shift of least pinball loss, for numbers.
  FinalBlend by_pinball(std::span<const Candidate> candidates, Numbers rows, double level) const;
  FinalBlend conclude_by_pinball(std::span<const Candidate> candidates, double level) const;
  Matrix<double> blended(std::span<const Candidate> candidates, const FinalBlend& by) const;
  // The positive part of 1 - 4 s^2 / g (after James and Stein), g the gain in squared error over the mean on all rows
  // held out, s^2 what is left over in one of them.
  double certainty(const Matrix<double>& held, Numbers rows, Numbers columns) const;

  TargetCode code_;
  Matrix<float> x_;
  Matrix<double> y_, targets_;
  std::vector<double> weights_, mean_;  // mean_: mean over the folds' means
  bool own_choices_ = false;
  std::vector<RaceFold> folds_;
  std::vector<std::uint32_t> held_;
  std::vector<std::size_t> fold_of_;    // one per row of held_
  std::vector<std::uint64_t> kin_;      // one per row: its group, or about when it was; empty: neither is known
  std::vector<std::uint64_t> groups_;   // one per row of held_; empty: no groups
  std::vector<std::size_t> crosswise_;  // one per row of held_: the part of kCrosswiseParts that it is blended in
  double effect_ = 1;                   // design effect of the groups: so many rows err as one
};

// (maps[0](x) + maps[1](x) + ...) / their number.
MapPtr mean_of(std::vector<MapPtr> maps);

// The share of the squared distance between rows that each input makes, by a diagonal metric over twofold inputs:
// scale^2 times the variance of what enters.
std::vector<double> distance_shares(const Metric& diagonal, const Matrix<float>& x,
                                    std::span<const TwofoldColumn> columns);

}  // namespace bochner
