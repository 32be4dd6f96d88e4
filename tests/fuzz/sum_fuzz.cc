// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Surveys and sums: load, describe, save, merge, and the step that comes next.

#include "bochner/parts.h"
#include "fuzzing.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("sum"), again = fuzzing::scratch("again"),
                           table = fuzzing::scratch("table.csv");
  static const bool made = [] {
    static constexpr char kTable[] = "a,b,c\n1,2,x\n3,4,y\n2,2,x\n";
    fuzzing::put_file(table, {reinterpret_cast<const std::uint8_t*>(kTable), sizeof kTable - 1});
    return true;
  }();
  static_cast<void>(made);
  fuzzing::put_file(path, input);
  const Execution execution{.threads = 1, .memory = std::size_t(1) << 28};
  fuzzing::guarded([&] {
    Sum sum = Sum::load(path);
    sum.description();
    sum.save(again);
    fuzzing::guarded([&] {
      Sum other = Sum::load(again);
      other.merge(sum);
    });
    if (sum.kind() == Sum::Kind::gram) {
      solve(sum, {}, execution);
    } else {
      const auto rows = open_rows(table, sum.schema(), {.threads = 1});
      sum_part(*rows, sum, {"part", 1}, {.bandwidth = 1, .features = 8, .execution = execution});
    }
  });
}

const fuzzing::Target target{"sum", run, 0};

}  // namespace
