// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>

#include "bochner/rows.h"
#include "rows/chunk_reader.h"

namespace bochner {

// A few bytes can claim a row of a gigabyte or an input number of two billion: what reading takes by such a claim is
// held against the memory allowed before it is taken.

// What reading may take: RowsOptions::memory, or what the machine has to spare.
std::size_t reading_memory(const RowsOptions& options);

// The sizes with a bound on a row of text and on what decompression takes. A row is there several times: in the buffer
// while that grows, and as numbers.
ChunkSizes bounded(ChunkSizes sizes, const RowsOptions& options);

// The least bytes held for an input of sparse rows, a column of an array and a column of text.
inline constexpr std::size_t kSparseInputBytes = 200, kArrayColumnBytes = 600, kTextColumnBytes = 2500;

// Whether so many columns leave no room. columns: found at `place`, "file:1:1".
bool too_wide(std::size_t columns, std::size_t column_bytes, std::size_t memory);
void check_width(const std::string& place, std::size_t columns, std::size_t column_bytes, const RowsOptions& options);

// "500M"
std::string memory_text(std::size_t bytes);

}  // namespace bochner
