// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/watch.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/require.h"
#include "methods/online/drift_bets.h"
#include "methods/online/state.h"
#include "rows/shifted.h"

namespace bochner {

namespace {

// Rows that stay in memory until they leave the window.
template <class T>
struct Batch {
  Matrix<T> x;
  Matrix<double> y;
  std::vector<double> weights;  // empty: all rows weigh 1
  std::size_t first = 0;        // rows before it have left

  explicit Batch(const RowBlock<T>& block) : x(block.rows, block.cols), y(block.rows, block.target_count) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::copy_n(block.values + i * block.stride, block.cols, x.view().row(i));
      std::copy_n(block.targets + i * block.target_count, block.target_count, y.view().row(i));
    }
    if (block.weights) weights.assign(block.weights, block.weights + block.rows);
  }
  std::size_t rows() const { return x.rows() - first; }
  std::unique_ptr<Rows> read(std::size_t count, const Schema& schema) const {
    RowBlock<T> all = RowBlock<T>::dense(x.view());
    all.targets = y.data();
    all.target_count = y.cols();
    if (!weights.empty()) all.weights = weights.data();
    return memory_rows<T>(all.slice(first, count), schema);
  }
};

// How strange a row's predictions are, and its loss.
struct Judged {
  double score = 0, loss = 0;
};

Judged judged(const Model& model, const double* predicted, const double* target) {
  const std::size_t outputs = model.outputs();
  Judged row;
  if (model.schema().task == Task::regression) {
    for (std::size_t k = 0; k < outputs; ++k)
      row.loss += (predicted[k] - target[k]) * (predicted[k] - target[k]) / double(outputs);
    row.score = row.loss;
    return row;
  }
  const auto label = std::size_t(target[0]);
  if (outputs == 1) {
    row.score = label == 1 ? -predicted[0] : predicted[0];
    row.loss = (predicted[0] > 0) == (label == 1) ? 0 : 1;
    return row;
  }
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < outputs; ++k)
    if (k != label) best = std::max(best, predicted[k]);
  row.score = best - predicted[label];
  row.loss = std::size_t(std::max_element(predicted, predicted + outputs) - predicted) == label ? 0 : 1;
  return row;
}

template <class T>
class Watch {
 public:
  Watch(OnlineModel& model, Rows& stream, const WatchOptions& options)
      : state_(model.state()),
        rows_(with_offsets(stream, state_.model.schema().offsets, shifted_)),
        options_(options),
        reference_(state_.model),
        bets_(options.seed) {
    if (options.window > 0) before_ = Part{{state_.sum.gram, state_.sum.class_rows}, {}, {}};
  }

  void run(const std::function<void(const Watched&)>& tell) {
    RowBlock<T> block;
    rows_.rewind();
    while (rows_.next(options_.every, block)) {
      require(!block.sparse(), "watch: found sparse rows, expected columns");
      require(block.targets != nullptr, "watch: the rows have no target, expected it: rows are scored by it");
      Batch<T> batch(block);
      Watched seen = look(batch);
      learn(std::move(batch));
      seen.kept = state_.sum.gram.rows();
      if (seen.alarm) reference_ = state_.model;
      tell(seen);
    }
  }

 private:
  Watched look(const Batch<T>& batch) {
    Watched seen;
    const Matrix<double> now = state_.model.predict(*batch.read(batch.rows(), rows_.schema()), options_.execution);
    const Matrix<double> then = reference_.predict(*batch.read(batch.rows(), rows_.schema()), options_.execution);
    double loss = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      const double* const target = batch.y.view().row(i);
      loss += judged(state_.model, now.view().row(i), target).loss;
      log_evidence_ = bets_.add(judged(reference_, then.view().row(i), target).score);
      if (log_evidence_ < -std::log(options_.level)) continue;
      if (!seen.alarm) seen.alarm = seen_ + i;
      seen.evidence = std::max(seen.evidence, std::exp(log_evidence_));
      bets_.restart();
    }
    seen_ += batch.rows();
    loss_ += loss;
    seen.rows = seen_;
    seen.loss = loss / double(batch.rows());
    seen.mean_loss = loss_ / double(seen_);
    if (!seen.alarm) seen.evidence = std::exp(log_evidence_);
    return seen;
  }

  void learn(Batch<T> batch) {
    add(state_.sum, part(batch, batch.rows()));
    if (options_.window > 0) {
      held_ += batch.rows();
      window_.push_back(std::move(batch));
      if (before_ && held_ >= options_.window) {
        subtract(state_.sum, *before_);
        before_.reset();
      }
      while (held_ > options_.window) drop_oldest();
    }
    check_room(state_.sum.gram);
    const std::vector<std::uint64_t>& classes = state_.sum.class_rows;
    const auto kinds = std::count_if(classes.begin(), classes.end(), [](std::uint64_t n) { return n > 0; });
    if (classes.empty() || kinds > 1) state_.model = solved_or_said(state_, options_.execution, "watch");
  }

  void drop_oldest() {
    Batch<T>& oldest = window_.front();
    const std::size_t count = std::min<std::uint64_t>(oldest.rows(), held_ - options_.window);
    subtract(state_.sum, part(oldest, count));
    oldest.first += count;
    held_ -= count;
    if (oldest.rows() == 0) window_.pop_front();
  }

  Part part(const Batch<T>& batch, std::size_t count) const {
    return part_of(state_, *batch.read(count, rows_.schema()), options_.execution, nullptr, "watch");
  }

  std::unique_ptr<Rows> shifted_;
  OnlineModel::State& state_;
  Rows& rows_;
  const WatchOptions& options_;
  Model reference_;
  DriftBets bets_;
  std::optional<Part> before_;  // the sums of the rows before the stream, until the window is full
  std::deque<Batch<T>> window_;
  std::uint64_t held_ = 0, seen_ = 0;
  double loss_ = 0, log_evidence_ = 0;
};

}  // namespace

void watch(OnlineModel& model, Rows& stream, const WatchOptions& options,
           const std::function<void(const Watched&)>& tell) {
  require(options.every > 0, "watch: every is 0, expected 1 row or more");
  require(options.level > 0 && options.level < 1, "watch: the level is {}, expected a number between 0 and 1",
          options.level);
  require(model.ids().empty(), "watch: the model keeps marks of rows, expected one without");
  if (model.model().double_precision())
    Watch<double>(model, stream, options).run(tell);
  else
    Watch<float>(model, stream, options).run(tell);
}

}  // namespace bochner
