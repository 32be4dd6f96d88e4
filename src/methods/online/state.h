// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "bochner/online.h"
#include "methods/online/kept_sum.h"
#include "methods/online/row_sums.h"
#include "model/train_keeping.h"

namespace bochner {

struct OnlineModel::State {
  Model model;
  KeptSum sum;
};

// Refuses rows that were read by another schema.
void check_schema(const Rows& rows, const Schema& schema);

// The sums of rows, and their marks if the model keeps some.
struct Part {
  RowSums sums;
  std::optional<RowMarks> marks;
  std::vector<RowMark> in_order;
};
// Those of rows by the choices of a model. ids: as update() has them; step: for messages and progress.
Part part_of(const OnlineModel::State& state, Rows& rows, const Execution& execution, KeptCells* ids, const char* step);
// Adds the sums of rows; subtract() takes them out. Marks stay as they are.
void add(KeptSum& kept, const Part& part);
void subtract(KeptSum& kept, const Part& part);

// JSON of texts that may be no UTF-8, such as names of columns and files.
template <class Json>
std::string dump_of_any(const Json& tree, int indent = -1) {
  return tree.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// What the options left to the rows, and what they chose themselves. from: what to call the rows.
std::vector<Choice> choices_made(const TrainOptions& options, const Model& model, const KeptFit& kept,
                                 const std::string& from);

// The model of the sums, by the choices of `like`: a pure function of both.
Model solved_again(const Model& like, const KeptSum& kept, const Execution& execution);
// The same of a state; what is wrong with its sums is said with the step.
Model solved_or_said(const OnlineModel::State& state, const Execution& execution, const char* step);

}  // namespace bochner
