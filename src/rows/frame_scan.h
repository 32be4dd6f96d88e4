// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/frame.h"

namespace bochner {

struct FrameScan {
  Schema schema;
  CellCounts counts = {};
  std::vector<std::string> notes = {};
};

// Looks at every cell once and learns what the columns of a frame hold.
FrameScan scan_frame(const Frame& frame, const RowsOptions& options);

// The names of a frame's columns, as a file with this header would have them.
std::vector<std::string> frame_names(const Frame& frame);

}  // namespace bochner
