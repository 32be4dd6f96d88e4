// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Learn learn = [](Rows& rows, const Execution& execution) {
//     return train(rows, {.features = 100, .execution = execution});
//   };
//   const std::vector<std::string> files = {"a.csv", "b.csv"};
//   Rounds rounds("features=100", files.size(), learn);
//   while (!rounds.done()) {
//     const std::string plan = rounds.plan();  // bytes, which tasks anywhere take
//     for (const std::size_t p : rounds.missing())
//       rounds.add(run_task(plan, p, file_partition(files[p], {.targets = {"y"}}), learn));
//   }
//   rounds.model().save("rounds.model");

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/execution.h"
#include "bochner/frame.h"
#include "bochner/model.h"
#include "bochner/parts.h"
#include "bochner/rows.h"

namespace bochner {

// Training as rounds of sums over partitions of the rows, which any engine may drive: a round is a plan, one task for
// each partition, in any order and place, and a merge. Tasks keep nothing between rounds and do not know of each other:
// one that fails or is lost is run again. What is learnt is any training that passes over rows by sums alone, as on
// ranks (bochner/ranks.h). The model has the same bytes however the work was shared out.

// Sequences of a partition's rows, each of which lies whole in it.
struct PartSequences {
  std::vector<std::size_t> starts = {};   // where they begin; the first is 0
  std::vector<std::uint64_t> names = {};  // hashes that no two sequences share; empty: they have no names
};
PartSequences named_sequences(std::vector<std::size_t> starts, const std::vector<std::string>& names);

// Rows that never meet those of other partitions, opened anew wherever they are needed.
struct Partition {
  std::function<PartName()> name = {};         // number: a hash of what it holds; 0: of no rows
  std::function<std::uint64_t()> glance = {};  // a hash that is cheap, to notice in each round that rows are others
  // Learns the schema. No function, or none returned: there are no rows.
  std::function<std::unique_ptr<Rows>()> scan = {};
  std::function<std::unique_ptr<Rows>(const Schema& schema)> read = {};
  std::function<PartSequences(const Schema& schema)> sequences = {};  // for hmm(), which learns from whole sequences
};
Partition file_partition(const std::string& path, const RowsOptions& options);
// The same, read by the schema of a model: for Model::examine() of the rows of all partitions.
Partition file_partition(const std::string& path, const Schema& schema, const RowsOptions& options = {});
// A view of the frame's cells. Classes are told by the frame's labels, which may be those of its own rows alone.
Partition frame_partition(const Frame& frame, const RowsOptions& options = {});

// Learns from the rows of all partitions. It must choose by the rows, the options and nothing else, and hand over the
// execution, whose ranks join the sums. No model: what is found is kept by the function, which only the driver runs to
// its end: scores (Model::examine), embeddings (embed), drift (drift_of_partitions).
using Learn = std::function<std::optional<Model>(Rows& rows, const Execution& execution)>;

// Who drives. Not thread-safe.
class Rounds {
 public:
  // what: words of the caller's own that say what is learnt; they travel with the plan. name: a text that no job of
  // other rows has; none: drawn.
  Rounds(const std::string& what, std::size_t partitions, Learn learn, const Execution& execution = {},
         const std::string& name = "");
  // Where state() was taken. Error::Kind::model unless the bytes are whole and valid.
  static Rounds of_state(std::string_view state, Learn learn, const Execution& execution = {});
  Rounds(Rounds&&) noexcept;
  Rounds& operator=(Rounds&&) noexcept;
  ~Rounds();

  bool done() const;
  std::size_t round() const;  // the first is 0
  std::size_t partitions() const;
  std::vector<std::size_t> missing() const;  // partitions that this round has not got yet, ascending
  std::string plan() const;                  // what a task of this round is given
  // A task's result. False: this round has the same from this partition, which counts once. Error::Kind::data, and
  // nothing has changed: the result is altered, of another job or round, says something else than before about its
  // partition, has the rows of another partition, or cannot be joined with the others. What the last result of a round
  // lets the training throw ends the job: plan(), add() and model() throw it again.
  bool add(const std::string& result);
  const Model& model() const;  // once done, if one is learnt
  std::string state() const;   // all of it, as bytes

 private:
  struct State;
  explicit Rounds(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a plan or a state says is learnt.
std::string what_is_learnt(std::string_view plan);

// A task: what the partition's rows add to the sum of the plan's round. Training that a process has gone through for
// one task is kept for its next ones. Threads may run tasks at the same time.
std::string run_task(std::string_view plan, std::size_t index, const Partition& partition, const Learn& learn,
                     const Execution& execution = {});

}  // namespace bochner
