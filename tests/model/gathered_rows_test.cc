// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/gathered_rows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "bochner/error.h"

namespace bochner {
namespace {

namespace fs = std::filesystem;

// Files of `rows` rows x, y in all, y = 3 x; the last file has more of them.
class GatheredRowsTest : public ::testing::Test {
 protected:
  explicit GatheredRowsTest()
      : folder_(fs::temp_directory_path() / ("bochner-gathered-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~GatheredRowsTest() override { fs::remove_all(folder_); }

  std::vector<std::string> files(int rows, bool sparse) const {
    std::vector<std::string> paths;
    for (int f = 0, row = 0; f < 3; ++f) {
      paths.push_back((folder_ / (std::to_string(f) + (sparse ? ".svm" : ".csv"))).string());
      std::ofstream out(paths.back());
      if (!sparse) out << "x,z,y,w\n";
      for (const int end = f == 2 ? rows : row + rows / 4; row < end; ++row) {
        if (sparse)
          out << 3 * row + 0.5 << " " << row % 7 + 1 << ":" << row + 0.25 << " 9:1\n";
        else
          out << row + 0.25 << ",1," << 3 * row + 0.5 << "," << row % 3 << "\n";
      }
    }
    return paths;
  }
  // Targets of the gathered rows, and a hash of all they hold.
  struct Seen {
    std::vector<double> targets = {}, values = {}, weights = {};
    bool operator==(const Seen&) const = default;
  };
  static Seen gathered(const std::vector<std::string>& paths, const RowsOptions& options, int count, double bytes) {
    Seen all;
    std::mutex mutex;
    run_ranks(count, [&](Ranks& ranks) {
      const auto rows = open_on_ranks(paths, options, ranks);
      const auto met = gathered_rows(*rows, 5, ranks, bytes);
      Seen seen;
      RowBlock<double> block;
      while (met->next(100, block))
        for (std::size_t i = 0; i < block.rows; ++i) {
          seen.targets.push_back(block.targets[i]);
          if (block.weights) seen.weights.push_back(block.weights[i]);
          const std::size_t begin = block.sparse() ? block.offsets[i] : i * block.stride;
          const std::size_t end = block.sparse() ? block.offsets[i + 1] : begin + block.cols;
          for (std::size_t k = begin; k < end; ++k) seen.values.push_back(block.values[k]);
        }
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(all.targets.empty() || all == seen) << "a rank has other rows";
      all = seen;
    });
    return all;
  }

  fs::path folder_;
};

TEST_F(GatheredRowsTest, AreAllOfThemInOrderForAnyRanks) {
  for (const bool sparse : {false, true}) {
    const std::vector<std::string> paths = files(3000, sparse);
    RowsOptions options{.task = Task::regression};
    if (!sparse) options.targets = {"y"}, options.weights = "w";
    const Seen one = gathered(paths, options, 1, kMostGatheredBytes);
    ASSERT_EQ(one.targets.size(), 3000u);
    for (int i = 0; i < 3000; ++i) {
      EXPECT_EQ(one.targets[std::size_t(i)], 3 * i + 0.5);
      EXPECT_EQ(one.values[2 * std::size_t(i)], i + 0.25);
      if (!sparse) {
        EXPECT_EQ(one.weights[std::size_t(i)], i % 3);
      }
    }
    for (const int count : {2, 3}) EXPECT_TRUE(gathered(paths, options, count, kMostGatheredBytes) == one) << count;
  }
}

TEST_F(GatheredRowsTest, AreDrawnWhereTheyAreTooMany) {
  const std::vector<std::string> paths = files(4000, false);
  const RowsOptions options{.targets = {"y"}, .task = Task::regression};
  const double bytes = 1000 * 8 * 5;  // 1000 rows of three inputs, a target and a number
  const Seen one = gathered(paths, options, 1, bytes * 6 / 5);
  EXPECT_NEAR(double(one.targets.size()), 1000, 150);
  EXPECT_TRUE(std::is_sorted(one.targets.begin(), one.targets.end()));
  EXPECT_TRUE(gathered(paths, options, 3, bytes * 6 / 5) == one);
}

}  // namespace
}  // namespace bochner
