// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "base/require.h"
#include "model/rounds_plan.h"
#include "run/reduced.h"

namespace bochner {

namespace {

constexpr std::size_t kMostKept = 8;  // trainings that wait for their next task

// Trainings of this process that stand at a sum, so that a task need not go through all rounds before its own.
class Waiting {
 public:
  struct Kept {
    std::uint64_t place;  // where it stands, by its plan
    std::unique_ptr<RoundsTraining> training;
  };

  // One that stands at this plan's round or before it; null: none does.
  std::unique_ptr<RoundsTraining> take(const RoundsPlan& plan) {
    const std::lock_guard lock(mutex_);
    forget_after_fork();
    for (std::size_t r = plan.round() + 1; r-- > 0;)
      for (auto kept = kept_.begin(); kept != kept_.end(); ++kept)
        if (kept->place == plan.places()[r]) {
          std::unique_ptr<RoundsTraining> found = std::move(kept->training);
          kept_.erase(kept);
          return found;
        }
    return nullptr;
  }

  void keep(Kept one) {
    std::unique_ptr<RoundsTraining> oldest;  // ends without the lock
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(one));
    if (kept_.size() <= kMostKept) return;
    oldest = std::move(kept_.front().training);
    kept_.pop_front();
  }

 private:
  // A child has the memory of its parent's trainings and none of their threads.
  void forget_after_fork() {
    if (process_ == ::getpid()) return;
    process_ = ::getpid();
    for (Kept& kept : kept_) static_cast<void>(kept.training.release());
    kept_.clear();
  }

  std::mutex mutex_;
  ::pid_t process_ = ::getpid();
  std::deque<Kept> kept_;
};

Waiting& waiting() {
  static Waiting* const all = new Waiting;  // never ends: its threads stand still until the process does
  return *all;
}

}  // namespace

std::string run_task(std::string_view text, std::size_t index, const Partition& partition, const Learn& learn,
                     const Execution& execution) {
  const RoundsPlan plan = RoundsPlan::of(archive_of_bytes(text, "plan of rounds"));
  require(index < plan.partitions(), "rounds: found partition {}, expected one of 0 .. {}", index,
          plan.partitions() - 1);
  std::unique_ptr<RoundsTraining> training = waiting().take(plan);
  if (!training) training = std::make_unique<RoundsTraining>(plan.partitions(), learn, execution);
  while (training->round() < plan.round()) training->go_on(plan.log()[training->round()]);
  require(!training->work().ended(),
          "rounds: found a plan whose rounds are over; take the model, with `bochner rounds merge`");
  const bool any = bool(partition.read);
  RoundsResult result{plan.job(), plan.round(), index, plan.places().back()};
  const std::string made = training->make({index, partition}, execution.cancel);
  if (failure_of(made)) training->go_on(made);  // throws what went wrong
  result.bytes = made;
  if (any && plan.round() == 0) result.number = partition.name().number;
  if (any && partition.glance) result.glance = partition.glance();
  waiting().keep({result.place, std::move(training)});
  return result.text();
}

}  // namespace bochner
