// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "bochner/device.h"
#include "bochner/execution.h"

namespace bochner {

// A fixed team of threads that shares out numbered pieces of work; they start when there is work to share. Ours rather
// than a library's because ThreadSanitizer must see every lock, and 100 lines suffice.
class Threads {
 public:
  explicit Threads(int count = 0);  // 0: all cores
  explicit Threads(const Execution& execution) : Threads(threads_within(execution.threads, execution.memory)) {
    stop_ = execution.cancel;
    device_ = &device_named(execution.device);
  }
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return count_; }
  const Device& device() const { return *device_; }  // what they drive

  // Calls work(piece, thread) for piece = 0 .. pieces - 1, thread < count(), and returns when all are done.
  // Pieces start in order. The first exception is rethrown here after the others stop. Not reentrant:
  // a call from inside work() runs its pieces on the calling thread.
  void run(std::size_t pieces, const std::function<void(std::size_t piece, int thread)>& work);
  // The same; operations: an estimate for all pieces. Few are done by the caller before another thread would wake.
  void run(std::size_t pieces, double operations, const std::function<void(std::size_t piece, int thread)>& work);

  // Asked before every piece, on any of the threads: true makes run() throw Stopped.
  void stop_when(CancelFunction asked) { stop_ = std::move(asked); }
  const CancelFunction& stop() const { return stop_; }
  // The same between pieces, where the calling thread works alone.
  void check_stop() const;

  // While one lives run() goes on to the end: for a change that must be whole.
  class Undivided {
   public:
    explicit Undivided(Threads& threads) : threads_(threads) { ++threads_.undivided_; }
    ~Undivided() { --threads_.undivided_; }
    Undivided(const Undivided&) = delete;
    Undivided& operator=(const Undivided&) = delete;

   private:
    Threads& threads_;
  };

 private:
  struct Team;
  void run_here(std::size_t pieces, const std::function<void(std::size_t piece, int thread)>& work);
  bool start();  // whether the team has its threads

  int count_;
  const Device* device_ = &device_named("cpu");
  CancelFunction stop_;
  int undivided_ = 0;  // changes outside of run() only
  std::unique_ptr<Team> team_;
};

}  // namespace bochner
