// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The page of a model file.

#include "bochner/insight.h"
#include "fuzzing.h"
#include "trainings.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("model");
  fuzzing::put_file(path, input);
  fuzzing::guarded([&] {
    const Model model = Model::load(path);
    if (model.schema().inputs > 256 || model.schema().targets > 64) return;
    const fuzzing::Known known(model.schema());
    const Insight insight =
        look_into(model, *known.rows(), {.sample = 6, .most_shown = 2, .repeats = 1}, {.threads = 1});
    const std::string page = html_page(model, insight, "title");
    if (page.find("<script") != page.npos) fuzzing::finding("a page with a script");
    json_text(insight);
  });
}

const fuzzing::Target target{"report", run, 0};

}  // namespace
