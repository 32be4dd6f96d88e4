// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Mean embeddings: load, evaluate, save and merge.

#include "bochner/embedding.h"
#include "fuzzing.h"

using namespace bochner;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzzing::mutate_archive(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = fuzzing::scratch("embedding"), again = fuzzing::scratch("again");
  fuzzing::put_file(path, {data, size});
  fuzzing::guarded([&] {
    MeanEmbedding one = MeanEmbedding::load(path);
    one.mean();
    one.save(again);
    one.merge(MeanEmbedding::load(again));
    if (one.map()->inputs() <= 64) one.at(Matrix<double>(2, one.map()->inputs()).view());
  });
  return 0;
}
