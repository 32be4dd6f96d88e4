// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/check_memory.h"

#include <unistd.h>

#include <fstream>

#include "base/require.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

std::size_t resident_memory() {
  std::size_t all = 0, resident = 0;
  std::ifstream file("/proc/self/statm");
  return file >> all >> resident ? resident * std::size_t(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

void check_memory(const std::string& what, double bytes, const Execution& execution, const std::string& remedy) {
  constexpr double kLittle = 64 << 20;  // what no machine lacks: not worth a look at what is free
  if (bytes <= (execution.memory ? double(execution.memory) : kLittle)) return;
  const double limit = double(memory_limit(execution)) + (execution.memory ? 0.0 : double(resident_memory()));
  require(bytes <= limit, "memory: {} takes {}, {} {}; {}", what, size_text(bytes),
          execution.memory ? "the memory given is" : "3/4 of what is free are", size_text(limit), remedy);
}

}  // namespace bochner
