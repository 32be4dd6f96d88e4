// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/ranks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "bochner/error.h"
#include "bochner/kmeans.h"
#include "bochner/mixture.h"
#include "bochner/model.h"
#include "bochner/pca.h"
#include "bochner/stream.h"
#include "bochner/train.h"
#include "run/reduced.h"

namespace bochner {
namespace {

namespace fs = std::filesystem;
const std::string kData = BOCHNER_TEST_DATA;

struct Count {
  std::uint64_t rows = 0;
  void add(const RowBlock<float>& block) { rows += block.rows; }
  void merge(const Count& other) { rows += other.rows; }
  void save(Archive& archive) const { archive.put_count("rows", rows); }
  void load(const Archive& archive) { rows = archive.get_count("rows"); }
};

class RanksTest : public ::testing::Test {
 protected:
  RanksTest() : folder_(fs::temp_directory_path() / ("bochner-ranks-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~RanksTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // The rows of cpu-small in so many files.
  std::vector<std::string> files(std::size_t count) const {
    std::ifstream in(kData + "/cpu-small.csv");
    std::string header, line;
    std::getline(in, header);
    std::vector<std::string> paths;
    std::vector<std::ofstream> out;
    for (std::size_t f = 0; f < count; ++f) {
      paths.push_back(path("part" + std::to_string(f) + ".csv"));
      out.emplace_back(paths.back()) << header << "\n";
    }
    for (std::size_t i = 0; std::getline(in, line); ++i) out[i % count] << line << "\n";
    return paths;
  }

  // The bytes of the models that all ranks got, which are the same. learn(rows, execution) -> Model.
  template <class Learn>
  std::string model_of(const std::vector<std::string>& paths, int count, const Learn& learn,
                       const RowsOptions& options = {.targets = {"usr"}}) const {
    std::vector<std::string> saved(static_cast<std::size_t>(count));
    run_ranks(count, [&](Ranks& ranks) {
      const std::string to = path("rank" + std::to_string(ranks.rank()) + ".model");
      const std::unique_ptr<Rows> rows = open_on_ranks(paths, options, ranks);
      learn(*rows, Execution{.threads = 1, .ranks = &ranks}).save(to);
      std::ifstream in(to, std::ios::binary);
      saved[std::size_t(ranks.rank())] = {std::istreambuf_iterator<char>(in), {}};
    });
    for (const std::string& model : saved) EXPECT_TRUE(model == saved[0]);
    return saved[0];
  }
  // One rank, several, more than there are files.
  template <class Learn>
  void expect_same(const Learn& learn, const RowsOptions& options = {.targets = {"usr"}}) const {
    for (const std::size_t count : {1u, 5u}) {
      const std::vector<std::string> paths = files(count);
      const std::string one = model_of(paths, 1, learn, options);
      EXPECT_GT(one.size(), 500u);
      for (const int ranks : {2, 3, 7})
        EXPECT_TRUE(model_of(paths, ranks, learn, options) == one) << count << " files, " << ranks << " ranks";
    }
  }

 private:
  fs::path folder_;
};

TEST_F(RanksTest, TrainTheSameRidgeHoweverManyThereAre) {
  for (const bool wide : {false, true})
    expect_same([&](Rows& rows, const Execution& execution) {
      return train(rows, {.features = 64, .double_precision = wide, .execution = execution});
    });
  expect_same([](Rows& rows, const Execution& execution) {
    return train(rows, {.map = Nystroem{}, .features = 40, .execution = execution});
  });
  expect_same(
      [](Rows& rows, const Execution& execution) { return train(rows, {.map = NoMap{}, .execution = execution}); });
}

TEST_F(RanksTest, FindTheSameComponentsAndMixtures) {
  const RowsOptions inputs{.targets = {"usr"}, .inputs_only = true};
  expect_same([](Rows& rows,
                 const Execution& execution) { return pca(rows, {.rank = 3, .features = {.execution = execution}}); },
              inputs);
  expect_same(
      [](Rows& rows, const Execution& execution) {
        return mixture(rows, {.components = 3, .features = {.execution = execution}});
      },
      inputs);
}

TEST_F(RanksTest, FindTheSameClusters) {
  expect_same(
      [](Rows& rows, const Execution& execution) {
        return kmeans(rows, {.clusters = 4, .features = {.features = 16, .execution = execution}});
      },
      {.targets = {"usr"}, .inputs_only = true});
}

// C and delta are searched, by rows held out.
TEST_F(RanksTest, LearnTheSameBySmoothLosses) {
  const std::vector<std::string> paths = files(3);
  const auto learn = [](Rows& rows, const Execution& execution) {
    return train(rows, {.features = 16, .learner = {.learner = Learner::huber}, .execution = execution});
  };
  EXPECT_TRUE(model_of(paths, 3, learn) == model_of(paths, 1, learn));
}

// L-BFGS over ranks and Newton's steps of one process end at the same optimum.
TEST_F(RanksTest, FindTheOptimumThatNewtonFinds) {
  const std::vector<std::string> paths = files(1);
  const auto compare = [&](const std::string& file, const RowsOptions& reading, const LearnerOptions& learner) {
    const Model alone = train(*open_rows(file, reading), {.features = 24, .learner = learner});
    std::optional<Model> together;
    run_ranks(1, [&](Ranks& ranks) {
      const std::unique_ptr<Rows> rows = open_on_ranks({file}, reading, ranks);
      together = train(*rows, {.features = 24, .learner = learner, .execution = {.threads = 1, .ranks = &ranks}});
    });
    const Matrix<double> a = alone.predict(*open_rows(file, alone.schema()));
    const Matrix<double> b = together->predict(*open_rows(file, together->schema()));
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) {
      largest = std::max(largest, std::abs(a.data()[i]));
      apart = std::max(apart, std::abs(a.data()[i] - b.data()[i]));
    }
    EXPECT_LT(apart, 0.01 * largest) << learner_row(learner.learner).name;
  };
  compare(paths[0], {.targets = {"usr"}}, {.learner = Learner::huber, .C = {1.0}, .parameter = 5.0});
  compare(paths[0], {.targets = {"usr"}},
          {.learner = Learner::svr, .loss = MarginLoss::squared, .C = {1.0}, .parameter = 2.0});
  const RowsOptions income{.targets = {"income"}};
  compare(kData + "/adult-small.csv", income, {.learner = Learner::logistic, .C = {1.0}});
  compare(kData + "/adult-small.csv", income, {.learner = Learner::svm, .loss = MarginLoss::squared, .C = {0.1}});
  compare(kData + "/cpu-small.csv", {.targets = {"usr"}, .task = Task::classification},
          {.learner = Learner::logistic, .C = {0.1}});
}

// The same rows, read and trained by one process that knows of no ranks.
TEST_F(RanksTest, LearnWhatOneProcessLearns) {
  const std::vector<std::string> paths = files(1);
  const auto rows = open_rows(paths[0], RowsOptions{.targets = {"usr"}});
  TrainOptions options{.features = 64};
  options.ridge.solver = RidgeOptions::Solver::cholesky;
  const Model alone = train(*rows, options);
  run_ranks(3, [&](Ranks& ranks) {
    const std::unique_ptr<Rows> share = open_on_ranks(paths, {.targets = {"usr"}}, ranks);
    const Model together = train(*share, {.features = 64, .execution = {.threads = 1, .ranks = &ranks}});
    const auto again = open_rows(paths[0], together.schema());
    const auto own = open_rows(paths[0], alone.schema());
    EXPECT_EQ(together.predict(*again), alone.predict(*own));
  });
}

TEST_F(RanksTest, RowsMeetForWhatIsNoSum) {
  const std::vector<std::string> paths = files(3);
  const auto alike = [&](const TrainOptions& given) {
    EXPECT_NE(gathered_because(given), "");
    const auto learn = [&](Rows& rows, const Execution& execution) {
      TrainOptions options = given;
      options.execution = execution;
      return train(rows, options);
    };
    const std::string one = model_of(paths, 1, learn);
    EXPECT_TRUE(model_of(paths, 2, learn) == one);
    EXPECT_TRUE(model_of(paths, 3, learn) == one);
  };
  alike({.automatic = Effort::fast});
  alike({.features = 20, .learner = {.learner = Learner::quantile, .C = {1}}});
  alike({.map = Binning{}, .features = 10});
  alike({.features = 20, .calibrate = true});
  TrainOptions cg{.features = 32};
  cg.ridge.solver = RidgeOptions::Solver::cg;
  alike(cg);
  EXPECT_EQ(gathered_because({.features = 32}), "");
  std::vector<std::string> said;
  const auto hear = [&](const std::string& line) { said.push_back(line); };
  model_of(paths, 1, [&](Rows& rows, const Execution& execution) {
    return train(rows, {.map = Binning{}, .features = 10, .execution = execution, .notice = hear});
  });
  EXPECT_NE(std::find_if(said.begin(), said.end(),
                         [](const std::string& line) {
                           return line.find("rows meet on every rank: 1000 of 1000") != line.npos;
                         }),
            said.end());
}

TEST_F(RanksTest, RefuseRowsOfTheCallersOwn) {
  const std::vector<std::string> paths = files(2);
  EXPECT_THROW(model_of(paths, 2,
                        [&](Rows& rows, const Execution& execution) {
                          return train(rows, {.features = 32, .groups = {1, 2}, .execution = execution});
                        }),
               std::invalid_argument);
}

TEST_F(RanksTest, ReduceAFoldOfOnesOwn) {
  const std::vector<std::string> paths = files(3);
  std::atomic<std::uint64_t> total = 0;
  run_ranks(3, [&](Ranks& ranks) {
    const auto rows = open_rows(paths[std::size_t(ranks.rank())], RowsOptions{.targets = {"usr"}});
    const Count all = reduce(ranks, Count{}, [&] { return fold(*rows, nullptr, Count{}); });
    total += all.rows;
  });
  const auto whole = open_rows(kData + "/cpu-small.csv", RowsOptions{.targets = {"usr"}});
  EXPECT_EQ(total, 3 * fold(*whole, nullptr, Count{}).rows);
}

// Nobody waits for a rank that failed; its own exception tells why, the others' name it.
TEST_F(RanksTest, FailTogether) {
  std::vector<std::string> paths = files(3), said(3);
  std::ofstream(paths[1], std::ios::app) << "1,2,3\n";
  run_ranks(3, [&](Ranks& ranks) {
    try {
      open_on_ranks(paths, {.targets = {"usr"}}, ranks);
    } catch (const Error& error) {
      said[std::size_t(ranks.rank())] = error.what();
    }
  });
  EXPECT_NE(said[1].find("part1.csv"), std::string::npos) << said[1];
  EXPECT_EQ(said[0], "rank 1: " + said[1]);
  EXPECT_EQ(said[2], said[0]);
}

TEST_F(RanksTest, RefuseTheSameFileTwice) {
  std::vector<std::string> paths = files(2);
  paths.push_back(paths[0]);
  EXPECT_THROW(run_ranks(2, [&](Ranks& ranks) { open_on_ranks(paths, {.targets = {"usr"}}, ranks); }), Error);
  EXPECT_THROW(run_ranks(2, [&](Ranks& ranks) { open_on_ranks({}, {}, ranks); }), std::invalid_argument);
  EXPECT_THROW(run_ranks(0, [](Ranks&) {}), std::invalid_argument);
}

struct FewRows : Count {
  void merge(const FewRows& other) {
    rows += other.rows;
    if (rows > 10) throw std::invalid_argument("too many");
  }
};

TEST(Brought, AnAdditionThatIsRefusedLeavesTheSumAsItWas) {
  const FewRows empty;
  const BeginJoining begin = [&] { return std::make_unique<JoiningFolds<FewRows>>(empty); };
  const auto rows = [](std::uint64_t count) {
    FewRows sum;
    sum.rows = count;
    return "+" + JoiningFolds<FewRows>::bytes_of(sum);
  };
  Brought brought(begin);
  EXPECT_EQ(brought.joined(), "");
  EXPECT_EQ(brought.add(""), std::nullopt);
  std::string damaged = rows(1);
  damaged.back() ^= 1;
  EXPECT_NE(brought.add(damaged), std::nullopt);
  EXPECT_EQ(brought.joined(), "");
  EXPECT_EQ(brought.add(rows(4)), std::nullopt);
  EXPECT_EQ(brought.add(rows(9)), "too many");
  EXPECT_EQ(brought.add("!rank 3: lost"), "rank 3: lost");
  EXPECT_NE(brought.add(damaged), std::nullopt);
  EXPECT_EQ(brought.add(rows(3)), std::nullopt);
  EXPECT_EQ(brought.joined(), rows(7));
}

TEST_F(RanksTest, DoNotWaitForOneThatIsGone) {
  std::atomic<int> told = 0;
  run_ranks(3, [&](Ranks& ranks) {
    if (ranks.rank() == 1) return;
    try {
      ranks.reduce("x", [](const std::string& a, const std::string& b) { return a + b; });
    } catch (const Error&) {
      ++told;
    }
  });
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace bochner
