// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/machine.h"

#include <fmt/format.h>

#include "backend/cpu/blas.h"
#include "backend/cpu/target_choice.h"

namespace bochner {

std::string machine_name() { return fmt::format("{}, OpenBLAS {}", cpu::target_in_use(), blas::kernels()); }

}  // namespace bochner
