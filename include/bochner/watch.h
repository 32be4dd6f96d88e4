// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   OnlineModel model = OnlineModel::load("cars.model");
//   const auto stream = open_live_rows("-", model.model().schema());  // rows come through a pipe
//   watch(model, *stream, {.every = 100, .window = 10000}, [](const Watched& seen) {
//     if (seen.alarm) std::printf("the errors have grown at row %llu\n", (unsigned long long)*seen.alarm);
//   });
//   model.save("cars2.model");

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bochner/online.h"

namespace bochner {

// How far back in a stream: so many rows, or so many days by the times of its rows. Neither: no end.
struct Extent {
  std::uint64_t rows = 0;
  double days = 0;

  constexpr Extent(std::uint64_t of_rows = 0, double of_days = 0) : rows(of_rows), days(of_days) {}
  bool any() const { return rows > 0 || days > 0; }
};

struct WatchOptions {
  std::size_t every = 1000;  // rows of a look; they are predicted by the model of the rows before them
  // The model is of the newest rows of the stream: older ones leave, and those that the model had before leave together
  // once the window is full. None: all rows stay. It holds the rows of the window in memory, in double.
  Extent window = {};
  // Or older rows weigh less: 1 within the newest half-life, 1/2 in the one before, 1/4, ..., and leave after
  // kHalvings of them. The sums are those of a training with these weights, to the byte.
  Extent half_life = {};
  static constexpr std::size_t kHalvings = 10;
  // Rows between two solves, or trainings of a model without sums. 0: only at alarms. None: each look of a model with
  // sums, or of one that learns on by learnt_on(); otherwise 0.
  std::optional<std::uint64_t> solve_every = {};
  // What an alarm does beside a solve: nothing; rows before the look that raised it leave; or all choices are made anew
  // by the rows kept, as train_online() makes them by `retrain` of rows of the model's schema.
  enum class OnAlarm { keep, forget, rechoose } on_alarm = OnAlarm::keep;
  // How a model without sums is trained anew, by train(), and how choices are made anew. None: a model of the sorts of
  // learnt_on() learns on from the rows of a window or half-life, once that is full or at an alarm; others stay.
  std::optional<TrainOptions> retrain = {};
  double level = 0.05;  // chance of an alarm while nothing changes, however long that is
  std::uint64_t seed = 0;
  Execution execution = {};
};

// What was seen in the rows of a look.
struct Watched {
  enum class Change { none, solved, trained };  // what the model is: as before, solved from its sums, trained anew

  std::uint64_t rows = 0;  // how many the stream had so far
  std::uint64_t kept = 0;  // how many the next solve is of
  double loss = 0;         // WatchHistory::loss_name() of these rows
  double mean_loss = 0;    // the same of all rows so far, each predicted before it was learnt
  double evidence = 1;     // the e-value against rows like those since the last alarm; 1 / level is an alarm
  std::optional<std::uint64_t> alarm = {};  // the row at which the evidence sufficed, from 0
  Change change = Change::none;
};

// Predicts rows as they come, scores them, tests whether the model's errors grow, and learns them.
//
// The test: scores of the errors by one model, that of the last alarm or of the beginning, rank among those before. If
// rows do not change the ranks are uniform (conformal p-values, Vovk, Nouretdinov & Gammerman, ICML 2003), and bets
// against that, from every row on, gain 1 / level with a chance of at most level (Ville's inequality), over any number
// of looks. Rows of a look that come after an alarm are not tested. Ranks take 8 bytes
// for each row since the last alarm, of at most a million rows: they are among the rows of the same million.
//
// Not thread-safe.
class Watch {
 public:
  // Learns in place; the model must outlive it. A model without sums that predicts targets, a density, clusters
  // or anomalies.
  // std::invalid_argument for options that do not go together.
  Watch(OnlineModel& model, WatchOptions options);
  Watch(Model& model, WatchOptions options);
  Watch(Watch&&) noexcept;
  ~Watch();

  // The next look: all rows of these, read by the model's schema. times: in days, one for each row, not descending; for
  // an extent of days. If it throws, the watch has ended.
  Watched see(Rows& rows, std::span<const double> times = {});
  void settle();  // solves what has not been: the model is then that of its sums

  struct State;

 private:
  std::unique_ptr<State> state_;
};

// The model of these rows by the choices of another, found from where that stands: what a watch makes of the rows kept.
// Logistic regression by Newton's method from its coefficients, k-means from its centres, mixtures by EM from their
// components, k-NN by these rows as points, anomalies by the threshold that the same share of these rows is above (and
// by their mean, where that is the score). Scaling, features, penalty and numbers of clusters stay. rows: as
// open_rows(path, model.schema()) gives them. std::invalid_argument for another model.
Model learnt_on(const Model& model, Rows& rows, const Execution& execution = {});
// What the model has of its training that learnt_on() drops: "intervals, rows for explain"; empty: nothing.
std::string dropped_by_learning_on(const Model& model);

// Watches a stream from its beginning to its end, or until options.execution.cancel says so between two looks. tell:
// hears of each look. times: for extents of days, the cells of the column of times, as open_rows() fills them.
void watch(OnlineModel& model, Rows& stream, const WatchOptions& options,
           const std::function<void(const Watched&)>& tell, KeptCells* times = nullptr);
void watch(Model& model, Rows& stream, const WatchOptions& options, const std::function<void(const Watched&)>& tell,
           KeptCells* times = nullptr);

// open_rows() for a model, whose pipe gives its rows out as they are written, not in pieces of megabytes. until: asked
// ten times a second while none comes: true ends the rows there. A compressed pipe waits for its pieces all the same.
std::unique_ptr<Rows> open_live_rows(const std::string& path, const Schema& schema, const RowsOptions& options = {},
                                     std::function<bool()> until = {});

// The looks at a stream as a page: loss over time, evidence, alarms. Neighbours are joined when there are many, so that
// it stays small however long the stream is.
class WatchHistory {
 public:
  explicit WatchHistory(double level) : level_(level) {}
  void add(const Watched& seen);
  std::string page(const std::string& title, const std::string& loss_name) const;  // HTML
  // What `loss` is of a model: "mean squared error".
  static std::string loss_name(const Model& model);

 private:
  void join_neighbors();

  double level_;
  std::uint64_t trained_ = 0;
  std::vector<Watched> looks_;
  std::vector<std::uint64_t> alarms_;
};

}  // namespace bochner
