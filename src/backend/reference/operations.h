// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/backend.h"

namespace bochner::reference {

// The specification: plain loops, double inside.
struct Operations {
#include "backend/operations-inl.h"
};

}  // namespace bochner::reference
