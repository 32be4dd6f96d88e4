// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_log_loss.h"

#include <gtest/gtest.h>

#include "random/draw.h"
#include "run/compute.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 1600, kInputs = 6;

// Classes inside and outside of a sphere, columns of unlike units.
struct Sphere {
  explicit Sphere(std::size_t classes = 2) : x(kRows, kInputs), y(kRows, 1), threads(2), on(workers_on(threads)) {
    for (std::size_t i = 0; i < kRows; ++i) {
      double square = 0;
      for (std::size_t j = 0; j < kInputs; ++j) {
        const double z = normal(1, Draw::sample, i, j);
        x(i, j) = float(7 + double(j + 1) * z);
        square += z * z;
      }
      y(i, 0) = double(square > 5.3 ? 1 + i % (classes - 1) : 0);
    }
    for (std::size_t j = 0; j < kInputs; ++j) {
      std::vector<double> values;
      for (std::size_t i = 0; i < kRows; ++i) values.push_back(x(i, j));
      columns.push_back(twofold_column(values));
    }
    schema.inputs = kInputs;
    schema.targets = 1;
    schema.task = Task::classification;
    for (std::size_t k = 0; k < classes; ++k) schema.labels.push_back(std::to_string(k));
    rows = memory_rows<float>(std::as_const(x).view(), std::as_const(y).view(), schema);
    race = std::make_unique<RaceRows>(Stream(*rows, twofold(columns), threads, {}),
                                      TargetCode{Task::classification, classes, {}, {}}, kRows, 1);
  }
  std::vector<Candidate> raced() const { return race_log_loss(on, *race, columns, 1, {}); }

  Matrix<float> x;
  Matrix<double> y;
  Threads threads;
  Workers on;
  std::vector<TwofoldColumn> columns;
  Schema schema;
  std::unique_ptr<Rows> rows;
  std::unique_ptr<RaceRows> race;
};

TEST(RaceLogLoss, FindsASharpBorder) {
  const Sphere sphere;
  const std::vector<Candidate> found = sphere.raced();
  ASSERT_EQ(found.size(), 1u);
  std::size_t wrong = 0;
  for (std::size_t p = 0; p < sphere.race->held().size(); ++p)
    wrong += (found[0].held(p, 0) > 0) != (sphere.y(sphere.race->held()[p], 0) > 0);
  EXPECT_LT(double(wrong), 0.08 * double(sphere.race->held().size()));
  const Matrix<double> answers = predict_rows(sphere.on, *found[0].refit(), sphere.x.view());
  for (std::size_t i = wrong = 0; i < kRows; ++i) wrong += (answers(i, 0) > 0) != (sphere.y(i, 0) > 0);
  EXPECT_LT(double(wrong), 0.04 * kRows) << "the map takes rows as they are";
}

TEST(RaceLogLoss, RacesForFewClassesOfPointsOnly) {
  EXPECT_EQ(Sphere(3).raced().size(), 1u);
  EXPECT_TRUE(Sphere(4).raced().empty());  // fewer than 50 rows of some classes are held out
  EXPECT_TRUE(Sphere(5).raced().empty());
  Sphere dates;
  dates.columns[0].kind = TwofoldColumn::Kind::date;
  EXPECT_TRUE(dates.raced().empty());
}

}  // namespace
}  // namespace bochner
