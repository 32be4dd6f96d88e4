// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <vector>

#include "bochner/train.h"
#include "folds/survey.h"

namespace bochner {

// Numbers that lie close together far from zero (dates in milliseconds, say) lose their differences when they are
// rounded to float. Such inputs have an offset subtracted in double first.

// Whether a survey of float rows shows an input that may have lost digits: a range or a middle half far narrower than
// its size, or one value other than zero.
bool may_lose_digits(const Survey& survey);

// What an offset shall save: digits that tell values apart, those of points which a method keeps as floats even if rows
// are double, or also those of squares, for a method whose results stay the same wherever zero is.
enum class Saved { values, points, squares };
// points if a model keeps rows as floats, to be compared with others: landmarks or neighbours. values otherwise.
Saved saved_digits(const TrainOptions& options);

// The offset of each input, from a survey of the rows in double: the median if float would lose what shall be saved, 0
// otherwise. Empty: all are 0.
std::vector<double> column_offsets(const Survey& exact, Saved saved = Saved::values);

// The offset of each target of a regression: the median if predictions in float would lose what tells targets apart, 0
// otherwise. Empty: all are 0.
std::vector<double> target_offsets(const Survey& survey);

// Refuses sparse rows, which cannot be shifted, with an input that loses what tells its values apart:
// Error::Kind::data.
void refuse_lost_inputs(const Survey& exact);

// The survey of float rows as `seen` has it, or shifted by offsets (in its schema) where that saves digits.
// in_double: a survey of the same rows in double; only asked for where it may matter.
Survey settle_offsets(Survey seen, const std::function<Survey()>& in_double, Saved saved = Saved::values);

// "t_ms - 1700001798123" and so on, the first few; for people.
std::string offsets_text(const Schema& schema);

}  // namespace bochner
