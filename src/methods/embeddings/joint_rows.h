// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/rows.h"

namespace bochner {

// Two files read by one schema, made of both.
struct JointRows {
  std::unique_ptr<Rows> first, second;
  std::uint64_t rows[2] = {0, 0};
  std::vector<std::string> only_first, only_second;  // columns, which are then ignored
  std::vector<std::string> notes;
};

// Columns meet by name where both files have a header, otherwise by place. What is text in one is text in both; levels
// are those of both; a missing number is the mean of both, and marked unless the options say what else to do.
JointRows open_both(const std::string& first, const std::string& second, const RowsOptions& options);

// What is subtracted from inputs whose numbers are far from 0, since float would lose their differences: their means,
// which the schema has. Empty: nothing.
std::vector<double> offsets_of(const Schema& schema);

}  // namespace bochner
