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

}  // namespace bochner
