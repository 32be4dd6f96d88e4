// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bochner/error.h"
#include "bochner/train.h"
#include "bochner/transform.h"
#include "saved_model.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kData = BOCHNER_TEST_DATA;

Schema without_targets(std::size_t inputs) {
  Schema schema;
  schema.inputs = inputs;
  return schema;
}

Matrix<double> counted_matrix(std::size_t rows, std::size_t cols) {
  Matrix<double> x(rows, cols);
  for (std::size_t i = 0; i < rows * cols; ++i) x.data()[i] = double(i % 7) - 3;
  return x;
}

// The sum of the inputs, as a density: a map that says what it puts out.
class Density final : public Map {
 public:
  std::size_t inputs() const override { return 3; }
  std::size_t outputs() const override { return 1; }
  void apply(const Backend&, const RowBlock<float>& x, MatrixView<float> z) const override { add(x, z); }
  void apply(const Backend&, const RowBlock<double>& x, MatrixView<double> z) const override { add(x, z); }
  std::optional<Outputs> puts_out() const override { return Outputs{Outputs::Kind::density}; }
  std::string spec() const override { return "density"; }
  void save(Archive&) const override {}

 private:
  template <class T>
  static void add(const RowBlock<T>& x, MatrixView<T> z) {
    for (std::size_t i = 0; i < x.rows; ++i) {
      z(i, 0) = 0;
      for (std::size_t j = 0; j < x.cols; ++j) z(i, 0) += x.values[i * x.stride + j];
    }
  }
};

using ModelOf = SavedModel;

TEST_F(ModelOf, ComponentsIsSavedWithWhatItPutsOut) {
  const Outputs axes{Outputs::Kind::components, {"pc1", "pc2"}};
  const Model model(without_targets(3), {}, linear(counted_matrix(3, 2), {}), {}, false, axes);
  EXPECT_EQ(model.puts_out(), axes);
  const Matrix<double> x = counted_matrix(5, 3);
  saved(model);
  const Model again = Model::load(path_.string());
  EXPECT_EQ(again.puts_out(), axes);
  EXPECT_EQ(again.predict(x.view()), model.predict(x.view()));
  EXPECT_THAT(again.description(), HasSubstr("2 of components"));
}

TEST_F(ModelOf, TargetsSavesNothingMore) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const Model model = train(*rows, {.features = 32});
  EXPECT_EQ(model.puts_out(), (Outputs{Outputs::Kind::values, {"usr"}}));
  EXPECT_EQ(saved(model).find("\"outputs\":{"), std::string::npos);
}

TEST_F(ModelOf, ClassesPutsOutScores) {
  const auto rows = open_rows(kData + "/adult-small.csv", {.targets = {"income"}});
  const Model two = train(*rows, {.features = 32});
  EXPECT_EQ(two.puts_out().kind, Outputs::Kind::scores);
  EXPECT_THAT(two.puts_out().names, ElementsAre(two.schema().labels[1]));
  Schema schema = without_targets(3);
  schema.task = Task::classification;
  schema.labels = {"a", "b", "c"};
  const Model three(schema, {}, linear(counted_matrix(3, 3), {}), {});
  EXPECT_THAT(three.puts_out().names, ElementsAre("a", "b", "c"));
  const Model chances(schema, {}, linear(counted_matrix(3, 3), {}), {}, false, Outputs{Outputs::Kind::probabilities});
  const double row[] = {0.2, 0.5, 0.3};
  EXPECT_TRUE(chances.has_probabilities());
  EXPECT_FALSE(three.has_probabilities());
  EXPECT_EQ(chances.label(row), "b");
  EXPECT_THAT(chances.probabilities(row), ElementsAre(0.2, 0.5, 0.3));
}

TEST_F(ModelOf, AMapThatSaysWhatItPutsOutNeedsNoTargets) {
  const Model model(without_targets(3), {}, std::make_shared<Density>(), {});
  EXPECT_EQ(model.puts_out(), (Outputs{Outputs::Kind::density, {"density0"}}));
  const Matrix<double> x = counted_matrix(4, 3);
  const auto rows = memory_rows<double>(x.view(), {}, without_targets(3));
  EXPECT_THROW(model.evaluate(*rows), std::invalid_argument);
  EXPECT_THROW(model.label(x.data()), std::invalid_argument);
  EXPECT_EQ(model.predict(x.view())(0, 0), -6);
}

TEST_F(ModelOf, AnotherNumberOfOutputsIsRefused) {
  const auto model = [](std::size_t outputs, std::optional<Outputs> told) {
    Schema schema = without_targets(3);
    schema.targets = 1;
    return Model(schema, {}, linear(counted_matrix(3, outputs), {}), {}, false, std::move(told));
  };
  EXPECT_THROW(model(2, {}), std::invalid_argument);
  EXPECT_THROW(model(1, Outputs{Outputs::Kind::scores}), std::invalid_argument);
  EXPECT_THROW(model(2, Outputs{Outputs::Kind::components, {"one"}}), std::invalid_argument);
  EXPECT_NO_THROW(model(2, Outputs{Outputs::Kind::components}));
}

TEST(OutputsName, GoesThereAndBack) {
  for (const auto kind : {Outputs::Kind::values, Outputs::Kind::clusters, Outputs::Kind::neighbours})
    EXPECT_EQ(parse_outputs_name(outputs_name(kind)), kind);
  EXPECT_THROW(parse_outputs_name("colours"), std::invalid_argument);
}

TEST(Transform, GivesWhatTheMapGivesEachRow) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const MapPtr map = fourier(rows->schema().inputs, {.kernel = gaussian(500), .features = 20});
  const Matrix<double> all = transform<double>(map, *rows);
  ASSERT_EQ(all.rows(), 1000u);
  const auto cached = cached_rows<double>(*rows);
  RowBlock<double> block;
  cached->next(1000, block);
  const MatrixView<const double> x{block.values, block.rows, block.cols, block.stride};
  EXPECT_EQ(transform<double>(map, x), all);
  EXPECT_EQ(transform<double>(map, x.slice(17, 1))(0, 3), all(17, 3));
  EXPECT_EQ(transform<double>(map, *rows, {.threads = 3, .block_rows = 1}), all);
}

TEST(Transform, OfAModelIsItsFeatures) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const Model model = train(*rows, {.features = 32});
  const Matrix<float> expected = transform<float>(model.feature_map(), *rows);
  std::size_t count = 0;
  model.transform(*rows, {}, [&](const RowBlock<double>& z) {
    for (std::size_t i = 0; i < z.rows; ++i, ++count)
      for (std::size_t j = 0; j < z.cols; ++j) ASSERT_EQ(float(z.values[i * z.stride + j]), expected(count, j));
  });
  EXPECT_EQ(count, expected.rows());
}

TEST(Transform, FillsTheZerosOfSparseRowsWithoutAMap) {
  const float values[] = {5, 7};
  const std::size_t offsets[] = {0, 1, 2};
  const std::uint32_t columns[] = {2, 0};
  RowBlock<float> block;
  block.rows = 2;
  block.cols = 3;
  block.values = values;
  block.offsets = offsets;
  block.columns = columns;
  const double targets[] = {1, 2};
  block.targets = targets;
  block.target_count = 1;
  Schema schema = without_targets(3);
  schema.targets = 1;
  schema.sparse = true;
  const Model model(schema, {}, linear(counted_matrix(3, 1), {}), {});
  const auto rows = memory_rows<float>(block, schema);
  model.transform(*rows, {}, [](const RowBlock<double>& x) {
    ASSERT_EQ(x.rows, 2u);
    EXPECT_THAT(std::vector<double>(x.values, x.values + 6), ElementsAre(0, 0, 5, 7, 0, 0));
  });
}

}  // namespace
}  // namespace bochner
