// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

namespace bochner {

// Null where this processor runs bochner, else one line that says what it lacks. On x86-64 the library is compiled for
// x86-64-v2 (SSE4.2 and POPCNT: Intel since 2009, AMD since 2011) and picks wider instructions at run time; on an older
// processor any other call may end in an illegal instruction. This one runs on every x86-64.
const char* processor_fault() noexcept;

}  // namespace bochner
