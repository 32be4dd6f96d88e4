// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "folds/survey.h"

namespace bochner {

// What is odd about columns, a line each: inputs that never vary, that count the rows of their file, and offsets that
// are subtracted before numbers are rounded to float.
std::vector<std::string> constants_notes(const Schema& schema, const Survey& survey,
                                         const std::vector<std::size_t>& constants);
std::vector<std::string> counters_notes(const Schema& schema, const Survey& survey);
std::string offsets_note(const Schema& schema);
std::vector<std::string> column_notes(const Schema& schema, const Survey& survey);  // all of them

}  // namespace bochner
