// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

namespace bochner {

// A library of ours that not every machine can have: where the variable of the environment says, or beside the program
// or library that this code is in, or where the system looks. Null: it was not found. global: its own libraries see
// each other.
void* open_plugin(const std::string& library, const char* variable, bool global = false);

// A function that it has; null: none of that name.
void* plugin_function(void* plugin, const char* name);

}  // namespace bochner
