// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/suspended.h"

#include <utility>

namespace bochner {

class Suspended::Rank final : public KnowingRank {
 public:
  Rank(Suspended& work, int rank, int count) : work_(work), rank_(rank), count_(count) {}
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::string sum(const Make& make, const BeginJoining& begin) override { return work_.sum(make, begin); }

 private:
  Suspended& work_;
  int rank_, count_;
};

Suspended::Suspended(int rank, int count, std::function<void(Ranks&)> work) {
  thread_ = std::thread([this, rank, count, work = std::move(work)] {
    Rank own(*this, rank, count);
    try {
      work(own);
    } catch (const Left&) {
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    working_ = false;
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  wait(lock, false);
  if (!failure_) return;
  lock.unlock();
  thread_.join();
  std::rethrow_exception(failure_);
}

Suspended::~Suspended() {
  if (!ended_) command(Command::leave);
  thread_.join();
}

void Suspended::wait(std::unique_lock<std::mutex>& lock, bool working) {
  changed_.wait(lock, [&] { return working_ == working; });
}

void Suspended::command(Command what) {
  std::unique_lock lock(mutex_);
  command_ = what;
  working_ = true;
  changed_.notify_all();
  wait(lock, false);
}

std::string Suspended::make() {
  command(Command::make);
  if (failure_) std::rethrow_exception(failure_);
  return std::move(text_);
}

void Suspended::go_on(std::string joined) {
  text_ = std::move(joined);
  command(Command::go_on);
  if (failure_) std::rethrow_exception(failure_);
}

std::string Suspended::sum(const KnowingRank::Make& make, const BeginJoining& begin) {
  std::unique_lock lock(mutex_);
  begin_ = &begin;
  while (true) {
    working_ = false;
    changed_.notify_all();
    wait(lock, true);
    if (command_ == Command::leave) throw Left();
    if (command_ == Command::go_on) return std::move(text_);
    lock.unlock();  // the owner waits meanwhile
    std::string made = make();
    lock.lock();
    text_ = std::move(made);
  }
}

}  // namespace bochner
