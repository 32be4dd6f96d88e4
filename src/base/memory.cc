// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/memory.h"

#include <fstream>
#include <limits>
#include <string>

namespace bochner {

std::size_t default_memory() {
  std::ifstream info("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kilobytes; info >> key >> kilobytes && std::getline(info, unit);)
    if (key == "MemAvailable:") return kilobytes * 1024 / 4 * 3;
  return std::size_t(2) << 30;  // not Linux: a modest guess
}

}  // namespace bochner
