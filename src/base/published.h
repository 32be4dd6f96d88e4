// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

namespace bochner {

// A list that seldom grows, read without a lock: in the child of a fork nobody would open one that another thread of
// the parent held.
template <class T>
class Published {
 public:
  std::span<const T> read() const {
    const std::vector<T>* latest = latest_.load(std::memory_order_acquire);
    return latest ? std::span<const T>(*latest) : std::span<const T>();
  }

  // check(the list so far) may throw.
  template <class Check>
  void add(T item, const Check& check) {
    const std::lock_guard lock(one_at_a_time_);
    check(read());
    std::vector<T> grown(read().begin(), read().end());
    grown.push_back(std::move(item));
    versions_.push_back(std::move(grown));
    latest_.store(&versions_.back(), std::memory_order_release);
  }

 private:
  std::mutex one_at_a_time_;
  std::deque<std::vector<T>> versions_;  // somebody may still read an older one
  std::atomic<const std::vector<T>*> latest_{nullptr};
};

}  // namespace bochner
