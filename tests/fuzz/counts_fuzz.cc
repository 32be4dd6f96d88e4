// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Counts of terms: load, add, save, merge, and the model they make.

#include "bochner/text.h"
#include "fuzzing.h"

using namespace bochner;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzzing::mutate_archive(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = fuzzing::scratch("counts"), again = fuzzing::scratch("again");
  fuzzing::put_file(path, {data, size});
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
  return 0;
}
