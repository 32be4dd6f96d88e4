// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "bochner/evaluation.h"
#include "options.h"

namespace bochner {

// Whether a model is of sequences: a hidden Markov model.
bool is_of_sequences(const Model& model);

// Its rows and where sequences begin are read apart, so that the file may be no pipe.
// Lines for people or programs: the class of each sequence, or the state of each row. Returns how many.
struct SequenceWords {
  std::string file, output;
  bool scores = false, names = false;
};
std::size_t write_sequences(const Model& model, const SequenceWords& words, const RowsOptions& reading,
                            const Execution& execution);

// The score counts sequences. count: how many rows they have.
Evaluation evaluate_sequences(const Model& model, const std::string& file, const RowsOptions& reading,
                              const Execution& execution, std::uint64_t& count);

}  // namespace bochner
