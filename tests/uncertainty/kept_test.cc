// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include "bochner/archive.h"
#include "bochner/error.h"
#include "bochner/model.h"
#include "random/draw.h"
#include "scratch.h"

namespace bochner {
namespace {

double draw(std::size_t i, std::size_t j) { return normal(13, Draw::sample, i, j); }

// y = 2 a - b, or the class of it; the rows' targets have noise.
Model model_of(Task task) {
  Schema schema;
  schema.inputs = 2;
  schema.targets = 1;
  schema.task = task;
  if (task == Task::classification) schema.labels = {"no", "yes"};
  Matrix<double> weights(2, 1);
  weights(0, 0) = 2;
  weights(1, 0) = -1;
  return Model(schema, {}, linear(std::move(weights), {0.0}), {});
}

struct Known {
  Matrix<double> x, y;
  std::unique_ptr<Rows> rows;
};

Known known_rows(const Model& model, std::size_t n) {
  Known known{Matrix<double>(n, 2), Matrix<double>(n, 1), nullptr};
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t j : {0u, 1u}) known.x(i, j) = draw(i, j);
    const double y = 2 * known.x(i, 0) - known.x(i, 1) + draw(i, 2);
    known.y(i, 0) = model.schema().labels.empty() ? y : double(y > 0);
  }
  known.rows = memory_rows<double>(known.x.view(), known.y.view(), model.schema());
  return known;
}

TEST(Uncertainty, IsKeptInTheFile) {
  const testing_files::Scratch scratch;
  for (const Task task : {Task::classification, Task::regression}) {
    Model model = model_of(task);
    EXPECT_FALSE(model.has_probabilities());
    const Known known = known_rows(model, 2000);
    model.learn_uncertainty(*known.rows);
    EXPECT_EQ(model.calibration().has_value(), task == Task::classification);
    EXPECT_EQ(model.intervals().has_value(), task == Task::regression);
    model.save(scratch.path("m"));
    const Model again = Model::load(scratch.path("m"));
    EXPECT_EQ(again.calibration(), model.calibration());
    EXPECT_EQ(again.intervals(), model.intervals());
    const Evaluation found = again.examine(*known.rows);
    if (task == Task::classification)
      EXPECT_LT(*found.calibration_error, 0.03);
    else
      EXPECT_NEAR(found.coverage.at(0).inside, 0.9, 0.01);
  }
}

TEST(Uncertainty, OfAnotherModelIsRefused) {
  Model classes = model_of(Task::classification), numbers = model_of(Task::regression);
  EXPECT_THROW(classes.set_calibration(Calibration{.shift = {0, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(numbers.set_calibration(Calibration{.shift = {0}}), std::invalid_argument);
  EXPECT_THROW(classes.set_intervals(Intervals{{{{}, {}, {0}}}, 1}), std::invalid_argument);
  EXPECT_THROW(numbers.set_intervals(Intervals{{{{}, {}, {0}}, {{}, {}, {0}}}, 1}), std::invalid_argument);
}

TEST(Uncertainty, ThatIsDamagedIsRefused) {
  const testing_files::Scratch scratch;
  Model model = model_of(Task::classification);
  Calibration falls{.slope = 1, .shift = {0}, .given = {0.2, 0.1}, .calibrated = {0.3, 0.4}, .rows = 9};
  for (int fault = 0; fault < 4; ++fault) {
    Calibration c = falls;
    if (fault > 0) c.given = {0.1, 0.2};
    if (fault == 1) c.calibrated = {0.4, 0.3};
    if (fault == 2) c.calibrated = {0.4, 1.5};
    if (fault == 3) c.slope = -1;
    model.set_calibration(c);
    model.save(scratch.path("m"));
    EXPECT_THROW(Model::load(scratch.path("m")), Error) << fault;
  }
}

}  // namespace
}  // namespace bochner
