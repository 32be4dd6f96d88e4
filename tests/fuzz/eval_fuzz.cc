// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Model files, held against rows whose targets are known.

#include "bochner/hmm.h"
#include "bochner/json.h"
#include "fuzzing.h"
#include "trainings.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("model");
  fuzzing::put_file(path, input);
  fuzzing::guarded([&] {
    const Model model = Model::load(path);
    if (model.schema().inputs > 4096 || model.schema().targets > 64) return;
    const fuzzing::Known known(model.schema());
    fuzzing::guarded([&] {
      const Evaluation found = model.examine(*known.rows(), {.threads = 1});
      found.text(true);
      json_text(found);
    });
    if (!hmm_facts(*model.head())) return;
    const Evaluation found = examine_sequences(model, *known.rows(), {0, 3}, {.threads = 1});
    sequences_text(found, 6, true);
    predict_sequences(model, *known.rows(), {0, 2, 5}, {.threads = 1});
  });
}

const fuzzing::Target target{"eval", run, 0};

}  // namespace
