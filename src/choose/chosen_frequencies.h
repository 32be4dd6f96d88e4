// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "bochner/map_kind.h"

namespace bochner {

// Frequencies that the rows choose: five times as many as are wanted are drawn, and those are kept that have the
// largest coefficients in a ridge on all of them, which kernel ridge finds without forming them at once. Returns the
// numbers of the draws, in order; none if there are too few rows to choose by.
std::vector<std::uint64_t> chosen_frequencies(const MapRequest& request, const FourierOptions& options);
// What is held meanwhile.
double chosen_frequencies_bytes(std::size_t inputs, const FourierOptions& options);

}  // namespace bochner
