// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

namespace bochner {

// Whether two names differ in small and capital letters only.
bool same_letters(const std::string& a, const std::string& b);

// For a name that is not among these: "did you mean usr?", or what there is to choose from.
std::string near_names(const std::string& wanted, const std::vector<std::string>& names);

// "a, b, c, ..., y, z": the usual target is among the first or the last.
std::string both_ends(const std::vector<std::string>& names);

}  // namespace bochner
