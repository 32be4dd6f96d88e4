// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <thread>

#include "base/archive.h"
#include "bochner/drift.h"
#include "bochner/embedding.h"
#include "bochner/error.h"
#include "bochner/evaluation.h"
#include "bochner/hmm.h"
#include "bochner/json.h"
#include "bochner/kmeans.h"
#include "bochner/mixture.h"
#include "bochner/pca.h"
#include "bochner/ranks.h"
#include "bochner/stream.h"
#include "bochner/train.h"
#include "methods/mixtures/hmm_on_ranks.h"
#include "model/rank_rows.h"
#include "random/draw.h"

namespace bochner {
namespace {

namespace fs = std::filesystem;
const std::string kData = BOCHNER_TEST_DATA;

class RoundsTest : public ::testing::Test {
 protected:
  RoundsTest() : folder_(fs::temp_directory_path() / ("bochner-rounds-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    std::ifstream in(kData + "/cpu-small.csv");
    std::string header, line;
    std::getline(in, header);
    std::vector<std::ofstream> out;
    for (std::size_t f = 0; f < kPartitions; ++f) {
      files_.push_back(path("part" + std::to_string(f) + ".csv"));
      out.emplace_back(files_.back()) << header << "\n";
    }
    for (std::size_t i = 0; std::getline(in, line); ++i) out[(i + i / 5) % kPartitions] << line << "\n";
  }
  ~RoundsTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string bytes_of(const Model& model) const {
    model.save(path("m.model"));
    std::ifstream in(path("m.model"), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string task(const Rounds& rounds, std::size_t p) const {
    return run_task(rounds.plan(), p, file_partition(files_[p], reading_), learn_, {.threads = 1});
  }
  // All tasks of a round, in the order given.
  void run_round(Rounds& rounds, std::vector<std::size_t> order) const {
    const std::string plan = rounds.plan();
    for (const std::size_t p : order)
      rounds.add(run_task(plan, p, file_partition(files_[p], reading_), learn_, {.threads = 1}));
  }
  std::string model_of(Rounds rounds) const {
    while (!rounds.done()) run_round(rounds, rounds.missing());
    return bytes_of(rounds.model());
  }
  // The same files on one rank.
  std::string alone() const {
    std::string model;
    run_ranks(1, [&](Ranks& ranks) {
      const auto rows = open_on_ranks(files_, reading_, ranks);
      model = bytes_of(learn_(*rows, {.threads = 1, .ranks = &ranks}).value());
    });
    return model;
  }
  // The rows of all partitions, in order.
  std::string whole_file() const {
    std::ofstream whole(path("whole.csv"));
    for (std::size_t f = 0; f < files_.size(); ++f) {
      std::ifstream in(files_[f]);
      std::string line;
      for (std::size_t i = 0; std::getline(in, line); ++i)
        if (i > 0 || f == 0) whole << line << "\n";
    }
    return path("whole.csv");
  }
  // Runs the job over the partitions, which may lie in more than one folder.
  static void run(Rounds& job, const std::vector<Partition>& partitions, const Learn& learn) {
    while (!job.done()) {
      const std::string plan = job.plan();
      for (const std::size_t p : job.missing()) job.add(run_task(plan, p, partitions[p], learn, {.threads = 1}));
    }
  }
  Rounds rounds() const { return Rounds("ridge", kPartitions, learn_, {.threads = 1}); }
  static std::string refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  static constexpr std::size_t kPartitions = 7;
  std::vector<std::string> files_;
  RowsOptions reading_{.targets = {"usr"}};
  Learn learn_ = [](Rows& rows, const Execution& execution) {
    return train(rows, {.features = 48, .execution = execution});
  };

 private:
  fs::path folder_;
};

TEST_F(RoundsTest, LearnWhatOneProcessLearnsInAnyOrderOfTheTasks) {
  const std::string expected = alone();
  std::mt19937 draw(1);
  for (int run = 0; run < 2; ++run) {
    Rounds job = rounds();
    while (!job.done()) {
      std::vector<std::size_t> order = job.missing();
      std::shuffle(order.begin(), order.end(), draw);
      run_round(job, order);
    }
    EXPECT_TRUE(bytes_of(job.model()) == expected);
  }
}

TEST_F(RoundsTest, RunEveryMethodThatPassesBySums) {
  const RowsOptions inputs{.targets = {"usr"}, .inputs_only = true};
  reading_ = inputs;
  const auto expect_same = [&](const Learn& learn) {
    learn_ = learn;
    EXPECT_TRUE(model_of(rounds()) == alone());
  };
  expect_same([](Rows& rows, const Execution& execution) {
    return pca(rows, {.rank = 3, .features = {.features = 32, .execution = execution}});
  });
  expect_same([](Rows& rows, const Execution& execution) {
    return mixture(rows, {.components = 2, .rounds = 3, .features = {.execution = execution}});
  });
}

TEST_F(RoundsTest, GoOnWhereTheDriverWasKilled) {
  const std::string expected = alone();
  std::string state;
  {
    Rounds job = rounds();
    run_round(job, job.missing());
    run_round(job, {3, 0});
    state = job.state();
  }
  Rounds job = Rounds::of_state(state, learn_, {.threads = 1});
  EXPECT_EQ(job.round(), 1u);
  EXPECT_EQ(job.missing(), (std::vector<std::size_t>{1, 2, 4, 5, 6}));
  EXPECT_TRUE(model_of(std::move(job)) == expected);
  state[state.size() / 2] ^= 1;
  EXPECT_THROW(Rounds::of_state(state, learn_), Error);
}

TEST_F(RoundsTest, CountATaskOnceThatRanTwice) {
  Rounds job = rounds();
  const std::string result = task(job, 2);
  EXPECT_TRUE(job.add(result));
  EXPECT_FALSE(job.add(result));
  EXPECT_FALSE(job.add(task(job, 2)));
  EXPECT_TRUE(model_of(std::move(job)) == alone());
}

// A refused result leaves the job as it was.
TEST_F(RoundsTest, RefuseByNameWhatIsNoSumOfThisRound) {
  Rounds job = rounds(), other = rounds();
  const std::string first = task(job, 1);
  std::string altered = first;
  altered[altered.size() - 3] ^= 4;
  EXPECT_THAT(refusal([&] { job.add(altered); }), ::testing::HasSubstr("checksum"));
  EXPECT_THAT(refusal([&] { job.add(first.substr(0, first.size() / 2)); }), ::testing::Not(""));
  EXPECT_THAT(refusal([&] { other.add(first); }), ::testing::HasSubstr("a result of job"));
  run_round(job, job.missing());
  EXPECT_THAT(refusal([&] { job.add(first); }), ::testing::HasSubstr("a result of round 0, expected one of round 1"));
  fs::copy_file(kData + "/cpu-small.csv", files_[1], fs::copy_options::overwrite_existing);
  EXPECT_THAT(refusal([&] { task(job, 1); }), ::testing::HasSubstr("partition 1: found "));
}

TEST_F(RoundsTest, RefuseTheSameRowsTwice) {
  fs::copy_file(files_[0], files_[4], fs::copy_options::overwrite_existing);
  Rounds job = rounds();
  EXPECT_THAT(refusal([&] {
                run_round(job, {4, 2, 0});
              }),
              ::testing::HasSubstr("partition 0 has the same rows as partition 4"));
  EXPECT_EQ(job.missing(), (std::vector<std::size_t>{0, 1, 3, 5, 6}));
}

// What goes wrong in a task is told where it runs, and the job waits for another try.
TEST_F(RoundsTest, RunATaskAgainThatFailed) {
  const std::string whole = path("whole.csv");
  fs::copy_file(files_[5], whole);
  std::ofstream(files_[5], std::ios::app) << "1,2,3\n";
  Rounds job = rounds();
  EXPECT_THAT(refusal([&] { task(job, 5); }), ::testing::HasSubstr("part5.csv"));
  fs::copy_file(whole, files_[5], fs::copy_options::overwrite_existing);
  EXPECT_TRUE(model_of(std::move(job)) == alone());
}

TEST_F(RoundsTest, RunTasksSideBySide) {
  Rounds job = rounds();
  while (!job.done()) {
    std::vector<std::string> results(kPartitions);
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    const std::string plan = job.plan();
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (std::size_t p; (p = next++) < kPartitions;)
          results[p] = run_task(plan, p, file_partition(files_[p], reading_), learn_, {.threads = 1});
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& result : results) job.add(result);
  }
  EXPECT_TRUE(bytes_of(job.model()) == alone());
}

// The automatic machine is no sum: rows meet, in the order of the partitions.
TEST_F(RoundsTest, RowsMeetForWhatIsNoSum) {
  learn_ = [](Rows& rows, const Execution& execution) {
    return train(rows, {.automatic = Effort::fast, .execution = execution});
  };
  Rounds job = rounds();
  run_round(job, {6, 2, 4, 0, 1, 5, 3});
  EXPECT_EQ(job.round(), 1u);
  run_round(job, {1, 5, 3, 6, 2, 4, 0});
  ASSERT_TRUE(job.done());
  const std::string whole = whole_file();
  // Only the means that fill missing cells differ from those of one process.
  const auto rows = open_rows(whole, reading_);
  const Model whole_model = learn_(*rows, {.threads = 2}).value();
  rows->rewind();
  const auto again = open_rows(whole, job.model().schema());
  EXPECT_TRUE(job.model().predict(*again) == whole_model.predict(*rows));
  EXPECT_THROW(Rounds("none", 0, learn_), std::invalid_argument);
}

// Tables in memory: what one partition does not know of classes and texts, others tell it.
TEST_F(RoundsTest, JoinClassesOfFrames) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> y{0, 1, 0, 1, 0, 0, 1, 0};
  const std::vector<std::vector<std::string>> labels{{"a", "c"}, {"b", "c"}};
  learn_ = [](Rows& rows, const Execution& execution) { return train(rows, {.map = NoMap{}, .execution = execution}); };
  Rounds job("classes", 3, learn_);
  while (!job.done()) {
    const std::string plan = job.plan();
    for (std::size_t p = 0; p < 2; ++p) {
      Frame frame{.rows = 8};
      frame.columns = {{.name = "x", .cells = x.data()}};
      frame.targets = {y.data(), 8, 1, 1};
      frame.labels = labels[p];
      frame.target_names = {"y"};
      std::vector<double> shifted = x;
      for (double& value : shifted) value += double(p);
      frame.columns[0].cells = shifted.data();
      job.add(run_task(plan, p, frame_partition(frame), learn_));
    }
    job.add(run_task(plan, 2, {}, learn_));
  }
  EXPECT_EQ(job.model().schema().labels, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(job.model().report().rows, 16u);
}

// What the training itself throws ends the job, however often it is asked.
TEST_F(RoundsTest, KeepWhatTheTrainingThrew) {
  learn_ = [](Rows&, const Execution&) -> std::optional<Model> { throw Error(Error::Kind::data, "no such training"); };
  Rounds job = rounds();
  const std::string first = task(job, 0);
  const auto expect_again = [](const std::function<void()>& call) {
    EXPECT_THAT(refusal(call), ::testing::HasSubstr("no such training"));
  };
  expect_again([&] { run_round(job, job.missing()); });
  expect_again([&] { job.plan(); });
  expect_again([&] { job.add(first); });
  expect_again([&] { job.model(); });
  expect_again([&] { Rounds::of_state(job.state(), learn_); });
}

TEST_F(RoundsTest, RefuseMoreSumsThanTheTrainingTakes) {
  Rounds job = rounds();
  run_round(job, job.missing());
  run_round(job, job.missing());
  const std::string state = job.state(), plan = job.plan();
  const Learn short_one = [this](Rows&, const Execution&) { return train(*open_rows(files_[0], reading_), {}); };
  EXPECT_THAT(refusal([&] { Rounds::of_state(state, short_one); }), ::testing::HasSubstr("more sums"));
  Archive other = archive_of_bytes(plan, "plan");  // no training that waits stands at it
  other.put_text("job", "other");
  EXPECT_THAT(refusal([&] { run_task(archive_bytes(other), 0, file_partition(files_[0], reading_), short_one); }),
              ::testing::HasSubstr("more sums"));
}

TEST_F(RoundsTest, RefuseAStateThatWaitsForNothing) {
  Archive state = archive_of_bytes(rounds().state(), "state");
  state.arrays.erase("came");
  state.put<std::uint8_t>("came", std::vector<std::uint8_t>(kPartitions, 1), {kPartitions});
  EXPECT_THAT(refusal([&] { Rounds::of_state(archive_bytes(state), learn_); }), ::testing::HasSubstr("damaged"));
}

TEST_F(RoundsTest, AFileWithoutRowsAddsNothing) {
  std::ifstream in(files_[0]);
  std::string header;
  std::getline(in, header);
  for (const std::size_t f : {2, 3}) std::ofstream(files_[f]) << header << "\n";
  std::ofstream(files_[5]).close();
  const std::string found = model_of(rounds());
  EXPECT_TRUE(found == alone());
  Rounds job = rounds();
  while (!job.done()) run_round(job, job.missing());
  EXPECT_EQ(job.model().report().rows, 573u);
}

TEST_F(RoundsTest, RefuseOtherRowsOfTheSameNumber) {
  Rounds job = rounds();
  run_round(job, job.missing());
  std::stringstream text;
  text << std::ifstream(files_[4]).rdbuf();
  std::string changed = text.str();
  const std::size_t digit = changed.find_first_of("123456789", changed.find('\n'));
  changed[digit] = changed[digit] == '1' ? '2' : '1';
  std::ofstream(files_[4]) << changed;
  EXPECT_THAT(refusal([&] { job.add(task(job, 4)); }),
              ::testing::HasSubstr("partition 4: found other rows than in round 0"));
}

// Rows of weight 0 are far from the others, and no cluster begins there: it would be empty.
TEST_F(RoundsTest, BeginClustersAtRowsThatCount) {
  for (std::size_t f = 0; f < kPartitions; ++f) {
    std::ofstream out(files_[f]);
    out << "x,y,w\n";
    for (std::size_t i = 0; i < 100; ++i) {
      const double far = i % 2 == 0 ? 1000.0 * double(i % 8) : 0;
      out << far + 10.0 * double(i % 3) + 0.01 * double(i % 7) << ',' << 0.01 * double(f + i % 5) - far << ',' << i % 2
          << "\n";
    }
  }
  reading_ = {.weights = "w", .inputs_only = true};
  learn_ = [](Rows& rows, const Execution& execution) {
    return kmeans(rows, {.clusters = 3, .features = {.execution = execution}});
  };
  Rounds job = rounds();
  while (!job.done()) run_round(job, job.missing());
  for (const std::string& note : job.model().report().notes)
    EXPECT_THAT(note, ::testing::Not(::testing::HasSubstr("empty")));
}

// Predictions meet, and the score is that of all rows in one file.
TEST_F(RoundsTest, ScoreAModelOverAllPartitions) {
  const Model model = train(*open_rows(files_[0], reading_), {.features = 32});
  std::string found;
  const Learn score = [&](Rows& rows, const Execution& execution) {
    found = json_text(model.examine(rows, execution));
    return std::nullopt;
  };
  std::vector<Partition> partitions;
  for (const std::string& file : files_) partitions.push_back(file_partition(file, model.schema()));
  Rounds job("scores", kPartitions, score);
  run(job, partitions, score);
  EXPECT_EQ(found, json_text(model.examine(*open_rows(whole_file(), model.schema()))));
  EXPECT_THROW(job.model(), std::invalid_argument);
}

TEST_F(RoundsTest, MeanEmbeddingsAreSumsOverPartitions) {
  reading_.inputs_only = true;
  const MapPtr map = fourier(21, {.kernel = gaussian(1000.0), .features = 16});
  std::optional<MeanEmbedding> found;
  const Learn mean = [&](Rows& rows, const Execution& execution) {
    found = embed(rows, map, execution);
    return std::nullopt;
  };
  std::vector<Partition> partitions;
  for (const std::string& file : files_) partitions.push_back(file_partition(file, reading_));
  Rounds job("mean", kPartitions, mean);
  run(job, partitions, mean);
  EXPECT_TRUE(*found == embed(*open_rows(whole_file(), reading_), map));
}

// Partitions of two folders: rows meet, and drift is that of the two files.
TEST_F(RoundsTest, FindTheDriftOfOneProcess) {
  const RowsOptions inputs{.inputs_only = true};
  std::vector<Partition> partitions;
  for (const std::string& file : files_) partitions.push_back(file_partition(file, inputs));
  const std::string reference = whole_file(), fresh = path("fresh.csv");
  std::ifstream in(files_[3]);
  std::ofstream out(fresh);
  std::string line;
  for (std::size_t i = 0; std::getline(in, line); ++i) out << (i == 0 ? line : "9" + line) << "\n";
  out.close();
  partitions.push_back(file_partition(fresh, inputs));
  Drift found;
  const Learn learn = [&](Rows& rows, const Execution& execution) {
    found = drift_of_partitions(rows, kPartitions, {.permutations = 99, .execution = execution});
    return std::nullopt;
  };
  Rounds job("drift", partitions.size(), learn);
  run(job, partitions, learn);
  const Drift expected = drift(reference, fresh, {.permutations = 99, .reading = inputs});
  EXPECT_EQ(found.p_value, expected.p_value);
  EXPECT_NEAR(found.statistic, expected.statistic, 1e-6 * expected.statistic);
  EXPECT_EQ(found.rows_new, expected.rows_new);
  ASSERT_EQ(found.columns.size(), expected.columns.size());
  for (std::size_t c = 0; c < found.columns.size(); ++c) {
    EXPECT_EQ(found.columns[c].name, expected.columns[c].name);
    EXPECT_EQ(found.columns[c].p_value, expected.columns[c].p_value);
  }
}

// Sequences that lie whole in a partition.
class SequencesTest : public RoundsTest {
 protected:
  SequencesTest() {
    reading_ = {.targets = {"class"}, .ignore = {"id"}};
    for (std::size_t f = 0; f < kPartitions; ++f) {
      std::ofstream out(files_[f]);
      out << "id,x,y,class\n";
      for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t t = 0; t < 5 + (f + i) % 4; ++t) {
          const std::size_t state = (t / 2 + i) % 2;
          out << f << '-' << i << ',' << 3.0 * double(state) + normal(1, Draw::entry, 100 * f + i, t) << ','
              << (i % 2 ? 1 : -1) * double(state) + normal(2, Draw::entry, 100 * f + i, t) << ',' << (i % 2 ? "b" : "a")
              << "\n";
        }
    }
    for (const std::string& file : files_) partitions_.push_back(sequence_partition(file, "id", reading_));
  }
  Model learnt(const Learn& learn) {
    Rounds job("hmm", kPartitions, learn);
    run(job, partitions_, learn);
    rounds_ = job.round();
    return job.model();
  }

  HmmOptions options_{.states = 2, .floor = 0.01, .sequence = "id"};
  std::vector<Partition> partitions_;
  std::size_t rounds_ = 0;
};

TEST_F(SequencesTest, MeetAndGiveTheModelOfOneProcess) {
  const Model found = learnt([&](Rows& rows, const Execution& execution) {
    HmmOptions own = options_;
    own.features.execution = execution;
    return hmm(rows, {}, own);
  });
  const auto rows = open_rows(whole_file(), reading_);
  const Model alone = hmm(*rows, sequence_starts(whole_file(), rows->schema(), "id", reading_), options_);
  EXPECT_EQ(rounds_, 3u);
  EXPECT_TRUE(hmms_of(*found.head()) == hmms_of(*alone.head()));
}

// Where not all of them may meet, rounds of Baum-Welch are sums: the same ones for any number of partitions.
TEST_F(SequencesTest, SumTheRoundsOfBaumWelch) {
  const Learn learn = [&](Rows& rows, const Execution& execution) {
    HmmOptions own = options_;
    own.features.execution = execution;
    own.shrink = 1;
    return hmm_on_ranks(rows, own, 20000);
  };
  const std::string found = bytes_of(learnt(learn));
  EXPECT_GT(rounds_, 4u);
  std::string alone;
  run_ranks(1, [&](Ranks& ranks) {
    auto shares = std::make_shared<RankShares>();
    for (std::size_t p = 0; p < kPartitions; ++p) shares->shares.push_back({p, partitions_[p]});
    const auto rows = rows_on_ranks(kPartitions, shares, ranks, {.threads = 1});
    alone = bytes_of(learn(*rows, {.threads = 3, .ranks = &ranks}).value());
  });
  EXPECT_TRUE(found == alone);
}

TEST_F(SequencesTest, AreRefusedWhereTheyAreCut) {
  const Learn learn = [&](Rows& rows, const Execution& execution) {
    return hmm(rows, {}, {.states = 1, .features = {.execution = execution}});
  };
  std::ofstream(files_[4], std::ios::app) << "6-0,0,0,a\n";
  EXPECT_THAT(refusal([&] { learnt(learn); }), ::testing::HasSubstr("partitions 4 and 6 have rows of one sequence"));
  partitions_[2] = file_partition(files_[2], reading_);
  EXPECT_THROW(learnt(learn), std::exception);
}

}  // namespace
}  // namespace bochner
