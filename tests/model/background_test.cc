// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/background.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bochner/error.h"
#include "bochner/explain.h"
#include "bochner/online.h"
#include "bochner/parts.h"
#include "bochner/train.h"
#include "model/saved_model.h"
#include "random/draw.h"

namespace bochner {
namespace {

constexpr std::size_t kInputs = 3;

Matrix<float> inputs(std::size_t n, double offset = 0) {
  Matrix<float> x(n, kInputs);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < kInputs; ++j) x(i, j) = float(normal(3, Draw::sample, i, j) + offset);
  return x;
}
Matrix<double> targets(const Matrix<float>& x, double unit = 1) {
  Matrix<double> y(x.rows(), 1);
  for (std::size_t i = 0; i < x.rows(); ++i) y(i, 0) = unit * double(x(i, 0) + x(i, 1) * x(i, 2));
  return y;
}
Schema schema() {
  Schema schema;
  schema.inputs = kInputs;
  schema.targets = 1;
  return schema;
}

TrainOptions options(bool keeps = true) {
  TrainOptions options;
  options.features = 40;
  options.bandwidth = 2.0;
  options.ridge.lambdas = {1e-3};
  options.keep_background = keeps;
  return options;
}
Model trained(const Matrix<float>& x, const TrainOptions& options, double unit = 1) {
  const Matrix<double> y = targets(x, unit);
  return train(*memory_rows<float>(x.view(), y.view(), schema()), options);
}

class KeptBackground : public SavedModel {};

TEST_F(KeptBackground, IsOfRowsOfTheTraining) {
  const Matrix<float> x = inputs(5000);
  const Model model = trained(x, options());
  const SparseRows<double>& kept = model.background()->rows;
  ASSERT_EQ(kept.rows(), Background::kMostRows);
  Matrix<double> rows(kept.rows(), kInputs);
  kept.write(rows.view());
  std::vector<double> known(x.data(), x.data() + x.rows() * kInputs);
  std::sort(known.begin(), known.end());
  for (std::size_t i = 0; i < rows.rows() * kInputs; ++i)
    EXPECT_TRUE(std::binary_search(known.begin(), known.end(), rows.data()[i]));
  double mean = 0;  // a uniform draw: about that of all rows
  for (std::size_t i = 0; i < rows.rows(); ++i) mean += rows(i, 0) / double(rows.rows());
  EXPECT_NEAR(mean, 0, 5 / std::sqrt(double(rows.rows())));
  EXPECT_EQ(trained(inputs(300), options()).background()->rows.rows(), 300u);
}

TEST_F(KeptBackground, IsTheSameForAnyThreadsAndBlocks) {
  const Matrix<float> x = inputs(9000);
  const std::string one = saved(trained(x, options()));
  for (const int threads : {2, 5}) {
    TrainOptions other = options();
    other.execution.threads = threads;
    other.execution.block_rows = 1024 * std::size_t(threads);
    EXPECT_EQ(saved(trained(x, other)), one);
  }
}

TEST_F(KeptBackground, ComesBackFromTheFile) {
  for (const bool wide : {false, true}) {
    TrainOptions how = options();
    how.double_precision = wide;
    const Model model = trained(inputs(400), how);
    const std::string bytes = saved(model);
    const Model again = Model::load(path_.string());
    EXPECT_EQ(again.background()->rows.values, model.background()->rows.values);
    EXPECT_EQ(again.background()->rows.columns, model.background()->rows.columns);
    EXPECT_EQ(saved(again), bytes);
  }
}

TEST_F(KeptBackground, ChangesNothingElse) {
  Model model = trained(inputs(400), options());
  const std::string plain = saved(trained(inputs(400), options(false)));
  EXPECT_NE(saved(model), plain);
  model.set_background({});
  EXPECT_EQ(saved(model), plain);
}

TEST_F(KeptBackground, ExplainsAsItsRowsDo) {
  const Matrix<float> x = inputs(500), fresh = inputs(20);
  const Model model = trained(x, options());
  const auto rows = memory_rows<float>(fresh.view(), {}, model.schema());
  const auto all = memory_rows<float>(x.view(), {}, model.schema());
  const Explanation kept = explain(model, *rows), told = explain(model, *rows, *all);
  for (std::size_t i = 0; i < fresh.rows(); ++i)
    for (std::size_t j = 0; j < kInputs; ++j) EXPECT_NEAR(kept.values(i, j), told.values(i, j), 1e-9);
  EXPECT_EQ(Explainer(model).background_rows(), 500u);
}

// Targets times 1e6, inputs plus 1e9, whose digits float would lose but for the offsets.
TEST_F(KeptBackground, LacksTheOffsetsOfTheSchema) {
  Matrix<double> x(500, kInputs), y(500, 1);
  for (std::size_t i = 0; i < 500; ++i) {
    for (std::size_t j = 0; j < kInputs; ++j) x(i, j) = 1e9 + normal(3, Draw::sample, i, j);
    y(i, 0) = 1e6 * (x(i, 0) - 1e9);
  }
  const Model model = train(*memory_rows<double>(x.view(), y.view(), schema()), options());
  ASSERT_FALSE(model.schema().offsets.empty());
  Schema unshifted = model.schema();
  unshifted.offsets.clear();
  const auto rows = memory_rows<double>(x.view(), {}, unshifted);
  const Explanation kept = explain(model, *rows), told = explain(model, *rows, *rows);
  double size = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_NEAR(kept.values(i, 0), told.values(i, 0), 1e-3);
    size = std::max(size, std::abs(kept.values(i, 0)));
  }
  EXPECT_GT(size, 1e5);
}

TEST_F(KeptBackground, OfPartsIsThatOfAllRows) {
  const Matrix<float> x = inputs(3000);
  const Matrix<double> y = targets(x);
  const auto part = [&](std::size_t p) {
    return memory_rows<float>(x.view().slice(p * 1000, 1000), y.view().slice(p * 1000, 1000), schema());
  };
  const auto name = [](std::size_t p) { return PartName{"part " + std::to_string(p), p + 1}; };
  const auto model_of = [&](const std::vector<std::size_t>& order) {
    std::optional<Sum> survey, all;
    for (const std::size_t p : order) {
      Sum one = survey_part(*part(p), name(p));
      survey ? survey->merge(one) : void(survey = std::move(one));
    }
    for (const std::size_t p : order) {
      Sum one = Sum::of_bytes(sum_part(*part(p), *survey, name(p), options()).bytes(), "sum");
      all ? all->merge(one) : void(all = std::move(one));
    }
    return solve(*all);
  };
  const Model model = model_of({0, 1, 2});
  EXPECT_EQ(model.background()->rows.rows(), Background::kMostRows);
  EXPECT_EQ(saved(model_of({2, 0, 1})), saved(model));
  const auto unlike = [&] { sum_part(*part(0), model, name(0), options()); };
  EXPECT_THROW(unlike(), std::invalid_argument);
}

TEST_F(KeptBackground, IsRefusedWhereItCannotBe) {
  const Matrix<float> x = inputs(100);
  const Matrix<double> y = targets(x);
  const auto rows = memory_rows<float>(x.view(), y.view(), schema());
  EXPECT_THROW(train_online(*rows, options()), std::invalid_argument);  // a row may be forgotten
  Model model = trained(x, options(false));
  EXPECT_THROW(explain(model, *rows), std::invalid_argument);
  Background beyond;
  EXPECT_THROW(model.set_background(beyond), std::invalid_argument);
  beyond.rows.add(kInputs, 1.0);
  beyond.rows.end_row();
  EXPECT_THROW(model.set_background(beyond), std::invalid_argument);
}

TEST_F(KeptBackground, DamagedIsRefused) {
  const auto archive_of = [](const std::vector<std::uint64_t>& ends) {
    Archive archive, part;
    part.put<std::uint64_t>("ends", ends, {ends.size()});
    part.put<std::uint32_t>("columns", std::vector<std::uint32_t>{0, kInputs}, {2});
    part.put<float>("values", std::vector<float>{1, 2}, {2});
    archive.put_child("background", std::move(part));
    return archive;
  };
  EXPECT_EQ(load_background(archive_of({1, 2}), false, kInputs + 1)->rows.rows(), 2u);
  EXPECT_THROW(load_background(archive_of({1, 2}), false, kInputs), Error);  // a column beyond
  for (const std::vector<std::uint64_t>& ends : {std::vector<std::uint64_t>{2, 1}, {1, 3}, {1}, {}})
    EXPECT_THROW(load_background(archive_of(ends), false, kInputs + 1), Error);
}

TEST_F(KeptBackground, OfSparseRowsStaysSparse) {
  SparseRows<float> x;
  Matrix<double> y(200, 1);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t j = i % 5; j < 30; j += 5) x.add(j, float(1 + i % 3));
    x.end_row();
    y(i, 0) = double(i % 5);
  }
  RowBlock<float> block = x.view(30);
  block.targets = y.data();
  block.target_count = 1;
  Schema sparse = schema();
  sparse.inputs = 30;
  sparse.sparse = true;
  const Model model = train(*memory_rows<float>(block, sparse), options());
  EXPECT_EQ(model.background()->rows.values.size(), x.values.size());
  const auto rows = memory_rows<float>(x.view(30), model.schema());
  const Explanation kept = explain(model, *rows), told = explain(model, *rows, *rows);
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t j = 0; j < 30; ++j) EXPECT_NEAR(kept.values(i, j), told.values(i, j), 1e-9);
}

}  // namespace
}  // namespace bochner
