// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/backend.h"
#include "base/threads.h"

namespace bochner {

// Who does the work of a fold: the block operations and the threads that share them out.
struct Workers {
  const Backend& ops;
  Threads& threads;
};

// Rows are summed in chunks whose edges are multiples of this global row number: within a chunk in floating
// point, across chunks exactly. So sums do not depend on how rows were split into blocks or among threads.
constexpr std::size_t kChunkRows = 1024;

}  // namespace bochner
