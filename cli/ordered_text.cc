// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "ordered_text.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bochner {

namespace {

// Whoever has made a piece waits for its turn, writes it and takes the next.
class Turns {
 public:
  Turns(Output& output, std::size_t pieces, const std::function<void(std::size_t, std::string&)>& make)
      : output_(output), pieces_(pieces), make_(make) {}

  void take_part() {
    try {
      std::string text;
      for (std::size_t piece; (piece = next_++) < pieces_;) {
        text.clear();
        make_(piece, text);
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return written_ == piece || failure_; });
        if (failure_) return;
        output_.write(text);
        ++written_;
        turn_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      turn_.notify_all();
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  Output& output_;
  std::size_t pieces_;
  const std::function<void(std::size_t, std::string&)>& make_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t written_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void write_in_order(Output& output, std::size_t pieces, int threads,
                    const std::function<void(std::size_t piece, std::string& text)>& make) {
  const std::size_t wanted = threads > 0 ? std::size_t(threads) : std::thread::hardware_concurrency();
  Turns turns(output, pieces, make);
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < std::min(wanted, pieces)) others.emplace_back([&] { turns.take_part(); });
  } catch (const std::exception&) {  // no thread or no memory for one: those that the system granted do it as well
  }
  turns.take_part();
  for (std::thread& other : others) other.join();
  turns.rethrow();
}

}  // namespace bochner
