// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bochner {

// The rows of each group, groups in the order of their first rows. No numbers of groups: all rows are of one.
std::vector<std::vector<std::size_t>> rows_by_group(std::span<const std::uint64_t> groups, std::size_t rows);

// What a grade is worth in NDCG.
std::vector<double> gains_of(std::span<const double> grades);
double discount_at(std::size_t place);                       // place: from 0
double best_dcg(std::vector<double> gains, std::size_t at);  // the best order's

}  // namespace bochner
