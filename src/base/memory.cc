// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

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

#include "base/option.h"
#include "base/require.h"
#include "base/team_size.h"

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

// The addresses left under the limit of ulimit -v, if there is one: its limit less those in use and less what the
// libraries of matrix products take for each of our threads.
std::optional<std::size_t> left_of_addresses() {
  constexpr std::size_t kForEachThread = std::size_t(136) << 20;
  struct rlimit limit {};
  const auto pages = number_in("/proc/self/statm");
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !pages) return std::nullopt;
  const std::size_t most = limit.rlim_cur;
  const std::size_t used = *pages * std::size_t(::sysconf(_SC_PAGESIZE)) + std::size_t(largest_team()) * kForEachThread;
  require(
      used < most,
      "memory: {} MiB of addresses are granted (ulimit -v), {} threads need {} MiB before any work; raise the limit "
      "or use fewer {}",
      most >> 20, largest_team(), used >> 20, Option::threads);
  return most - used;
}

}  // namespace

std::size_t default_memory() {
  const auto kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  if (!kilobytes) return std::size_t(2) << 30;  // not Linux: a modest guess
  const std::size_t machine = *kilobytes * 1024;
  return std::min({machine, left_in_container().value_or(machine), left_of_addresses().value_or(machine)}) / 4 * 3;
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
