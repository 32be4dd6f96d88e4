// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/rows.h"

namespace bochner {

// Rows that are a view of memory which somebody holds: another pass over them reads no file.
struct InMemory {};

inline bool lies_in_memory(const Rows& rows) { return dynamic_cast<const InMemory*>(&rows) != nullptr; }

}  // namespace bochner
