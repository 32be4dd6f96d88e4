// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

namespace bochner {

// Becomes the program `bochner-NAME` of PATH, where NAME is the first word and the rest are its arguments. Returns if
// there is no such program. A name that is empty, begins with '-' or has a '/' never leads to one.
void become_outside_command(std::vector<std::string> words);

}  // namespace bochner
