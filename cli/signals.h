// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

namespace bochner {

// Ctrl-C and the like end the program at once with 128 + signal and remove unfinished output. A closed pipe becomes an
// error of write().
void catch_signals();

}  // namespace bochner
