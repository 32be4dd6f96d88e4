// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/machine.h"

#include "backend/cpu/targets.h"
// After targets.h, which says what Highway builds for.
#include <cblas.h>
#include <fmt/format.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cctype>

namespace bochner {

std::string machine_name() {
  std::string name = fmt::format("{}, OpenBLAS {}", hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()),
                                 openblas_get_corename());
  const std::size_t own = name.find(',');  // OpenBLAS spells its own
  std::transform(name.begin(), name.begin() + std::ptrdiff_t(own), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return name;
}

}  // namespace bochner
