// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>

#include "bochner/ranks.h"
#include "bochner/rows.h"

namespace bochner {

// What may travel: inputs, targets and weights of all ranks' rows as doubles. It is a constant, since every rank draws
// the same rows whatever its memory.
inline constexpr double kMostGatheredBytes = 1 << 28;

// The rows of all ranks in memory, in order, for what is no sum over them: each rank packs its own, and one sum puts
// them together. Of more rows than most_bytes hold a share is drawn by their numbers. They are numbered anew from 0.
std::unique_ptr<Rows> gathered_rows(Rows& rows, std::uint64_t seed, Ranks& ranks,
                                    double most_bytes = kMostGatheredBytes);

}  // namespace bochner
