// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/archive.h"
#include "folds/binned_sum.h"

// Binned sums in an archive: the place of the first and the counts of each. Reading refuses what no sum can hold.
namespace bochner {

void put_sums(Archive& archive, const std::string& name, const std::vector<BinnedSum>& sums);
std::vector<BinnedSum> get_sums(const Archive& archive, const std::string& name, std::size_t count);

}  // namespace bochner
