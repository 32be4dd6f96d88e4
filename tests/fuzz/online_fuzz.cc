// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Models with their sums: what loads must describe itself, take rows in and out, be watched and be saved without harm.

#include "bochner/watch.h"
#include "fuzzing.h"
#include "trainings.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  const std::string bytes(reinterpret_cast<const char*>(input.data()), input.size());
  const Execution execution{.threads = 1, .memory = std::size_t(1) << 28};
  fuzzing::guarded([&] {
    OnlineModel model = OnlineModel::of_bytes(bytes, "m");
    model.description();
    model.choices_digest();
    const Schema& schema = model.model().schema();
    if (schema.inputs > 4096 || schema.targets > 16 || schema.sparse) return;
    const fuzzing::Known few(schema), more(schema, 9);
    KeptCells names{.columns = {model.ids()}};
    const auto cells = [&](std::size_t rows) {
      names.lines.assign(rows, "name");
      return model.ids().empty() ? nullptr : &names;
    };
    fuzzing::guarded([&] { update(model, *few.rows(), execution, cells(6)).json(); });
    fuzzing::guarded([&] { forget(model, *few.rows(), execution, cells(6)).json(); });
    fuzzing::guarded([&] { forget(model, *more.rows(), execution, cells(9)); });
    fuzzing::guarded([&] { train_as(model, *more.rows(), execution, cells(9)); });
    fuzzing::guarded([&] {
      const WatchOptions options{.every = 2, .half_life = 3, .solve_every = 4, .execution = execution};
      watch(model, *more.rows(), options, [](const Watched&) {});
    });
    fuzzing::guarded([&] { merge(model, OnlineModel::of_bytes(model.bytes(), "again"), execution); });
  });
}

const fuzzing::Target target{"online", run, 0};

}  // namespace
