// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "commands.h"

namespace bochner {

// `bochner completion SHELL` and `bochner manual FOLDER`, which write what the tables of the other commands say. The
// help does not list them: an installation has what they write.
void add_completion(Command& app, Job& job);
void add_manual(Command& app, Job& job);

}  // namespace bochner
