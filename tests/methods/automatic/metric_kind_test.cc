// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/metric_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "bochner/model.h"
#include "bochner/train.h"
#include "choose/problem.h"
#include "maps/load.h"
#include "scratch.h"

namespace bochner {
namespace {

TrainOptions by_metric(const std::string& map = "metric|fourier") {
  return {.map = parse_map_options(map), .features = 64, .seed = 3};
}

std::string bytes_of(const Model& model, const std::string& name) {
  const testing_files::Scratch scratch;
  model.save(scratch.path(name));
  return testing_files::read_bytes(scratch.path(name));
}

TEST(MetricKind, FindsTheInputsThatMatter) {
  Problem learnt(600, 12), fresh(1200, 12);  // two of twelve inputs matter; the rows behind 600 are new
  const auto rows = learnt.rows(), test = fresh.rows();
  const double with = *train(*rows, by_metric()).evaluate(*test).r2;
  rows->rewind(), test->rewind();
  const double without = *train(*rows, by_metric("fourier")).evaluate(*test).r2;
  EXPECT_GT(1 - without, 2 * (1 - with));
}

TEST(MetricKind, IsTheSameForAnyNumberOfThreadsAndFromAFile) {
  Problem p(300, 5);
  std::string first;
  for (const int threads : {1, 3}) {
    TrainOptions options = by_metric();
    options.execution.threads = threads;
    const auto rows = p.rows();
    const Model model = train(*rows, options);
    const std::string bytes = bytes_of(model, "metric.model");
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
    const testing_files::Scratch scratch;
    model.save(scratch.path("again.model"));
    const Model again = Model::load(scratch.path("again.model"));
    rows->rewind();
    const Matrix<double> before = model.predict(*rows);
    rows->rewind();
    const Matrix<double> after = again.predict(*rows);
    for (std::size_t i = 0; i < before.rows(); ++i) EXPECT_EQ(before(i, 0), after(i, 0));
  }
}

TEST(MetricKind, IsLearntAgainWithoutTheRowsThatScoreIt) {
  Problem p(120, 20), fresh(1200, 20);
  for (std::size_t i = 0; i < 1200; ++i) {  // nothing can be learnt: the score must say so
    if (i < 120) p.y(i, 0) = normal(11, Draw::sample, i, 0);
    fresh.y(i, 0) = normal(12, Draw::sample, i, 0);
  }
  const auto rows = p.rows();
  EXPECT_LT(*train(*rows, by_metric()).report().score->r2, 0.1);
}

TEST(MetricKind, GoesBeforeEveryMapAndRefusesRowsWithoutTargets) {
  Problem p(200);
  for (const char* map :
       {"metric|nystroem", "metric|binning", "metric|none", "metric", "metric|project:dims=3|fourier"}) {
    const auto rows = p.rows();
    EXPECT_GT(*train(*rows, by_metric(map)).evaluate(*p.rows()).r2, 0.1) << map;
  }
  EXPECT_EQ(map_words(parse_map_options("metric|fourier")), "metric|fourier");
  EXPECT_THROW(parse_map_options("metric:exponent=2"), std::invalid_argument);
  EXPECT_THROW(
      find_map_kind("metric")->make(
          {.inputs = 2, .labelled = [](std::size_t) -> LabelledRows { throw std::invalid_argument("no targets"); }}),
      std::invalid_argument);
}

TEST(MetricKind, NeedsNoSignalAndNoVariation) {
  Problem p(60, 6);
  for (std::size_t i = 0; i < 60; ++i) p.x(i, 1) = 5, p.x(i, 2) = p.x(i, 0), p.y(i, 0) = 7;
  const auto rows = p.rows();
  const Matrix<double> answers = train(*rows, by_metric()).predict(*p.rows());
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(answers(i, 0), 7, 1e-3);
  Problem few(12);
  EXPECT_TRUE(std::isfinite(train(*few.rows(), by_metric()).predict(*few.rows())(0, 0)));
}

TEST(MetricKind, IsNoTypeOfAMap) {
  Archive archive;
  archive.tree["type"] = "metric";
  EXPECT_THROW(load_map(archive), Error);
}

}  // namespace
}  // namespace bochner
