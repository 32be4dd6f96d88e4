// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The program of libFuzzer: FUZZ_TARGET names the target.

#include <cstdlib>

#include "fuzzing.h"

namespace {

const bochner::fuzzing::Target& chosen() {
  const char* name = std::getenv("FUZZ_TARGET");
  static const bochner::fuzzing::Target& target = bochner::fuzzing::target_named(name ? name : "");
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen().run({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return chosen().mutate(data, size, most, seed);
}
