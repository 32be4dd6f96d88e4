// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "train_words.h"

namespace bochner {

// `bochner train` with --keep-sum or --choices-of.
void train_kept(const Command& command, const TrainWords& words);

}  // namespace bochner
