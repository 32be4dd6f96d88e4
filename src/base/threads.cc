// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/threads.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/option.h"
#include "base/team_size.h"

namespace bochner {

namespace {
thread_local bool inside_work = false;
std::atomic<int> largest{1};
}  // namespace

int largest_team() noexcept { return largest; }

struct Threads::Team {
  std::mutex mutex;
  std::condition_variable start, done;
  std::uint64_t round = 0;
  int busy = 0;
  bool stop = false;
  const std::function<void(std::size_t, int)>* work = nullptr;
  const Threads* owner = nullptr;
  std::size_t pieces = 0;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::vector<std::thread> members;

  // Also ends a team that was not completed since the system refused a thread or memory.
  ~Team() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    start.notify_all();
    for (std::thread& member : members) member.join();
  }

  void take_pieces(int thread) {
    inside_work = true;
    for (std::size_t piece; (piece = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) {
      try {
        owner->check_stop();
        (*work)(piece, thread);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(pieces, std::memory_order_relaxed);
      }
    }
    inside_work = false;
  }

  void member(int thread) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      start.wait(lock, [&] { return stop || round != seen; });
      if (stop) return;
      seen = round;
      lock.unlock();
      take_pieces(thread);
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
  }
};

Threads::Threads(int count)
    : count_(count > 0 ? count : int(std::max(1u, std::thread::hardware_concurrency()))),
      team_(std::make_unique<Team>()) {
  team_->owner = this;
  try {
    for (int t = 1; t < count_; ++t) team_->members.emplace_back([this, t] { team_->member(t); });
  } catch (const std::system_error& error) {
    // No std::invalid_argument, by which callers leave out what does not suit the rows: it may pass the next time.
    throw std::system_error(error.code(),
                            fmt::format("threads: the system grants {} of {}; use fewer {}, or raise ulimit -v and -u",
                                        team_->members.size() + 1, count_, Option::threads));
  }
  for (int before = largest; before < count_ && !largest.compare_exchange_weak(before, count_);) continue;
}

Threads::~Threads() = default;

void Threads::check_stop() const {
  if (undivided_ == 0 && stop_ && stop_()) throw Stopped();
}

void Threads::run(std::size_t pieces, const std::function<void(std::size_t, int)>& work) {
  if (inside_work || count_ == 1 || pieces <= 1) {
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      check_stop();
      work(piece, 0);
    }
    return;
  }
  Team& team = *team_;
  {
    const std::lock_guard lock(team.mutex);
    team.work = &work;
    team.pieces = pieces;
    team.next.store(0, std::memory_order_relaxed);
    team.failure = nullptr;
    team.busy = count_ - 1;
    ++team.round;
  }
  team.start.notify_all();
  team.take_pieces(0);
  std::unique_lock lock(team.mutex);
  team.done.wait(lock, [&] { return team.busy == 0; });
  if (team.failure) std::rethrow_exception(team.failure);
}

}  // namespace bochner
