// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/byte_rows.h"

namespace bochner {

const ByteRows* bytes_of(const Rows& rows) {
  const auto* file = dynamic_cast<const ByteRows*>(&rows);
  return file && file->holds_bytes() ? file : nullptr;
}

}  // namespace bochner
