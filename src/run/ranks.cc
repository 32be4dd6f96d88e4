// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/ranks.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/require.h"
#include "run/reduced.h"

namespace bochner {

namespace {

// Ranks that are threads: the last to come joins what all brought.
class ThreadRanks {
 public:
  explicit ThreadRanks(int count) : brought_(std::size_t(count)) {}

  std::string reduce(int rank, std::string mine, const Ranks::Join& join) {
    std::unique_lock lock(mutex_);
    brought_[std::size_t(rank)] = std::move(mine);
    const std::size_t round = round_;
    if (++came_ == brought_.size()) {
      joined_ = std::move(brought_[0]);
      for (std::size_t r = 1; r < brought_.size(); ++r) joined_ = join(joined_, brought_[r]);
      came_ = 0;
      ++round_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return round_ != round || left_; });
      if (round_ == round) fail(Error::Kind::data, "rank {}: another rank has ended, its sum will not come", rank);
    }
    return joined_;  // nobody can change it before this rank comes to the next round
  }

  // A rank comes no more: who waits for it would wait for ever.
  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> brought_;
  std::string joined_;
  std::size_t came_ = 0, round_ = 0;
  bool left_ = false;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(ThreadRanks& all, int rank, int count) : all_(all), rank_(rank), count_(count) {}
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::string reduce(std::string mine, const Join& join) override { return all_.reduce(rank_, std::move(mine), join); }

 private:
  ThreadRanks& all_;
  int rank_, count_;
};

// What travels: nothing, bytes or a failure.
constexpr char kBytes = '+', kFailure = '!';

}  // namespace

std::optional<std::string> failure_of(std::string_view reduced) {
  if (reduced.empty() || reduced[0] != kFailure) return std::nullopt;
  return std::string(reduced.substr(1));
}

std::optional<std::string> Brought::add(std::string_view made) {
  if (made.empty()) return std::nullopt;
  if (const auto failure = failure_of(made)) return failure;
  try {
    std::unique_ptr<Joining> first = sum_ ? nullptr : begin_();
    (first ? first : sum_)->add(made.substr(1));
    if (first) sum_ = std::move(first);
    return std::nullopt;
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string Brought::joined() const { return sum_ ? kBytes + sum_->bytes() : std::string(); }

std::string reduce_made(Ranks& ranks, const std::function<std::string()>& make, const BeginJoining& begin) {
  std::exception_ptr own;
  const auto make_or_fail = [&] {
    own = nullptr;
    try {
      std::string mine = make();
      if (!mine.empty()) mine.insert(mine.begin(), kBytes);
      return mine;
    } catch (const std::exception& error) {
      own = std::current_exception();
      return fmt::format("{}rank {}: {}", kFailure, ranks.rank(), error.what());
    }
  };
  const Ranks::Join join_or_fail = [&](const std::string& a, const std::string& b) {
    Brought both(begin);
    for (const std::string* made : {&a, &b})
      if (const auto failure = both.add(*made)) return kFailure + *failure;
    return both.joined();
  };
  auto* const knowing = dynamic_cast<KnowingRank*>(&ranks);
  std::string all = knowing ? knowing->sum(make_or_fail, begin) : ranks.reduce(make_or_fail(), join_or_fail);
  if (own) std::rethrow_exception(own);
  if (all.empty()) fail(Error::Kind::data, "ranks: none of the {} has rows; check the files", ranks.count());
  if (const std::optional<std::string> failure = failure_of(all)) fail(Error::Kind::data, "{}", *failure);
  all.erase(all.begin());
  return all;
}

void run_ranks(int count, const std::function<void(Ranks&)>& work) {
  require(count >= 1, "run_ranks: found {} ranks, expected 1 or more", count);
  ThreadRanks all(count);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int r = 0; r < count; ++r)
    threads.emplace_back([&, r] {
      ThreadRank rank(all, r, count);
      try {
        work(rank);
      } catch (...) {
        failures[std::size_t(r)] = std::current_exception();
      }
      all.leave();
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace bochner
