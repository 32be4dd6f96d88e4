// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "bochner/error.h"
#include "bochner/model.h"
#include "bochner/train.h"
#include "choose/problem.h"
#include "maps/fourier.h"
#include "scratch.h"

namespace bochner {
namespace {

TrainOptions with_map(const std::string& map) { return {.map = parse_map_options(map), .features = 64, .seed = 3}; }

TEST(ChosenFrequencies, ErrLessThanTheFirstOnNewRows) {
  const auto open = [](const std::string& name) {
    return open_rows(BOCHNER_TEST_DATA "/" + name, {.targets = {"usr"}});
  };
  const auto unexplained = [&](const std::string& map) {
    double sum = 0;
    for (const std::uint64_t seed : {1, 2}) {
      TrainOptions options = with_map(map);
      options.seed = seed;
      sum += 1 - *train(*open("cpu-small.csv"), options).evaluate(*open("cpu-new.csv")).r2;
    }
    return sum;
  };
  EXPECT_LT(unexplained("chosen-fourier"), 0.8 * unexplained("fourier"));
}

TEST(ChosenFrequencies, AreTheSameForAnyNumberOfThreadsAndFromAFile) {
  Problem p(400, 5);
  std::string first;
  for (const std::string map : {"chosen-fourier", "metric|chosen-fourier"})
    for (const int threads : {1, 3}) {
      TrainOptions options = with_map(map);
      options.execution.threads = threads;
      const auto rows = p.rows();
      const Model model = train(*rows, options);
      EXPECT_THAT(model.report().map, ::testing::HasSubstr("chosen-fourier:"));
      const testing_files::Scratch scratch;
      model.save(scratch.path("m"));
      const std::string bytes = testing_files::read_bytes(scratch.path("m"));
      if (threads == 1) first = bytes;
      EXPECT_EQ(bytes, first);
      rows->rewind();
      const Matrix<double> before = model.predict(*rows);
      rows->rewind();
      EXPECT_EQ(Model::load(scratch.path("m")).predict(*rows), before);
    }
}

TEST(ChosenFrequencies, AreTheFirstWhereRowsAreFew) {
  Problem p(40, 3);
  const auto rows = p.rows();
  const Model model = train(*rows, with_map("chosen-fourier"));
  EXPECT_THAT(model.report().notes, ::testing::Contains("frequencies: the first that are drawn, 40 rows choose none"));
}

// Its score would be of rows that chose the frequencies.
TEST(ChosenFrequencies, AreInNoMixture) {
  Problem p(200, 3);
  const auto rows = p.rows();
  EXPECT_THROW(train(*rows, with_map("chosen-fourier+fourier")), std::invalid_argument);
}

TEST(ChosenFrequencies, OfAFileMustBeAsManyAsTheFeaturesNeed) {
  const FourierMap map(2, {.kernel = gaussian(1.0), .features = 6, .seed = 1}, {1, 4, 9});
  Archive archive;
  map.save(archive);
  EXPECT_EQ(load_fourier(archive)->spec(), map.spec());
  archive.tree["chosen"] = {1, 4};
  EXPECT_THROW(load_fourier(archive), Error);
  archive.tree["chosen"] = {1, 4, -9};
  EXPECT_THROW(load_fourier(archive), Error);
}

}  // namespace
}  // namespace bochner
