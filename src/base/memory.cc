// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/memory.h"

#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace bochner {

std::size_t default_memory() {
  std::ifstream info("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kilobytes; info >> key >> kilobytes && std::getline(info, unit);)
    if (key == "MemAvailable:") return kilobytes * 1024 / 4 * 3;
  return std::size_t(2) << 30;  // not Linux: a modest guess
}

void release_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace bochner
