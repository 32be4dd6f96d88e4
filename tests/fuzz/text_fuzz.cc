// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Text models: what loads must turn documents into rows and be saved without harm.

#include "bochner/map.h"
#include "bochner/text.h"
#include "fuzzing.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("text"), again = fuzzing::scratch("again");
  fuzzing::put_file(path, input);
  fuzzing::guarded([&] {
    const TextModel model = TextModel::load(path);
    for (const auto& [column, value] : model.encode("A storm at sea, snow on the hills"))
      if (column >= model.columns()) fuzzing::finding("a column beyond the last");
    model.term(model.columns() - 1);
    if (model.map()) model.map()->spec();
    model.save(again);
    TextModel::load(again);
  });
}

const fuzzing::Target target{"text", run, 0};

}  // namespace
