// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Sums of `svd`: load, describe, save, merge, and the step that comes next.

#include "bochner/svd.h"
#include "fuzzing.h"
#include "trainings.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("factor"), again = fuzzing::scratch("again");
  fuzzing::put_file(path, input);
  const Execution execution{.threads = 1, .memory = std::size_t(1) << 28};
  fuzzing::guarded([&] {
    const FactorSum sum = FactorSum::load(path);
    sum.description();
    sum.save(again);
    fuzzing::guarded([&] { FactorSum::load(again).merge(sum); });
    if (sum.schema().inputs > 64) return;  // many steps of the same kind
    if (sum.kind() == FactorSum::Kind::sketch)
      svd(sum, execution);
    else if (sum.schema().inputs == 2)
      sketch_part(*fuzzing::small_rows(), sum, {"part", 1}, {.rank = 1, .execution = execution});
  });
}

const fuzzing::Target target{"factor", run, 0};

}  // namespace
