// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "bochner/archive.h"
#include "bochner/execution.h"
#include "bochner/map.h"
#include "bochner/ranks.h"
#include "bochner/rows.h"
#include "run/compute.h"

namespace bochner {

enum class Precision { float32, float64 };

// Bytes for rows that are mapped and used at once, where `memory` is all there is (0: plenty).
std::size_t mapped_bytes(std::size_t memory);

// A fold that would rather map rows itself, a few at a time, where adds_unmapped() says so. float only.
template <class F>
concept AddsUnmapped = requires(F& fold, const Workers& on, const Map& map, const RowBlock<float>& x) {
  { std::as_const(fold).adds_unmapped() } -> std::same_as<bool>;
  fold.add_unmapped(on, map, x);
};

// A fold whose sums a device may have while a pass goes on: folds/gram.h.
template <class F>
concept SumsOnDevice = requires(F& fold, const Workers& on, const MapPtr& map) {
  { fold.begin_on_device(on, map) } -> std::same_as<bool>;
  fold.settle(on);
};

// Rows, the maps they go through, and how the work runs. fold() and each() are one pass over them.
class Stream {
 public:
  // The rows come as they are if map is null. The stream does not own `rows` or `threads`.
  Stream(Rows& rows, MapPtr map, Threads& threads, const Execution& execution,
         Precision precision = Precision::float32);

  std::size_t features() const;
  const Schema& schema() const { return rows_.schema(); }
  const MapPtr& map() const { return map_; }
  Threads& threads() const { return threads_; }
  std::size_t input_bytes() const {  // bytes of the unmapped rows if they lie in memory; 0 if unknown
    return rows_.memory_bytes(precision_ == Precision::float32 ? sizeof(float) : sizeof(double));
  }
  const Execution& execution() const { return execution_; }
  Precision precision() const { return precision_; }
  Workers workers() const { return workers_on(threads_); }

  // The same rows through one more map.
  Stream through(MapPtr next) const;

  // The rows as they are.
  Stream unmapped() const { return Stream(rows_, nullptr, threads_, execution_, precision_); }

  // The same without progress: for passes that are steps of something longer.
  Stream quiet() const {
    Stream same = *this;
    same.execution_.progress = nullptr;
    return same;
  }

  // The sum of all mapped rows, from an empty one; blocks are dense where there is a map and the fold does not map.
  template <class F>
  requires Fold<F, float> && Fold<F, double> F fold(F sum, const std::string& step = "")
  const {
    return over_ranks(std::move(sum), [&](F own) {
      const Stream rows = rows_for(own);
      BlockAdder<F> adder(own);
      rows.visit_blocks(
          step, [&](const auto& block) { rows.add_block(own, adder, block); }, 0);
      settle(own);
      return own;
    });
  }

  // fold() for a long pass: where the execution has a checkpoint, the sum is saved now and then between blocks, and a
  // resumed run goes on behind the rows it has seen. save(archive) may put views; load(archive) replaces the sum.
  template <class F>
  requires Fold<F, float> && Fold<F, double> F fold_saved(F sum, const std::string& step)
  const {
    return over_ranks(std::move(sum), [&](F own) {
      const Stream rows = rows_for(own);
      BlockAdder<F> adder(own);
      rows.visit_saved(step,
                       {[&](Archive& archive) {
                          settle(own);
                          own.save(archive);
                        },
                        [&](const Archive& archive) { own.load(archive); }},
                       [&](const auto& block) { rows.add_block(own, adder, block); });
      settle(own);
      return own;
    });
  }

  // visit(block) for every block in order, on the calling thread: for what is no sum, and so not for rows of several
  // ranks (std::invalid_argument). first_row: pass over the rows before it.
  template <class Visit>
  void each(const std::string& step, const Visit& visit, std::size_t first_row = 0) const {
    refuse_ranks(step);
    visit_blocks(step, visit, first_row);
  }

  struct Saved {
    std::function<void(Archive&)> save;
    std::function<void(const Archive&)> load;
  };
  // each() for a long pass, whose state is saved as in fold_saved().
  template <class Visit>
  void each_saved(const std::string& step, const Saved& state, const Visit& visit) const {
    refuse_ranks(step);
    visit_saved(step, state, visit);
  }

  // Rows mapped at a time: whole chunks that fit the cache of mapped rows.
  std::size_t block_rows() const { return block_rows(features(), precision_, execution_); }
  static std::size_t block_rows(std::size_t features, Precision precision, const Execution& execution);

 private:
  // The sum of this rank's rows, added to those of all others.
  template <class F, class Make>
  F over_ranks(F empty, const Make& make) const {
    if (!execution_.ranks) return make(std::move(empty));
    return reduce(*execution_.ranks, empty, [&] { return make(empty); });
  }
  void refuse_ranks(const std::string& step) const;

  template <class Visit>
  void visit_blocks(const std::string& step, const Visit& visit, std::size_t first_row) const {
    if (precision_ == Precision::float32)
      pass<float>(step, visit, first_row);
    else
      pass<double>(step, visit, first_row);
  }
  template <class Visit>
  void visit_saved(const std::string& step, const Saved& state, const Visit& visit) const {
    if (precision_ == Precision::float32)
      pass_saved<float>(step, state, visit);
    else
      pass_saved<double>(step, state, visit);
  }

  template <class T>
  using Visitor = std::function<void(const RowBlock<T>&)>;
  template <class T>
  void pass(const std::string& step, const Visitor<T>& visit, std::size_t first_row) const;
  template <class T>
  void pass_saved(const std::string& step, const Saved& state, const Visitor<T>& visit) const;

  // The same rows in the same blocks, but left as they are where the sum maps them.
  template <class F>
  Stream rows_for(F& sum) const {
    Stream same = *this;
    if constexpr (AddsUnmapped<F>)
      same.leaves_unmapped_ = map_ && precision_ == Precision::float32 && sum.adds_unmapped() &&
                              (threads_.device().is_processor() || begin_on_device(sum));  // or it maps whole blocks
    return same;
  }
  template <class F>
  bool begin_on_device(F& sum) const {
    if constexpr (SumsOnDevice<F>) return sum.begin_on_device(workers(), map_);
    return false;
  }
  template <class F>
  void settle(F& sum) const {
    if constexpr (SumsOnDevice<F>) sum.settle(workers());
  }
  template <class F, class T>
  void add_block(F& sum, BlockAdder<F>& adder, const RowBlock<T>& block) const {
    if constexpr (AddsUnmapped<F> && std::is_same_v<T, float>)
      if (leaves_unmapped_) return sum.add_unmapped(workers(), *map_, block);
    adder.add(workers(), block);
  }

  Rows& rows_;
  MapPtr map_;
  bool leaves_unmapped_ = false;
  Threads& threads_;
  Execution execution_;
  Precision precision_;
};

}  // namespace bochner
