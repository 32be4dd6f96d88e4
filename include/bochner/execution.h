// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   std::atomic<bool> enough = false;  // set by another thread
//   Execution execution;
//   execution.threads = 2;
//   execution.progress = [](const std::string& step, double done) { std::printf("%s %.2f", step.c_str(), done); };
//   execution.cancel = [&] { return enough.load(); };
//   try {
//     train(*open_rows("cars.csv", {.targets = {"price"}}), {.execution = execution});
//   } catch (const Stopped&) {
//   }

#include <cstddef>
#include <exception>
#include <functional>
#include <string>

namespace bochner {

class Checkpoint;
class Ranks;

// What a long step tells: its name and the fraction done. Called by the thread that started the work.
using ProgressFunction = std::function<void(const std::string& step, double fraction)>;

// Whether the work shall end now. Asked between blocks and pieces of work, thousands of times, by any of the working
// threads and by several at once: it must be thread-safe and cheap, such as a look at an atomic flag.
using CancelFunction = std::function<bool()>;

// How work runs. No choice here changes a bit of the result, but that ridge takes a solver that fits into the memory.
struct Execution {
  int threads = 0;                   // 0: all cores
  std::size_t memory = 0;            // bytes we may hold; 0: three quarters of what the machine has free
  std::size_t block_rows = 0;        // rows a pass holds mapped at a time, in whole chunks of 1024; 0: chosen
  Checkpoint* checkpoint = nullptr;  // where a long run saves how far it is; none: nowhere
  ProgressFunction progress = {};    // none: silent
  CancelFunction cancel = {};        // true: the call throws Stopped
  std::string device = "cpu";        // what computes, see bochner/device.h; one that is not registered is refused
  Ranks* ranks = nullptr;            // other processes whose rows count too, see bochner/ranks.h; none: these rows only
};

// The threads that work takes: as asked, or one for each core if 0 are asked; fewer if they would take more than a
// fifth of the memory (0: no limit), since each needs some 10 MiB of its own.
int threads_within(int threads, std::size_t memory);

// Thrown where Execution::cancel asked for it. saved(): a checkpoint holds where the training stands.
class Stopped : public std::exception {
 public:
  explicit Stopped(bool saved = false) : saved_(saved) {}
  bool saved() const { return saved_; }
  const char* what() const noexcept override { return "stopped as asked"; }

 private:
  bool saved_;
};

}  // namespace bochner
