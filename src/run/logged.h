// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bochner {

class Checkpoint;

// checkpoint->logged() where there is a checkpoint.
std::vector<double> logged(Checkpoint* checkpoint, const std::string& what, std::size_t size,
                           const std::function<std::vector<double>()>& make);

}  // namespace bochner
