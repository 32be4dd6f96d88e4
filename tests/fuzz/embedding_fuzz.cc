// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Mean embeddings: load, evaluate, save and merge.

#include "bochner/embedding.h"
#include "fuzzing.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("embedding"), again = fuzzing::scratch("again");
  fuzzing::put_file(path, input);
  fuzzing::guarded([&] {
    MeanEmbedding one = MeanEmbedding::load(path);
    one.mean();
    one.save(again);
    one.merge(MeanEmbedding::load(again));
    if (one.map()->inputs() <= 64) one.at(Matrix<double>(2, one.map()->inputs()).view());
  });
}

const fuzzing::Target target{"embedding", run, 0};

}  // namespace
