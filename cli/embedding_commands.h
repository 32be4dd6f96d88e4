// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "commands.h"

namespace bochner {

// The commands about whole samples of rows, as those of commands.h.
void add_drift(CLI::App& app, Job& job);
void add_reduce(CLI::App& app, Job& job);

}  // namespace bochner
