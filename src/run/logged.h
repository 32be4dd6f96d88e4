// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bochner {

class Checkpoint;

// checkpoint->logged() where there is a checkpoint.
std::vector<double> logged(Checkpoint* checkpoint, const std::string& what, std::size_t size,
                           const std::function<std::vector<double>()>& make);

// A count that a file kept among other numbers, from `least` to `most`; any other is refused: the file was altered.
std::uint64_t kept_count(double number, double least = 0, double most = 0x1p53);

}  // namespace bochner
