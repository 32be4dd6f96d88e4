// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   spell_options(OptionSpelling::flags);  // a command: "raise --memory" instead of "raise memory"

namespace bochner {

// How messages name options: as the fields of RowsOptions, TrainOptions and their like (`max_levels`), which is usual,
// or as the flags of the command (`--max-levels`).
enum class OptionSpelling { fields, flags };

// For the whole program, which says it once, at its start. Thread-safe.
void spell_options(OptionSpelling spelling);

}  // namespace bochner
