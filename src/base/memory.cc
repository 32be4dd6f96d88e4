// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/memory.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bochner {

namespace {

// The number behind the key in a file of lines "key number".
std::optional<std::size_t> number_in(const char* path, const std::string& wanted) {
  std::ifstream file(path);
  std::string key, rest;
  for (std::size_t number; file >> key >> number && std::getline(file, rest);)
    if (key == wanted) return number;
  return std::nullopt;
}

std::optional<std::size_t> number_in(const char* path) {
  std::size_t number = 0;
  std::ifstream file(path);
  if (file >> number) return number;
  return std::nullopt;
}

// What a container has left: its limit (cgroup v2), less what it holds and cannot drop.
std::optional<std::size_t> left_in_container() {
  const auto most = number_in("/sys/fs/cgroup/memory.max"), held = number_in("/sys/fs/cgroup/memory.current");
  if (!most || !held) return std::nullopt;
  const std::size_t files = number_in("/sys/fs/cgroup/memory.stat", "inactive_file").value_or(0);
  const std::size_t fixed = *held - std::min(*held, files);
  return *most - std::min(*most, fixed);
}

}  // namespace

std::size_t default_memory() {
  const auto kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  if (!kilobytes) return std::size_t(2) << 30;  // not Linux: a modest guess
  const std::size_t machine = *kilobytes * 1024;
  return std::min(machine, left_in_container().value_or(machine)) / 4 * 3;
}

void release_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void use_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  constexpr std::uintptr_t kPage = 2 << 20;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(data) + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / kPage * kPage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace bochner
