// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>

#include "base/threads.h"
#include "bochner/rows.h"

namespace bochner {

// Rows whose inputs may lie in their file as bytes, whole numbers from 0 to 255, in the order of the rows and nothing
// between: those are read as they are, by all threads.
class ByteRows {
 public:
  virtual ~ByteRows() = default;
  virtual bool holds_bytes() const = 0;
  virtual void read_bytes(Threads& threads, std::uint8_t* out) const = 0;  // all rows, wherever a pass is
};

// Null: the inputs do not lie in a file so.
const ByteRows* bytes_of(const Rows& rows);

}  // namespace bochner
