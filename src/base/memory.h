// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

namespace bochner {

// What we may hold when nobody says: three quarters of the memory the machine has available now.
std::size_t default_memory();

}  // namespace bochner
