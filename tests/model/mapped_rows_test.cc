// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/mapped_rows.h"

#include <gtest/gtest.h>

#include <limits>

#include "bochner/error.h"
#include "bochner/json.h"
#include "bochner/train.h"
#include "random/draw.h"

namespace bochner {
namespace {

struct Problem {
  std::size_t n = 300, d = 4;
  Matrix<float> x{n, d};
  Matrix<double> y{n, 1};
  Schema schema;

  explicit Problem(bool targets) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) x(i, j) = float(3 + double(j + 1) * normal(1, Draw::frequency, i, j));
      y(i, 0) = double(x(i, 0)) - double(x(i, 1));
    }
    schema.inputs = d;
    schema.targets = targets ? 1 : 0;
  }
  std::unique_ptr<Rows> rows() const {
    return memory_rows<float>(x.view(), schema.targets ? y.view() : MatrixView<const double>{}, schema);
  }
};

TEST(MappedRows, HasTheMapsOfATraining) {
  const Problem problem(true);
  TrainOptions training;
  training.bandwidth = Bandwidth::Rule::median;
  training.features = 64;
  training.seed = 3;
  const Model trained = train(*problem.rows(), training);
  FeatureOptions options{.map = Fourier{}, .bandwidth = Bandwidth::Rule::median, .features = 64, .seed = 3};
  const auto rows = problem.rows();
  const MappedRows mapped(*rows, options, "test");
  ASSERT_EQ(mapped.plan().maps.size(), trained.maps().size());
  for (std::size_t i = 0; i < trained.maps().size(); ++i)
    EXPECT_EQ(json_text(*mapped.plan().maps[i]), json_text(*trained.maps()[i]));
  EXPECT_EQ(mapped.features(), 64u);
}

TEST(MappedRows, WithoutAMapGivesScaledInputs) {
  const Problem problem(false);
  const auto rows = problem.rows();
  MappedRows mapped(*rows, {}, "test");
  EXPECT_EQ(mapped.features(), problem.d);
  std::vector<double> mean(problem.d), square(problem.d);
  mapped.stream().each("", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) {
        const double z = double(block.values[i * block.stride + j]);
        mean[j] += z / double(problem.n);
        square[j] += z * z / double(problem.n);
      }
  });
  for (std::size_t j = 0; j < problem.d; ++j) {
    EXPECT_NEAR(mean[j], 0, 1e-5);
    EXPECT_NEAR(square[j], 1, 0.01);
  }
  EXPECT_EQ(mapped.sample(10).rows(), 10u);
  EXPECT_EQ(mapped.sample(10).cols(), problem.d);
}

TEST(MappedRows, RefusesWhatCannotBe) {
  const Problem problem(false);
  const auto rows = problem.rows();
  EXPECT_THROW(MappedRows(*rows, {.map = Binning{}}, "test"), std::invalid_argument);
  EXPECT_THROW(MappedRows(*rows, {.map = Fourier{}, .bandwidth = Bandwidth::Rule::searched_per_input}, "test"),
               std::invalid_argument);
  Problem bad(false);
  bad.x(17, 2) = std::numeric_limits<float>::quiet_NaN();
  const auto broken = bad.rows();
  EXPECT_THROW(MappedRows(*broken, {}, "test"), Error);
}

TEST(MappedRows, FarInputsKeepTheirDifferences) {
  Problem problem(false);
  Matrix<double> far(problem.n, problem.d);
  for (std::size_t i = 0; i < problem.n; ++i)
    for (std::size_t j = 0; j < problem.d; ++j) far(i, j) = double(problem.x(i, j)) + 1e9;
  const auto rows = memory_rows<double>(far.view(), {}, problem.schema), near = problem.rows();
  MappedRows mapped(*rows, {}, "test"), expected(*near, {}, "test");
  EXPECT_FALSE(mapped.schema().offsets.empty());
  const Matrix<double> a = mapped.sample(20), b = expected.sample(20);
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) EXPECT_NEAR(a(i, j), b(i, j), 1e-4);
}

}  // namespace
}  // namespace bochner
