// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "run/reduced.h"

namespace bochner {

// Work that needs sums of all ranks, on a thread of its own. It stands still wherever it needs one, until its owner
// brings it. One thread at a time calls.
class Suspended {
 public:
  // Begins, and stands at the first sum when it returns. Here and in go_on(), what work throws is thrown.
  Suspended(int rank, int count, std::function<void(Ranks&)> work);
  ~Suspended();  // work that has not ended unwinds
  Suspended(const Suspended&) = delete;

  bool ended() const { return ended_; }
  std::string make();                                   // this rank's bytes of the sum; as often as one likes
  Brought brought() const { return Brought(*begin_); }  // what ranks bring of this sum, until it goes on
  void go_on(std::string joined);                       // the next sum or the end comes

 private:
  class Rank;
  enum class Command { make, go_on, leave };
  struct Left {};  // thrown through work that shall not go on; no std::exception, which it might catch

  std::string sum(const KnowingRank::Make& make, const BeginJoining& begin);
  void command(Command what);  // the work runs until it has carried it out
  void wait(std::unique_lock<std::mutex>& lock, bool working);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool working_ = true, ended_ = false;  // whose turn it is
  Command command_ = Command::go_on;
  std::string text_;
  const BeginJoining* begin_ = nullptr;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace bochner
