// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

namespace bochner {

// The most threads that any team of this program has had: so many may call the same library at once.
int largest_team() noexcept;

}  // namespace bochner
