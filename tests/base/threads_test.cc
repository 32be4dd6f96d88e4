// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bochner/checkpoint.h"

namespace bochner {
namespace {

TEST(Threads, EveryPieceIsDoneOnce) {
  for (const int count : {1, 2, 3, 7}) {
    Threads threads(count);
    ASSERT_EQ(threads.count(), count);
    for (const std::size_t pieces : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> done(pieces);
      threads.run(pieces, [&](std::size_t piece, int thread) {
        ASSERT_GE(thread, 0);
        ASSERT_LT(thread, count);
        ++done[piece];
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

std::set<std::string> threads_of_the_process() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) names.insert(entry.path().string());
  return names;
}

// Threads of an earlier test may be listed still when they are joined, and go at any moment: new ones are counted.
std::size_t threads_beside(const std::set<std::string>& before) {
  const std::set<std::string> now = threads_of_the_process();
  return std::size_t(std::ranges::count_if(now, [&](const std::string& name) { return !before.contains(name); }));
}

// A team for each batch of a stream would cost more than the batch.
TEST(Threads, StartWhenThereIsWorkToShare) {
  const std::set<std::string> before = threads_of_the_process();
  Threads threads(5);
  int done = 0;
  const auto work = [&](std::size_t, int thread) { done += thread == 0 ? 1 : 100; };
  threads.run(1, work);
  threads.run(8, 1000, work);  // operations
  EXPECT_EQ(done, 9);
  EXPECT_EQ(threads_beside(before), 0);
  threads.run(8, 1e9, [](std::size_t, int) {});
  EXPECT_EQ(threads_beside(before), 4);
}

// Per-thread scratch indexed by `thread` must never be shared by two pieces at a time.
TEST(Threads, ThreadNumberIsHeldByOnePieceAtATime) {
  Threads threads(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<int> clashes = 0;
  threads.run(5000, [&](std::size_t, int thread) {
    if (inside[thread]++ != 0) ++clashes;
    --inside[thread];
  });
  EXPECT_EQ(clashes, 0);
}

TEST(Threads, ResultsAreVisibleAfterTheRun) {
  Threads threads(3);
  std::vector<std::size_t> values(300);
  for (std::size_t round = 0; round < 200; ++round) {
    threads.run(values.size(), [&](std::size_t piece, int) { values[piece] += piece; });
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i * (round + 1));
  }
}

TEST(Threads, RoundsThatFollowEachOtherAtOnceOrAfterAPauseAreEachDoneWhole) {
  for (const int count : {2, 5, 16}) {
    Threads threads(count);
    std::size_t round = 0;
    for (const std::size_t pieces : {2, 3, 4, 5, 16, 40})
      for (int again = 0; again < 300; ++again, ++round) {
        if (again % 100 == 99) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // members fall asleep
        std::vector<std::size_t> done(pieces);
        threads.run(pieces, [&](std::size_t piece, int) { done[piece] += round + piece; });
        for (std::size_t piece = 0; piece < pieces; ++piece) ASSERT_EQ(done[piece], round + piece);
      }
  }
}

TEST(Threads, AreFewerIfTheyWouldTakeMoreThanAFifthOfTheMemory) {
  constexpr std::size_t kMega = 1 << 20;
  EXPECT_EQ(threads_within(16, 0), 16);
  EXPECT_EQ(threads_within(16, 1024 * kMega), 16);
  EXPECT_EQ(threads_within(16, 128 * kMega), 2);
  EXPECT_EQ(threads_within(16, 64 * kMega), 1);
  EXPECT_EQ(threads_within(2, 1), 1);
  EXPECT_GE(threads_within(0, 0), 1);
  EXPECT_EQ(Threads(Execution{.threads = 16, .memory = 128 * kMega}).count(), 2);
}

TEST(Threads, FirstExceptionIsRethrownAndTheTeamSurvives) {
  for (const int count : {1, 2, 5}) {
    Threads threads(count);
    for (int round = 0; round < 20; ++round) {
      EXPECT_THROW(threads.run(100,
                               [](std::size_t piece, int) {
                                 if (piece == 17) throw std::runtime_error("piece 17");
                               }),
                   std::runtime_error);
      std::atomic<int> done = 0;
      threads.run(100, [&](std::size_t, int) { ++done; });
      EXPECT_EQ(done, 100);
    }
  }
}

TEST(Threads, ExceptionStopsPiecesNotYetStarted) {
  Threads threads(2);
  std::atomic<int> started = 0;
  EXPECT_THROW(threads.run(1'000'000,
                           [&](std::size_t piece, int) {
                             ++started;
                             if (piece == 0) throw std::logic_error("first");
                           }),
               std::logic_error);
  EXPECT_LT(started, 1'000'000);
}

TEST(Threads, NestedRunStaysOnTheCallingThread) {
  Threads threads(3);
  std::atomic<int> done = 0;
  std::atomic<int> strays = 0;
  threads.run(20, [&](std::size_t, int) {
    const auto self = std::this_thread::get_id();
    threads.run(10, [&](std::size_t, int) {
      ++done;
      if (std::this_thread::get_id() != self) ++strays;
    });
  });
  EXPECT_EQ(done, 200);
  EXPECT_EQ(strays, 0);
}

// The inner run must not end the outer one's being "inside work".
TEST(Threads, SecondNestedRunAlsoStaysOnTheCallingThread) {
  Threads threads(3);
  std::atomic<int> strays = 0;
  threads.run(20, [&](std::size_t, int) {
    const auto self = std::this_thread::get_id();
    for (int i = 0; i < 3; ++i)
      threads.run(10, [&](std::size_t, int) {
        if (std::this_thread::get_id() != self) ++strays;
      });
  });
  EXPECT_EQ(strays, 0);
}

TEST(Threads, StopBeforeTheFirstPieceRunsNone) {
  for (const int count : {1, 2, 5}) {
    Threads threads(count);
    threads.stop_when([] { return true; });
    std::atomic<int> done = 0;
    EXPECT_THROW(threads.run(100, [&](std::size_t, int) { ++done; }), Stopped);
    EXPECT_THROW(threads.check_stop(), Stopped);
    EXPECT_EQ(done, 0);
    threads.stop_when({});
    threads.check_stop();
    threads.run(100, [&](std::size_t, int) { ++done; });
    EXPECT_EQ(done, 100) << "the team survives";
  }
}

TEST(Threads, StopLetsPiecesThatBeganEndAndStartsNoOthers) {
  for (const int count : {1, 2, 5}) {
    Threads threads(count);
    std::atomic<bool> asked = false;
    std::atomic<int> begun = 0, ended = 0;
    threads.stop_when([&] { return asked.load(); });
    EXPECT_THROW(threads.run(100000,
                             [&](std::size_t piece, int) {
                               ++begun;
                               if (piece == 20) asked = true;
                               ++ended;
                             }),
                 Stopped);
    EXPECT_EQ(begun, ended);
    EXPECT_GT(begun, 0);
    EXPECT_LT(begun, 100000);
    if (count == 1) {
      EXPECT_EQ(begun, 21);
    }
  }
}

TEST(Threads, StopReachesNestedRuns) {
  Threads threads(2);
  std::atomic<bool> asked = false;
  threads.stop_when([&] { return asked.load(); });
  std::atomic<int> inner = 0;
  EXPECT_THROW(threads.run(2,
                           [&](std::size_t, int) {
                             threads.run(1000, [&](std::size_t piece, int) {
                               ++inner;
                               if (piece == 3) asked = true;
                             });
                           }),
               Stopped);
  EXPECT_LT(inner, 2000);
}

TEST(Threads, NothingStopsWhatIsUndivided) {
  for (const int count : {1, 3}) {
    Threads threads(count);
    threads.stop_when([] { return true; });
    std::atomic<int> done = 0;
    {
      const Threads::Undivided outer(threads);
      {
        const Threads::Undivided inner(threads);
        threads.run(50, [&](std::size_t, int) { ++done; });
      }
      threads.check_stop();
      threads.run(50, [&](std::size_t, int) { ++done; });
    }
    EXPECT_EQ(done, 100);
    EXPECT_THROW(threads.run(50, [&](std::size_t, int) { ++done; }), Stopped);
    EXPECT_EQ(done, 100);
  }
}

}  // namespace
}  // namespace bochner
