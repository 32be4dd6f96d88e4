// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

namespace bochner::bench {

inline double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Median seconds of each, taken in turns so that whatever else the machine does meets all of them alike.
// Each turn is repeated until it takes `at_least` seconds in all.
inline std::vector<double> interleaved(const std::vector<std::function<void()>>& work, int turns, double at_least) {
  std::vector<int> repeats;
  for (const auto& one : work) {
    one();
    repeats.push_back(std::max(1, int(at_least / std::max(1e-9, seconds(one)))));
  }
  std::vector<std::vector<double>> times(work.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < work.size(); ++i)
      times[i].push_back(seconds([&] {
                           for (int r = 0; r < repeats[i]; ++r) work[i]();
                         }) /
                         repeats[i]);
  std::vector<double> medians;
  for (const auto& one : times) medians.push_back(median(one));
  return medians;
}

// Processor time of the calling thread: what else the machine does costs caches alone.
inline double thread_seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

// Least seconds of each of the calling thread, in turns too. For work of microseconds on one thread.
inline std::vector<double> least(const std::vector<std::function<void()>>& work, int turns) {
  std::vector<double> times(work.size(), 1e9);
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < work.size(); ++i) times[i] = std::min(times[i], thread_seconds(work[i]));
  return times;
}

inline bool flag(int argc, char** argv, const char* name) {
  return std::any_of(argv + 1, argv + argc, [&](const char* arg) { return std::strcmp(arg, name) == 0; });
}

}  // namespace bochner::bench
