// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Counts of terms: load, add, save, merge, and the model they make.

#include "bochner/text.h"
#include "fuzzing.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("counts"), again = fuzzing::scratch("again");
  fuzzing::put_file(path, input);
  fuzzing::guarded([&] {
    TextCounts counts = TextCounts::load(path);
    counts.terms();
    counts.save(again);
    fuzzing::guarded([&] {
      TextCounts other = TextCounts::load(again);
      if (!(other == counts)) fuzzing::finding("counts that differ when they are saved");
      other.merge(counts);
    });
    counts.add("a storm at sea");
    TextModel(counts).encode("the calm sea");
  });
}

const fuzzing::Target target{"counts", run, 0};

}  // namespace
