// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Rows drawn from model files.

#include "bochner/sample.h"
#include "fuzzing.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("model");
  fuzzing::put_file(path, input);
  fuzzing::guarded([&] {
    const Model model = Model::load(path);
    if (model.schema().inputs > 4096) return;
    const SampledRows made = sample_rows_of(model, 5, 7);
    for (const std::size_t c : made.classes)
      if (c >= model.schema().labels.size()) fuzzing::finding("a class without a label");
  });
}

const fuzzing::Target target{"sample", run, 0};

}  // namespace
