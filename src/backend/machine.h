// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

namespace bochner {

// What decides the last bits of sums in floating point on this machine: the instruction set that our code uses and the
// kernels that OpenBLAS chose. "neon, OpenBLAS neoversev1"
std::string machine_name();

}  // namespace bochner
