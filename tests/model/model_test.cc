// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "bochner/error.h"
#include "bochner/train.h"

namespace bochner {
namespace {

const std::string kData = BOCHNER_TEST_DATA;

// A file of its own per test, gone afterwards.
class ModelFile : public ::testing::Test {
 protected:
  ModelFile() : path_(std::filesystem::temp_directory_path() / ("bochner-" + std::to_string(::getpid()) + ".model")) {}
  ~ModelFile() override { std::filesystem::remove(path_); }

  std::string path() const { return path_.string(); }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path path_;
};

Model train_cpu(int threads = 2, std::size_t block_rows = 0) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  return train(*rows, {.features = 128, .execution = {.threads = threads, .block_rows = block_rows}});
}

TEST_F(ModelFile, PredictsTheSameAfterLoading) {
  const Model model = train_cpu();
  model.save(path());
  const Model again = Model::load(path());
  const auto rows = open_rows(kData + "/cpu-new.csv", model.schema());
  const auto rows_again = open_rows(kData + "/cpu-new.csv", again.schema());
  const Matrix<double> expected = model.predict(*rows);
  ASSERT_GT(expected.rows(), 0u);
  EXPECT_EQ(expected, again.predict(*rows_again));
  EXPECT_EQ(model.schema(), again.schema());
  EXPECT_EQ(model.description(), again.description());
}

TEST_F(ModelFile, HasTheSameBytesForAnyThreadsAndBlocks) {
  train_cpu(1).save(path());
  const std::string one = bytes();
  ASSERT_FALSE(one.empty());
  for (const auto& [threads, block] : {std::pair{2, 0}, {3, 1024}, {7, 100}}) {
    train_cpu(threads, std::size_t(block)).save(path());
    EXPECT_EQ(one, bytes()) << threads << " threads, blocks of " << block;
  }
}

TEST_F(ModelFile, LearnsMixedColumnsWithMissingCells) {
  const auto rows = open_rows(kData + "/adult-small.csv", {.targets = {"income"}});
  const Model model = train(*rows, {.features = 256});
  model.save(path());
  const Model again = Model::load(path());
  const auto fresh = open_rows(kData + "/adult-new.csv", again.schema());
  const Score score = again.evaluate(*fresh);
  // Predicting the more frequent class alone is wrong on about 24 %.
  EXPECT_LT(*score.error, 0.21);
}

TEST_F(ModelFile, LearnsSparseRows) {
  const auto rows = open_rows(kData + "/adult-small.svm");
  ASSERT_TRUE(rows->schema().sparse);
  const Model model = train(*rows, {.features = 256});
  EXPECT_LT(*model.evaluate(*rows).error, 0.19);
}

TEST_F(ModelFile, BalancedClassesFindMoreOfTheRareOne) {
  const auto rows = open_rows(kData + "/adult-small.csv", {.targets = {"income"}});
  const auto predicted_rare = [&](bool balanced) {
    const Model model = train(*rows, {.features = 128, .balanced = balanced});
    const Matrix<double> scores = model.predict(*rows);
    std::size_t count = 0;
    for (std::size_t i = 0; i < scores.rows(); ++i) count += scores(i, 0) > 0;
    return count;
  };
  EXPECT_GT(predicted_rare(true), predicted_rare(false) + rows->size().value() / 20);
}

TEST_F(ModelFile, CutAnywhereIsAnError) {
  train_cpu().save(path());
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 97) {
    std::ofstream(path(), std::ios::binary).write(whole.data(), std::streamsize(length));
    try {
      Model::load(path());
      FAIL() << "loaded " << length << " of " << whole.size() << " bytes";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), Error::Kind::model) << e.what();
    }
  }
}

TEST_F(ModelFile, FlippedBytesNeverCrash) {
  train_cpu().save(path());
  const std::string whole = bytes();
  std::size_t refused = 0, tried = 0;
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 500, ++tried) {
    std::string broken = whole;
    broken[at] = char(broken[at] ^ 0x15);
    std::ofstream(path(), std::ios::binary).write(broken.data(), std::streamsize(broken.size()));
    try {
      Model::load(path());  // a flipped coefficient is still a model
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, tried / 10);
}

TEST(Fit, TakesAMapTheCallerMade) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const MapPtr map = fourier(rows->schema().inputs, {.kernel = laplacian(1e6), .features = 64});
  const Model model = fit(*rows, map, {.lambdas = {1e-6}});
  EXPECT_EQ(model.feature_map(), map);
  EXPECT_GT(*model.evaluate(*rows).r2, 0.3);
}

TEST(Train, ValidationRowsChooseLambda) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const auto validation = open_rows(kData + "/cpu-new.csv", rows->schema());
  const Model model = train(*rows, {.features = 128, .validation = validation.get(), .validation_name = "cpu-new.csv"});
  EXPECT_EQ(model.report().validation, "cpu-new.csv");
  const Score score = model.evaluate(*validation);
  EXPECT_NEAR(*model.report().score->rmse, *score.rmse, 1e-3 * *score.rmse);
  for (const Report::PathPoint& point : model.report().path)
    if (point.score.rmse) {
      EXPECT_LE(*model.report().score->rmse, *point.score.rmse * (1 + 1e-9));
    }
}

TEST(Train, RoundsFeaturesUpToPairsOfCosineAndSine) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  EXPECT_EQ(train(*rows, {.bandwidth = 5, .features = 7}).report().features, 8u);
}

TEST(Train, RefusesWhatItCannotDo) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  EXPECT_THROW(train(*rows, {.bandwidth = -1}), std::invalid_argument);
  EXPECT_THROW(train(*rows, {.bandwidth = std::vector<double>{1, 2}}), std::invalid_argument);
  EXPECT_THROW(train(*rows, {.bandwidth = Bandwidth::Rule::given}), std::invalid_argument);
  EXPECT_THROW(train(*rows, {.map = std::vector<MapPart>()}), std::invalid_argument);
  EXPECT_THROW(train(*rows, {.balanced = true}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
