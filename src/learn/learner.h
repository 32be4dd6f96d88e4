// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/learner.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// "svm", "hard-svm", ...
const char* learner_name(Learner learner);

// Refuses what no data could mend: targets of the wrong kind, C and lambda at once, numbers out of range.
void check_learner(const Schema& schema, const LearnerOptions& options);

// Refuses to learn classes from rows of one: Error::Kind::data. class_rows: of each class; empty: not counted yet.
void check_classes(const Schema& schema, const std::vector<std::uint64_t>& class_rows, const std::string& place);

// Every learner but ridge, on the stream's features kept in memory. Where C is to be chosen, rows held out (or the
// validation rows) choose it and give the score; a single C is used as it is, on all rows.
Fitted fit_learner(const Stream& stream, const Survey& survey, const LearnerOptions& options,
                   const Stream* validation = nullptr);

}  // namespace bochner
