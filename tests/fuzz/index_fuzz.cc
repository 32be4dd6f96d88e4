// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Index files: what loads must answer queries, of words too, and be saved without harm.

#include "bochner/neighbors.h"
#include "bochner/retrieval.h"
#include "fuzzing.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("index"), again = fuzzing::scratch("again");
  fuzzing::put_file(path, input);
  fuzzing::guarded([&] {
    const NeighborIndex index = NeighborIndex::load(path);
    const std::size_t inputs = index.schema().inputs;
    if (inputs > 4096) return;
    if (!index.schema().sparse) {
      Matrix<float> x(3, inputs);
      for (std::size_t i = 0; i < 3 * inputs; ++i) x.data()[i] = float(i % 7) - 2;
      x(1, 0) = 1e30f;
      Schema schema;
      schema.inputs = inputs;
      const Neighbors found = index.query(*memory_rows<float>(x.view(), {}, schema), 5, {.threads = 1});
      for (const std::int64_t row : found.rows)
        if (row < -1) fuzzing::finding("a row of a negative number");
    }
    index.save(again);
    NeighborIndex::load(again);
    const Retrieval documents = Retrieval::load(path);
    documents.find("a storm at sea", 3);
    documents.like(0, 3);
  });
}

const fuzzing::Target target{"index", run, 0};

}  // namespace
