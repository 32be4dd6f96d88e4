// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "bochner/bochner.h"
#include "saved_model.h"

namespace bochner {
namespace {

const std::string kData = BOCHNER_TEST_DATA;

std::unique_ptr<Rows> numbers() { return open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}}); }
std::unique_ptr<Rows> classes() { return open_rows(kData + "/adult-small.csv", {.targets = {"income"}}); }

// Cancelled at its first question, half way and at its last: a call must throw Stopped each time, with nothing saved.
void expect_stops(const std::function<void(const Execution&)>& call, int threads) {
  std::atomic<long> asked{0};
  call({.threads = threads, .cancel = [&] { return ++asked, false; }});
  const long all = asked;
  ASSERT_GT(all, 0);
  for (const long at : {1L, all / 2 + 1}) {
    std::atomic<long> left{at};
    try {
      call({.threads = threads, .cancel = [&] { return --left <= 0; }});
      ADD_FAILURE() << "went on behind question " << at << " of " << all;
    } catch (const Stopped& stopped) {
      EXPECT_FALSE(stopped.saved());
    }
  }
}

TEST(Cancel, StopsEveryLongCallWithoutACheckpoint) {
  const auto rows = numbers();
  const Model model = train(*rows, {.features = 64});
  for (const int threads : {1, 3}) {
    expect_stops([&](const Execution& e) { train(*rows, {.features = 64, .execution = e}); }, threads);
    const MapPtr map = fourier(rows->schema().inputs, {.features = 64});
    expect_stops([&](const Execution& e) { fit(*rows, map, {}, e); }, threads);
    expect_stops([&](const Execution& e) { model.predict(*rows, e); }, threads);
    expect_stops([&](const Execution& e) { model.evaluate(*rows, e); }, threads);
    expect_stops([&](const Execution& e) { check(*rows, model, {.sample = 50, .draws = 2}, e); }, threads);
    expect_stops([&](const Execution& e) { survey_part(*rows, {"part", 1}, 0, e); }, threads);
  }
}

TEST(Cancel, ANoChangesNoBit) {
  const auto rows = numbers();
  Execution asks;
  asks.cancel = [] { return false; };
  const Model with = train(*rows, {.features = 64, .execution = asks}), without = train(*rows, {.features = 64});
  EXPECT_EQ(with.predict(*rows), without.predict(*rows));
}

class TerminationOf : public SavedModel {
 protected:
  // What a training says, before and after its model was saved.
  void expect(Termination wanted, Rows& rows, TrainOptions options) const {
    options.features = 48;
    const Model model = train(rows, options);
    EXPECT_EQ(model.report().termination, wanted) << model.report().solver;
    const std::string bytes = saved(model);
    EXPECT_EQ(Model::load(path_.string()).report().termination, wanted) << model.report().solver;
    EXPECT_EQ(bytes.find("\"termination\""), std::string::npos) << "the notes say it already";
  }
};

TEST_F(TerminationOf, ExactSolversIsConverged) {
  const auto rows = numbers();
  for (const auto solver : {RidgeOptions::Solver::cholesky, RidgeOptions::Solver::dual, RidgeOptions::Solver::cg})
    expect(Termination::converged, *rows, {.ridge = {.lambdas = {1e-3}, .solver = solver}});
}

TEST_F(TerminationOf, TooFewStepsIsTheStepLimit) {
  const auto rows = numbers();
  expect(Termination::step_limit, *rows,
         {.ridge = {.lambdas = {1e-9}, .solver = RidgeOptions::Solver::cg, .tolerance = 1e-14, .most_steps = 1}});
  const auto two = classes();
  expect(Termination::step_limit, *two,
         {.learner = {.learner = Learner::logistic, .C = {100}, .tolerance = 1e-14, .most_steps = 1}});
  expect(Termination::converged, *two, {.learner = {.learner = Learner::logistic, .C = {1}}});
}

TEST_F(TerminationOf, SweepsOverGridsAreAsManyAsAsked) {
  const auto rows = numbers();
  expect(Termination::fixed_steps, *rows,
         {.kernel = laplacian(), .map = parse_map_options("binning:sweeps=2"), .ridge = {.lambdas = {1e-2}}});
}

TEST_F(TerminationOf, WhatNotesDoNotSayIsSaved) {
  const auto rows = numbers();
  Model model = train(*rows, {.features = 48});
  Report report = model.report();
  report.termination = Termination::step_limit;
  model.set_report(report);
  saved(model);
  EXPECT_EQ(Model::load(path_.string()).report().termination, Termination::step_limit);
}

}  // namespace
}  // namespace bochner
