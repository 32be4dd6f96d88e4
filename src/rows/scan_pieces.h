// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "base/threads.h"
#include "rows/text_rows.h"

namespace bochner {

// One pass over a text file for a scan: scan(begin, end, part) on the pieces of each chunk in parallel, then
// merge(part) in file order. Part has a `complaint`. skip(begin) says where the data begin in the first chunk.
template <class Part, class Skip, class Scan, class Merge>
void scan_pieces(ChunkReader& reader, Threads& threads, const Part& empty, Skip skip, Scan scan, Merge merge) {
  reader.rewind();
  const char* begin = nullptr;
  for (bool first = true; reader.next(); first = false) {
    begin = first ? skip(reader.chunk().begin) : nullptr;
    const std::vector<const char*>& cuts = reader.cuts();
    std::vector<Part> parts(cuts.size() - 1, empty);
    threads.run(parts.size(), [&](std::size_t i, int) {
      const char* const from = std::max(begin, cuts[i]);
      if (from < cuts[i + 1]) scan(from, cuts[i + 1], parts[i]);
    });
    for (Part& part : parts) {
      part.complaint.raise(reader);
      merge(part);
    }
  }
}

}  // namespace bochner
