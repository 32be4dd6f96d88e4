// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Rows drawn from model files.

#include "bochner/sample.h"
#include "fuzzing.h"

using namespace bochner;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzzing::mutate_archive(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = fuzzing::scratch("model");
  fuzzing::put_file(path, {data, size});
  fuzzing::guarded([&] {
    const Model model = Model::load(path);
    if (model.schema().inputs > 4096) return;
    const SampledRows made = sample_rows_of(model, 5, 7);
    for (const std::size_t c : made.classes)
      if (c >= model.schema().labels.size()) fuzzing::finding("a class without a label");
  });
  return 0;
}
