// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <string>

namespace bochner {

// What went wrong where bytes that reduce_made() has put together are a failure.
std::optional<std::string> failure_of(const std::string& reduced);

}  // namespace bochner
