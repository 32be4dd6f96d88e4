// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/backend.h"

namespace bochner::cpu {

// Highway and single-threaded OpenBLAS.
struct Operations {
#include "backend/operations-inl.h"
};

}  // namespace bochner::cpu
