// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bochner/checkpoint.h"
#include "bochner/train.h"

namespace bochner::fuzzing {

// Small trainings by the options of `train`.
inline constexpr std::size_t kTrainings = 8;
TrainOptions training(std::size_t which);
std::unique_ptr<Rows> small_rows(Task task = Task::classification);
// Sequences of eight rows, of one class each, or without classes.
std::unique_ptr<Rows> small_sequences(bool classes);
std::vector<std::size_t> sequence_begins();

// Those, a mixture, a hidden Markov model, k-means, a factor and the automatic machine: between them they save every
// kind of checkpoint.
inline constexpr std::size_t kCheckpointed = kTrainings + 5;
void run_checkpointed(std::size_t which, const CheckpointOptions& checkpoint, const std::function<bool()>& cancel);

// What a training of that kind saved when it was stopped in the middle.
struct SavedCheckpoint {
  std::string log, state;  // bytes; state may be empty
};
SavedCheckpoint stopped_checkpoint(std::size_t which);

// The path of an index of three documents, made at the first call.
const std::string& small_documents();

// A few rows with targets, as a schema has them.
class Known {
 public:
  explicit Known(const Schema& schema, std::size_t rows = 6);
  std::unique_ptr<Rows> rows() const;

 private:
  Schema schema_;
  Matrix<float> x_;
  Matrix<double> y_;
};

}  // namespace bochner::fuzzing
