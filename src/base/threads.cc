// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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

namespace {

// A waiting thread looks again and again for this long before it sleeps: most work comes in rounds that follow each
// other faster than a sleeping thread wakes, and more would be taken from others who share the machine.
constexpr std::chrono::microseconds kAwake{30};

template <class Done>
bool look_for(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + kAwake;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      std::this_thread::yield();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

// A round of work is open while its number is odd. A member that finds it open enters, looks whether that round is
// still open, and leaves once no piece is left; the caller closes the round when it finds no piece left itself, and
// then waits for those inside. So nobody waits for members that wake late: they find the round closed.
struct Threads::Team {
  std::atomic<std::uint32_t> round{0};
  std::atomic<std::uint32_t> inside{0};
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> next{0};
  // Written by the caller while the round is closed and nobody is inside.
  const std::function<void(std::size_t, int)>* work = nullptr;
  const Threads* owner = nullptr;
  std::size_t pieces = 0;
  std::mutex mutex;  // guards failure
  std::exception_ptr failure;
  std::vector<std::thread> members;

  // Also ends a team that was not completed since the system refused a thread or memory.
  ~Team() {
    stop = true;
    round += 2;  // still closed, and news for those who wait
    round.notify_all();
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
    for (std::uint32_t seen = 0; !stop;) {
      if (!look_for([&] { return round != seen; })) round.wait(seen);
      seen = round;
      if (seen % 2 == 0) continue;
      ++inside;
      if (round == seen) take_pieces(thread);
      if (--inside == 0) inside.notify_one();
    }
  }

  void open(const std::function<void(std::size_t, int)>& of, std::size_t count) {
    work = &of;
    pieces = count;
    next.store(0, std::memory_order_relaxed);
    failure = nullptr;
    ++round;
    if (count > kFew)
      round.notify_all();
    else
      for (std::size_t i = 1; i < count; ++i) round.notify_one();
  }

  void close() {
    ++round;
    if (look_for([&] { return inside == 0; })) return;
    for (std::uint32_t still; (still = inside) != 0;) inside.wait(still);
  }

 private:
  static constexpr std::size_t kFew = 4;  // pieces for which waking everybody costs more than the work is worth
};

int threads_within(int threads, std::size_t memory) {
  const int wanted = threads > 0 ? threads : int(std::max(1u, std::thread::hardware_concurrency()));
  if (memory == 0) return wanted;
  constexpr std::size_t kThreadBytes = 10 << 20;  // buffers of BLAS and of a reader, packed tiles, an arena of malloc
  return int(std::clamp<std::size_t>(memory / 5 / kThreadBytes, 1, std::size_t(wanted)));
}

Threads::Threads(int count) : count_(threads_within(count, 0)) {
  for (int before = largest; before < count_ && !largest.compare_exchange_weak(before, count_);) continue;
}

bool Threads::start() {
  if (team_) return true;
  auto team = std::make_unique<Team>();
  team->owner = this;
  try {
    for (int t = 1; t < count_; ++t) team->members.emplace_back([&team = *team, t] { team.member(t); });
  } catch (const std::system_error& error) {
    if (undivided_ > 0) return false;
    // No std::invalid_argument, by which callers leave out what does not suit the rows: it may pass the next time.
    throw std::system_error(error.code(),
                            fmt::format("threads: the system grants {} of {}; use fewer {}, or raise ulimit -v and -u",
                                        team->members.size() + 1, count_, Option::threads));
  }
  team_ = std::move(team);
  return true;
}

Threads::~Threads() = default;

void Threads::check_stop() const {
  if (undivided_ == 0 && stop_ && stop_()) throw Stopped();
}

void Threads::run_here(std::size_t pieces, const std::function<void(std::size_t, int)>& work) {
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    check_stop();
    work(piece, 0);
  }
}

void Threads::run(std::size_t pieces, double operations, const std::function<void(std::size_t, int)>& work) {
  constexpr double kWorthWaking = 1e5;
  if (operations < kWorthWaking) return run_here(pieces, work);
  run(pieces, work);
}

void Threads::run(std::size_t pieces, const std::function<void(std::size_t, int)>& work) {
  if (inside_work || count_ == 1 || pieces <= 1 || !start()) return run_here(pieces, work);
  team_->open(work, pieces);
  team_->take_pieces(0);
  team_->close();
  if (team_->failure) std::rethrow_exception(team_->failure);
}

}  // namespace bochner
