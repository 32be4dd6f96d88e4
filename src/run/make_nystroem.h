// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>

#include "maps/nystroem.h"

namespace bochner {

// The map of these landmarks less those that tolerance leaves out, in the order of their pivots.
std::shared_ptr<const NystroemMap> make_nystroem(const Backend& on, const Kernel& kernel,
                                                 const Matrix<float>& landmarks, double tolerance,
                                                 const std::string& chosen_by);

}  // namespace bochner
