// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors
//
// Whatever happens to the bytes of a saved file, it is refused or means what it meant. Every byte of models and
// checkpoints, and some of sums, is altered in three ways, and the files are cut there.

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <tuple>

#include "base/archive.h"
#include "base/safetensors.h"
#include "bochner/error.h"
#include "bochner/parts.h"
#include "bochner/train.h"
#include "run/checkpoint.h"
#include "scratch.h"

namespace bochner {
namespace {

class Altered : public ::testing::Test {
 protected:
  static constexpr std::size_t kRows = 24, kInputs = 2, kMostBytes = 8000;

  Altered() : x_(kRows, kInputs), y_(kRows, 1) {
    std::mt19937 draw(3);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kInputs; ++j) x_(i, j) = float(draw() % 1000) / 250;
      y_(i, 0) = double(x_(i, 0) * x_(i, 1));
    }
    schema_.inputs = kInputs;
    schema_.targets = 1;
  }

  std::unique_ptr<Rows> rows() const { return memory_rows<float>(x_.view(), y_.view(), schema_); }
  static TrainOptions options(const std::string& map) {
    TrainOptions options;
    options.map = parse_map_options(map);
    options.features = 4;
    options.bandwidth = 1;
    options.ridge.lambdas = {1e-3};
    options.execution.threads = 1;
    return options;
  }

  // look(path) is what a file means: it must throw Error::Kind::model or give what it gave. A checkpoint that does not
  // begin as one any more is another's file: its place is refused, and the file stays.
  void expect_noticed(const std::string& path, const std::function<std::vector<double>()>& look) const {
    const std::string bytes = testing_files::read_bytes(path);
    const std::vector<double> meant = look();
    std::size_t files = 0, changed = 0, refused = 0;
    const auto try_bytes = [&](const std::string& altered) {
      testing_files::write_bytes(path, altered);
      ++files;
      try {
        changed += look() != meant;
      } catch (const Error& error) {
        refused += error.kind() == Error::Kind::model;
      } catch (const std::invalid_argument&) {
        refused += testing_files::read_bytes(path) == altered;
      }
    };
    // Only some bytes of sums are altered, which are large.
    const std::size_t step = 1 + bytes.size() / kMostBytes;
    for (std::size_t size = 0; size < bytes.size(); size += step) try_bytes(bytes.substr(0, size));
    std::string altered = bytes;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      for (const int change : {0x01, 0x80, 0xff}) {
        altered[at] = char(bytes[at] ^ change);
        try_bytes(altered);
      }
      altered[at] = bytes[at];
    }
    EXPECT_EQ(changed, 0u) << "of " << files;
    EXPECT_EQ(refused, files);
    testing_files::write_bytes(path, bytes);
    EXPECT_EQ(look(), meant);
  }

  void expect_model_noticed(const TrainOptions& options) const {
    const std::string path = scratch_.path("model");
    train(*rows(), options).save(path);
    expect_noticed(path, [&] {
      const Matrix<double> y = Model::load(path).predict(x_.view());
      return std::vector<double>(y.data(), y.data() + y.rows() * y.cols());
    });
  }

  Matrix<float> x_;
  Matrix<double> y_;
  Schema schema_;
  testing_files::Scratch scratch_;
};

TEST_F(Altered, FourierModelIsNoticed) { expect_model_noticed(options("fourier")); }
TEST_F(Altered, NystroemModelIsNoticed) { expect_model_noticed(options("nystroem")); }
TEST_F(Altered, ModelWithADeviationIsNoticed) {
  TrainOptions deviation = options("nystroem");
  deviation.ridge.deviation = true;
  expect_model_noticed(deviation);
}
TEST_F(Altered, BinningModelIsNoticed) {
  TrainOptions binning = options("binning");
  binning.kernel.family = Kernel::Family::laplacian;
  expect_model_noticed(binning);
}

TEST_F(Altered, SurveyAndSumAreNoticed) {
  const std::string survey_path = scratch_.path("survey"), sum_path = scratch_.path("sum");
  const Sum survey = survey_part(*rows(), {"part", 1}, 0, {.threads = 1});
  survey.save(survey_path);
  sum_part(*rows(), survey, {"part", 1}, options("fourier")).save(sum_path);
  for (const std::string& path : {survey_path, sum_path})
    expect_noticed(path, [&] { return std::vector<double>{double(Sum::load(path).rows())}; });
}

TEST_F(Altered, LogOfACheckpointIsNoticed) {
  const std::string path = scratch_.path("checkpoint");
  const auto checkpoint = [&](bool resume) {
    return Checkpoint({.path = path, .resume = resume, .identity = {{"rows", "a.csv"}}, .first_seconds = 1e9}, {});
  };
  {
    Checkpoint first = checkpoint(false);
    first.logged("loss", 3, [] { return std::vector<double>{1.5, -2, 1e100}; });
    first.save_log();
  }
  expect_noticed(path, [&] { return checkpoint(true).logged("loss", 3, [] { return std::vector<double>(3); }); });
}

TEST_F(Altered, StateOfACheckpointIsNoticed) {
  const std::string path = scratch_.path("checkpoint");
  TrainOptions steps = options("binning:steps=3");
  steps.kernel.family = Kernel::Family::laplacian;
  steps.checkpoint = {.path = path, .first_seconds = 0};
  // Stopped at its last point but a few, which lies within the steps.
  long points = 0;
  steps.execution.cancel = [&] { return ++points, false; };
  train(*rows(), steps);
  long left = points * 3 / 4;
  steps.execution.cancel = [&] { return left-- == 0; };
  EXPECT_THROW(train(*rows(), steps), Stopped);
  ASSERT_FALSE(testing_files::read_bytes(path + ".state").empty());
  expect_noticed(path + ".state", [&] {
    Checkpoint resumed({.path = path, .resume = true, .first_seconds = 1e9}, {});
    return std::vector<double>{double(resumed.resumed())};
  });
}

// Well-formed, the checksum right, and yet not what a training saved.
TEST_F(Altered, AStateThatMakesNoSenseIsAModelError) {
  const std::string path = scratch_.path("checkpoint"), file = path + ".state";
  Matrix<double> classes = y_;
  for (std::size_t i = 0; i < kRows; ++i) classes(i, 0) = double(y_(i, 0) > 2);
  Schema schema = schema_;
  schema.task = Task::classification;
  schema.labels = {"a", "b"};
  const auto rows = memory_rows<float>(x_.view(), classes.view(), schema);
  for (const auto& [map, learner, flag] :
       {std::tuple("binning:steps=3", Learner::ridge, "started"), std::tuple("binning", Learner::svm, "read")}) {
    TrainOptions options = this->options(map);
    options.kernel.family = Kernel::Family::laplacian;
    options.learner.learner = learner;
    options.learner.C = {1};
    long points = 0;
    options.checkpoint = {.path = path, .first_seconds = 0};
    options.execution.cancel = [&] { return ++points, false; };
    train(*rows, options);
    const auto stop_at = [&](long left) {
      options.checkpoint.resume = false;
      options.execution.cancel = [left]() mutable { return left-- == 0; };
      EXPECT_THROW(train(*rows, options), Stopped);
    };
    stop_at(points * 3 / 4);
    const Archive good = read_archive(file);
    const auto resumed = [&](const Archive& state) {
      write_archive(file, state);
      options.checkpoint.resume = true;
      options.execution.cancel = {};
      try {
        train(*rows, options);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::model) << error.what();
        return std::string("refused");
      }
      return std::string("trained");
    };
    ASSERT_EQ(good.tree.at("steps").size(), 1u);
    const std::string step = good.tree.at("steps").begin().key();
    ASSERT_TRUE(good.tree.at("steps").at(step).contains(flag)) << good.tree.dump();
    Archive state = good;
    state.tree["steps"][step][flag] = 1;
    EXPECT_EQ(resumed(state), "refused") << map;
    stop_at(points * 3 / 4);
    state.tree["steps"][step] = 7;
    EXPECT_EQ(resumed(state), "refused") << map;
    stop_at(points * 3 / 4);
    EXPECT_EQ(resumed(good), "trained") << map;
  }
}

}  // namespace
}  // namespace bochner
