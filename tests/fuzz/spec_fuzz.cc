// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The words that say what to train: three lines, for --kernel, --map and --bandwidth.

#include "fuzzing.h"
#include "trainings.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  std::string text(reinterpret_cast<const char*>(input.data()), input.size()), words[3];
  for (std::string& word : words) {
    const std::size_t end = text.find('\n');
    word = text.substr(0, end);
    text.erase(0, end == text.npos ? end : end + 1);
  }
  fuzzing::guarded([&] {
    TrainOptions options = fuzzing::training(6);
    options.kernel = parse_kernel(words[0]);
    options.map = parse_map_options(words[1]);
    options.bandwidth = parse_bandwidth(words[2]);
    long asked = 0;  // words may ask for a million rounds: more of the same find nothing
    options.execution.cancel = [&] { return ++asked > 4096; };
    train(*fuzzing::small_rows(Task::regression), options);
  });
}

const fuzzing::Target target{"spec", run};

}  // namespace
