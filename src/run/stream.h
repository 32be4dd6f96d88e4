// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "backend/workers.h"
#include "base/archive.h"
#include "bochner/execution.h"
#include "bochner/map.h"
#include "bochner/rows.h"

namespace bochner {

enum class Precision { float32, float64 };

// Bytes for rows that are mapped and used at once, where `memory` is all there is (0: plenty).
std::size_t mapped_bytes(std::size_t memory);

// Rows, the maps they go through, and how the work runs. fold() is one pass: the only loop over data in the program.
class Stream {
 public:
  // Without a map the rows come as they are. The stream does not own `rows` or `threads`.
  Stream(Rows& rows, MapPtr map, Threads& threads, const Execution& execution,
         Precision precision = Precision::float32);

  std::size_t features() const;
  const Schema& schema() const { return rows_.schema(); }
  const MapPtr& map() const { return map_; }
  Threads& threads() const { return threads_; }
  std::size_t input_bytes() const {  // of the rows as they are, if they lie in memory; 0 when unknown
    return rows_.memory_bytes(precision_ == Precision::float32 ? sizeof(float) : sizeof(double));
  }
  const Execution& execution() const { return execution_; }
  Precision precision() const { return precision_; }
  Workers workers() const { return {cpu_backend(), threads_}; }

  // The same rows through one more map.
  Stream through(MapPtr next) const;

  // The rows as they are.
  Stream unmapped() const { return Stream(rows_, nullptr, threads_, execution_, precision_); }

  // f.add(workers, block) for every block of mapped rows, in order; blocks are dense where there is a map.
  template <class Fold>
  Fold fold(Fold f, const std::string& step = "") const {
    each(step, [&](const auto& block) { f.add(workers(), block); });
    return f;
  }

  // fold() for a long pass: where the execution has a checkpoint, f is saved now and then between blocks, and a
  // resumed run goes on behind the rows it has seen. f.save(archive) may put views; f.load(archive) replaces f.
  template <class Fold>
  Fold fold_saved(Fold f, const std::string& step) const {
    const SavedFold saved{[&](Archive& archive) { f.save(archive); },
                          [&](Archive archive) { f.load(std::move(archive)); }};
    if (!execution_.checkpoint) return fold(std::move(f), step);
    if (precision_ == Precision::float32)
      pass_saved<float>(step, saved, [&](const RowBlock<float>& block) { f.add(workers(), block); });
    else
      pass_saved<double>(step, saved, [&](const RowBlock<double>& block) { f.add(workers(), block); });
    return f;
  }

  // As fold, for whoever only looks at the blocks (writing predictions, say). first_row: pass over the rows
  // before it.
  template <class Visit>
  void each(const std::string& step, const Visit& visit, std::size_t first_row = 0) const {
    if (precision_ == Precision::float32)
      pass<float>(step, visit, first_row);
    else
      pass<double>(step, visit, first_row);
  }

  // Rows mapped at a time: whole chunks that fit the cache of mapped rows.
  std::size_t block_rows() const { return block_rows(features(), precision_, execution_); }
  static std::size_t block_rows(std::size_t features, Precision precision, const Execution& execution);

 private:
  template <class T>
  using Visit = std::function<void(const RowBlock<T>&)>;
  template <class T>
  void pass(const std::string& step, const Visit<T>& visit, std::size_t first_row) const;

  struct SavedFold {
    std::function<void(Archive&)> save;
    std::function<void(Archive)> load;
  };
  template <class T>
  void pass_saved(const std::string& step, const SavedFold& fold, const Visit<T>& add) const;

  Rows& rows_;
  MapPtr map_;
  Threads& threads_;
  Execution execution_;
  Precision precision_;
};

}  // namespace bochner
