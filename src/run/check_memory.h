// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "bochner/execution.h"

namespace bochner {

// Refuses what takes more than the execution allows: std::invalid_argument with the remedy. What this process holds
// already is no reason to refuse: it may be the same.
void check_memory(const std::string& what, double bytes, const Execution& execution, const std::string& remedy);

}  // namespace bochner
