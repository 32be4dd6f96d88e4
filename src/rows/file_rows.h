// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "bochner/rows.h"

namespace bochner {

// Rows that are read from a file.
class FileRows {
 public:
  virtual ~FileRows() = default;
  virtual std::string path() const = 0;
};

// What errors call these rows: the path of their file, or "rows".
inline std::string source_of(const Rows& rows) {
  const auto* const file = dynamic_cast<const FileRows*>(&rows);
  return file ? file->path() : "rows";
}

}  // namespace bochner
