// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace bochner {

// For each of the outputs the t > 0 at which its growing slope is 0, to a hundredth of the slope at t = 0; 0 for
// others of the K and where the slope is not negative at 0. By the secant within a bracket (the Illinois rule), all
// side by side: slopes(t) gives K slopes at K places. steep: they may grow by many powers of ten.
std::vector<double> line_roots(const std::function<std::vector<double>(const std::vector<double>& t)>& slopes,
                               std::size_t K, std::span<const std::size_t> outputs, bool steep = false);

}  // namespace bochner
