// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>

#include "rows/text_rows.h"

namespace bochner {

// A line of svmlight: [label] [qid:number] index:value ... [# comment].

// The first word of a line with something on it; null and p at the next line when there is none.
const char* svmlight_line(const char*& p);

enum class LabelWord { number, none, bad };  // none: the line begins with index:value

// The label at p, which moves behind it. A complaint goes with `bad`.
LabelWord svmlight_label(const char*& p, double& label, Complaint& complaint);

enum class FeatureWord { feature, end, bad };

// The next index:value of the line; at its end p moves to the next line. Explicit zeros are passed on.
template <class T>
FeatureWord svmlight_feature(const char*& p, std::uint64_t& index, T& value, Complaint& complaint);

}  // namespace bochner
