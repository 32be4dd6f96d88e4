// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/operations.h"
#include "backend/cpu/target_choice.h"

namespace bochner {

const Backend& cpu_backend() {
  static const BackendOf<cpu::Operations> backend = (cpu::choose_target(), BackendOf<cpu::Operations>());
  return backend;
}

}  // namespace bochner
