// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace bochner {

// A fixed team of threads that shares out numbered pieces of work. Ours rather than a library's because
// ThreadSanitizer must see every lock, and 100 lines suffice.
class Threads {
 public:
  explicit Threads(int count = 0);  // 0: all cores
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return count_; }

  // Calls work(piece, thread) for piece = 0 .. pieces - 1, thread < count(), and returns when all are done.
  // Pieces start in order. The first exception is rethrown here after the others stop. Not reentrant:
  // a call from inside work() runs its pieces on the calling thread.
  void run(std::size_t pieces, const std::function<void(std::size_t piece, int thread)>& work);

 private:
  struct Team;
  int count_;
  std::unique_ptr<Team> team_;
};

}  // namespace bochner
