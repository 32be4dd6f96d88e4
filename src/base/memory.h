// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

namespace bochner {

// The limit where none is given: three quarters of what the machine, or our container, has available now.
std::size_t default_memory();

// Gives memory that was freed back to the machine, where the allocator would keep it.
void release_freed_memory();

// For memory that is large and about to be written from end to end: large pages save the time of many faults.
void use_large_pages(void* data, std::size_t bytes);

}  // namespace bochner
