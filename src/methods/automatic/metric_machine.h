// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "methods/automatic/flow.h"
#include "methods/automatic/leaf_ridge.h"

namespace bochner {

class Checkpoint;

// How far a metric is learnt inside leaves: steps (0: not at all), and the rows of each leaf.
struct InsideEffort {
  std::size_t steps = 80;
  FlowBatch batch = {500, 250};
};

// How far a machine in a learnt metric goes.
struct MachineEffort {
  std::array<std::size_t, 4> steps = {100, 15, 100, 40};  // diagonal from few rows and from more, full likewise
  FlowBatch few = {500, 800}, more = {1200, 2000};
  std::size_t most_landmarks = 1500;
  double most_products = 5e11;       // the landmarks' Gram sums: rows x landmarks^2
  double most_entries = 2.5e8;       // the landmarks' kernel: rows x landmarks
  double most_leaf_products = 5e11;  // the leaves' factors: rows x rows of a leaf^2
  LeafOptions leaf = {.leaf_rows = 1000};
  bool grows = true;         // a model twice as large is tried if leaves gain much
  InsideEffort inside = {};  // the larger model's metric is learnt inside leaves
  bool gaussian = false;     // a model in a metric that learns nothing joins
};

// How many landmarks and rows of a leaf of so many rows are affordable, a machine of `times` the effort's size.
std::size_t affordable_landmarks(const MachineEffort& effort, double rows, std::size_t times);
std::size_t affordable_leaf_rows(const MachineEffort& effort, double rows, std::size_t times);

// Rows in memory, some of them held out: those choose lambdas and tell the error.
struct MachineRows {
  FlowRows rows;
  std::vector<char> held;    // 0: learnt from; otherwise one of these
  bool own_choices = false;  // each target its own lambdas and leaves (numbers), or all the same (codes of classes)

  FlowRows all = {};  // what a refit learns from if it is other than `rows`

  static constexpr char kHeld = 1, kLater = 2;  // kLater: later than the rows held out, unseen and of weight 0
  const FlowRows& refit_rows() const { return all.x.rows > 0 ? all : rows; }
  std::vector<std::uint32_t> numbers(bool held_out) const;  // rows held out, or learnt from
};

// tell(line): what was found, for people. progress(step, fraction).
struct MachineTalk {
  std::function<void(const std::string&)> tell = {};
  std::function<void(const std::string&, double)> progress = {};
  Checkpoint* checkpoint = nullptr;
};

// Landmarks on all rows and, where they lower the held-out error, leaves on what these leave over. All maps are from
// rows as they are in `rows` to coded targets.
class MetricMachine {
 public:
  MetricMachine(const Workers& on, const MachineRows& rows, Metric metric, const MachineEffort& effort,
                std::uint64_t seed, Checkpoint* checkpoint);

  const Matrix<double>& held_predictions() const { return held_predictions_; }  // the rows held out, in order
  double error() const { return error_; }                                       // their mean squared error
  std::string text() const;             // "exponent 1.20, 3000 landmarks (lambda 1e-6), 2 x 16 leaves (lambda 1e-4)"
  MapPtr refit() const;                 // the same on all rows
  void release() { ridge_ = nullptr; }  // frees the sums; a refit makes them again

  // 1 - k(x)'(K + lambda m I)^-1 k(x) of the rows held out: what a Gaussian process that knows the values at m of the
  // landmarks, which stand for all rows, does not know at x, as a share of what it did not know at first.
  std::vector<double> held_variances() const;
  MapPtr variance() const;  // the same, of rows as they are in `rows`

 private:
  MetricRows projected() const { return {u_.view(), rows_.rows.y, rows_.rows.weights}; }
  Matrix<float> projected(MatrixView<const float> x) const;
  LandmarkRidge& ridge() const;                          // made when it is first asked for
  std::vector<std::vector<std::size_t>> groups() const;  // targets that have all choices in common
  void set_size(std::size_t times);                      // that of the effort, or twice that
  void choose();
  void choose_lambda();
  void choose_leaves();
  bool wide() const;               // so many inputs that their leading directions stand for them
  bool learns_directions() const;  // the metric inside leaves is full, not diagonal
  std::optional<Metric> learnt_inside_leaves() const;
  void project(std::optional<Metric> inside);
  std::vector<double> choices() const;  // what a checkpoint keeps; take() restores it
  void take(const std::vector<double>& choices);
  bool leaves() const;
  double exponent() const { return inside_ ? inside_->q : metric_.q; }
  std::vector<std::uint32_t> all_rows() const;
  Matrix<double> residuals(const Map& landmarks, const MetricRows& rows) const;
  MapPtr projected_variance() const;

  const Workers& on_;
  const MachineRows& rows_;
  Metric metric_;  // as given
  MachineEffort effort_;
  std::uint64_t seed_;
  std::size_t size_ = 1;
  LeafOptions leaf_;
  std::vector<std::uint32_t> held_;
  Matrix<double> first_;  // the metric that was given, of many inputs its leading directions
  MapPtr project_;
  Matrix<float> u_;
  std::optional<Metric> inside_;          // learnt inside leaves: instead of first_, or of many inputs after it
  std::vector<std::uint32_t> landmarks_;  // rows' numbers
  mutable std::unique_ptr<LandmarkRidge> ridge_;
  MapPtr fitted_;
  std::vector<double> lambdas_, leaf_lambdas_;  // one per target; 0: no leaves
  Matrix<double> held_predictions_;
  double error_ = 0;
};

}  // namespace bochner
