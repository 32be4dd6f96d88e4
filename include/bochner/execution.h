// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace bochner {

class Checkpoint;

// What a long step tells whoever waits: its name and the fraction done.
using ProgressFunction = std::function<void(const std::string& step, double fraction)>;

// How work runs. No choice here changes a bit of the result, but that ridge takes a solver that fits into the memory.
struct Execution {
  int threads = 0;                   // 0: all cores
  std::size_t memory = 0;            // bytes we may hold; 0: three quarters of what the machine has free
  std::size_t block_rows = 0;        // rows a pass holds mapped at a time, in whole chunks of 1024; 0: chosen
  Checkpoint* checkpoint = nullptr;  // where a long run saves how far it is; none: nowhere
  ProgressFunction progress = {};    // none: silent
};

}  // namespace bochner
