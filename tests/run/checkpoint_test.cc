// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "bochner/error.h"
#include "scratch.h"

namespace bochner {
namespace {

using Numbers = Checkpoint::Numbers;

class CheckpointLog : public ::testing::Test {
 protected:
  CheckpointLog() : path_(std::filesystem::temp_directory_path() / ("bochner-log-" + std::to_string(::getpid()))) {}
  ~CheckpointLog() override {
    for (const std::string& file : CheckpointPlace::files(path_)) std::filesystem::remove(file);
  }

  // Saves nothing by itself: what a test saves is what a run has when it is killed.
  Checkpoint begin(bool resume, const std::string& rows = "a.csv") {
    return Checkpoint({.path = path_, .resume = resume, .identity = {{"rows", rows}}, .first_seconds = 1e9}, {});
  }
  // A result that counts how often it is made.
  std::function<Numbers()> making(Numbers numbers) {
    return [this, numbers] {
      ++made_;
      return numbers;
    };
  }

  std::string path_;
  int made_ = 0;
};

TEST_F(CheckpointLog, AResumedRunTakesWhatWasSavedAndMakesTheRest) {
  {
    Checkpoint first = begin(false);
    EXPECT_EQ(first.logged("loss 1", 2, making({1, 2})), (Numbers{1, 2}));
    EXPECT_EQ(first.logged("loss 2", 1, making({3})), (Numbers{3}));
    EXPECT_TRUE(first.save_log());
    EXPECT_EQ(first.logged("loss 3", 1, making({4})), (Numbers{4}));  // not saved
    EXPECT_EQ(made_, 3);
  }
  Checkpoint second = begin(true);
  EXPECT_TRUE(second.resumed());
  made_ = 0;
  EXPECT_EQ(second.logged("loss 1", 2, making({-1, -1})), (Numbers{1, 2}));
  EXPECT_EQ(second.logged("loss 2", 1, making({-1})), (Numbers{3}));
  EXPECT_EQ(made_, 0);
  EXPECT_EQ(second.logged("loss 3", 1, making({4})), (Numbers{4}));
  EXPECT_EQ(made_, 1);
}

TEST_F(CheckpointLog, AResultOfAnotherNameOrSizeIsMadeAnewAndEndsWhatIsTaken) {
  {
    Checkpoint first = begin(false);
    for (const char* name : {"a", "b", "c"}) first.logged(name, 1, making({1}));
    first.save_log();
  }
  {
    Checkpoint other_name = begin(true);
    made_ = 0;
    other_name.logged("a", 1, making({2}));
    EXPECT_EQ(other_name.logged("B", 1, making({2})), (Numbers{2}));
    EXPECT_EQ(other_name.logged("c", 1, making({2})), (Numbers{2})) << "what followed belonged to another run";
    EXPECT_EQ(made_, 2);
  }
  Checkpoint other_size = begin(true);
  made_ = 0;
  EXPECT_EQ(other_size.logged("a", 2, making({5, 6})), (Numbers{5, 6}));
  EXPECT_EQ(made_, 1);
}

// whole() is made of three results that are logged too.
TEST_F(CheckpointLog, AResultOutlivesTheOnesItIsMadeOf) {
  const auto whole = [&](Checkpoint& log, int stop_before) {
    return log.logged("whole", 1, [&] {
      double sum = 0;
      for (int i = 0; i < 3; ++i) {
        if (i == stop_before) throw Stopped();
        sum += log.logged("part " + std::to_string(i), 1, making({double(1 << i)}))[0];
      }
      return Numbers{sum};
    });
  };
  {
    Checkpoint killed = begin(false);
    killed.logged("before", 1, making({0}));
    EXPECT_THROW(whole(killed, 2), Stopped);
    killed.save_log();
  }
  {
    Checkpoint second = begin(true);
    made_ = 0;
    second.logged("before", 1, making({0}));
    EXPECT_EQ(whole(second, -1), (Numbers{7}));
    EXPECT_EQ(made_, 1) << "two of three parts were found";
    second.logged("after", 1, making({9}));
    second.save_log();
  }
  Checkpoint third = begin(true);
  made_ = 0;
  third.logged("before", 1, making({0}));
  EXPECT_EQ(whole(third, -1), (Numbers{7}));
  EXPECT_EQ(third.logged("after", 1, making({-1})), (Numbers{9})) << "the parts no longer lie between";
  EXPECT_EQ(made_, 0);
}

TEST_F(CheckpointLog, IsSavedAsSoonAsItMayBe) {
  {
    Checkpoint eager({.path = path_, .identity = {{"rows", "a.csv"}}, .first_seconds = 0, .share = 1e6}, {});
    eager.logged("a", 1, making({1}));
    EXPECT_TRUE(std::filesystem::exists(path_));
  }
  Checkpoint second = begin(true);
  EXPECT_EQ(second.logged("a", 1, making({-1})), (Numbers{1}));
}

TEST_F(CheckpointLog, ASaveThatFailsIsSaidAndTheRunGoesOn) {
  std::vector<std::string> said;
  Checkpoint nowhere({.path = path_ + "-absent/log", .first_seconds = 0}, [&](const auto& t) { said.push_back(t); });
  EXPECT_EQ(nowhere.logged("a", 1, making({1})), (Numbers{1}));
  EXPECT_EQ(nowhere.logged("b", 1, making({2})), (Numbers{2}));
  ASSERT_EQ(said.size(), 1u) << "and is not tried again at once";
  EXPECT_NE(said[0].find("not saved"), std::string::npos);
}

TEST_F(CheckpointLog, OfAnotherTrainingIsRefusedWithWhatDiffers) {
  {
    Checkpoint first = begin(false);
    first.logged("a", 1, making({1}));
    first.save_log();
  }
  try {
    begin(true, "b.csv");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rows is a.csv there and b.csv now"), std::string::npos) << error.what();
  }
  Checkpoint fresh = begin(false, "b.csv");  // does not look
  EXPECT_FALSE(fresh.resumed());
  made_ = 0;
  fresh.logged("a", 1, making({2}));
  EXPECT_EQ(made_, 1);
}

TEST_F(CheckpointLog, StandsBesideTheStateOfAStepThatWasStopped) {
  const std::vector<double> state{3, 4};
  const auto save = [&](Archive& archive) { archive.put_view("x", std::span<const double>(state), {2}); };
  {
    Checkpoint first = begin(false);
    first.logged("a", 1, making({1}));
    EXPECT_THROW(first.saved_when_stopped("step", save, [] { throw Stopped(); }), Stopped);
  }
  Checkpoint second = begin(true);
  EXPECT_EQ(second.logged("a", 1, making({-1})), (Numbers{1}));
  const auto taken = second.take("step");
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->get<double>("x", {2}), state);
  EXPECT_FALSE(second.take("step")) << "taken once";
}

TEST_F(CheckpointLog, AsksForWhatTakesTimeOnlyWhenItIsNeededAndOnce) {
  int asked = 0;
  const auto options = [&](bool resume, const std::string& hash) {
    CheckpointOptions chosen{.path = path_, .resume = resume, .first_seconds = 1e9};
    chosen.late_identity = [&asked, hash] {
      ++asked;
      return CheckpointOptions::Identity{{"the data", hash}};
    };
    return chosen;
  };
  {
    Checkpoint first(options(false, "1"), {});
    first.logged("a", 1, making({1}));
    EXPECT_EQ(asked, 0) << "nothing was saved yet";
    first.save_log();
    first.logged("b", 1, making({2}));
    first.save_log();
    EXPECT_EQ(asked, 1);
  }
  EXPECT_THROW(Checkpoint(options(true, "2"), {}), Error);
  EXPECT_TRUE(Checkpoint(options(true, "1"), {}).resumed());
}

TEST_F(CheckpointLog, OfDataThatChangedIsNotSaved) {
  std::vector<std::string> said;
  CheckpointOptions options{.path = path_};
  options.late_identity = []() -> CheckpointOptions::Identity { throw Error(Error::Kind::data, "rows.csv: changed"); };
  Checkpoint first(options, [&](const auto& line) { said.push_back(line); });
  first.logged("a", 1, making({1}));
  EXPECT_FALSE(first.save_log());
  EXPECT_FALSE(std::filesystem::exists(path_));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("rows.csv: changed"), std::string::npos) << said[0];
}

TEST_F(CheckpointLog, OfATrainingThatRunsIsItsOwn) {
  Checkpoint first = begin(false);
  first.logged("a", 1, making({1}));
  Checkpoint early = begin(false);  // began before the first one saved
  first.save_log();
  const std::string saved = testing_files::read_bytes(path_);
  EXPECT_THROW(begin(true), Error);
  EXPECT_THROW(begin(false), Error);
  early.logged("b", 1, making({2}));
  EXPECT_FALSE(early.save_log());
  EXPECT_EQ(testing_files::read_bytes(path_), saved);
}

TEST(Logged, WithoutACheckpointIsTheWorkItself) {
  EXPECT_EQ(logged(nullptr, "a", 1, [] { return Numbers{5}; }), (Numbers{5}));
}

}  // namespace
}  // namespace bochner
