// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/embedding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/error.h"
#include "bochner/transform.h"
#include "random/draw.h"
#include "scratch.h"

namespace bochner {
namespace {

struct Data {
  Matrix<float> x{3000, 3};
  Matrix<double> labels{3000, 1};
  std::vector<double> weights;
  Schema schema;
  MapPtr map = fourier(3, {.kernel = gaussian(1.5), .features = 300});

  Data() {
    for (std::size_t i = 0; i < 3000; ++i) {
      for (std::size_t j = 0; j < 3; ++j) x(i, j) = float(normal(1, Draw::entry, i, j)) + float(i % 2);
      labels(i, 0) = double(i % 2);
      weights.push_back(uniform(2, Draw::entry, i));
    }
    schema.inputs = 3;
  }
  MeanEmbedding part(std::size_t begin, std::size_t count, bool weighted = false) const {
    const auto rows =
        memory_rows<float>(x.view().slice(begin, count), {}, schema, weighted ? weights.data() + begin : nullptr);
    return embed(*rows, map);
  }
};

std::string bytes_of(const MeanEmbedding& embedding) {
  const testing_files::Scratch scratch;
  const std::string path = scratch.path("embedding");
  embedding.save(path);
  EXPECT_TRUE(MeanEmbedding::load(path) == embedding);
  return testing_files::read_bytes(path);
}

TEST(MeanEmbedding, PartsMergeAndAreSubtractedInAnyOrderToTheSameBytes) {
  const Data data;
  for (const bool weighted : {false, true}) {
    const std::string all = bytes_of(data.part(0, 3000, weighted));
    // Cut anywhere, not at chunks.
    const MeanEmbedding a = data.part(0, 777, weighted), b = data.part(777, 1500, weighted),
                        c = data.part(2277, 723, weighted);
    MeanEmbedding one = a, two = c;
    one.merge(b);
    one.merge(c);
    two.merge(a);
    two.merge(b);
    EXPECT_EQ(bytes_of(one), all);
    EXPECT_EQ(bytes_of(two), all);
    one.subtract(a);
    one.subtract(c);
    EXPECT_EQ(bytes_of(one), bytes_of(b));
  }
}

TEST(MeanEmbedding, IsTheMeanOfTheFeaturesAndTheKernelsAtPoints) {
  const Data data;
  const MeanEmbedding mean = data.part(0, 3000, true);
  Matrix<double> at(1, 3);
  at(0, 0) = 0.5;
  double kernel = 0, total = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::vector<double> row = {data.x(i, 0), data.x(i, 1), data.x(i, 2)};
    kernel += data.weights[i] * kernel_value(gaussian(1.5), row, {at.data(), 3});
    total += data.weights[i];
  }
  EXPECT_NEAR(mean.weight(), total, 1e-4);
  EXPECT_EQ(mean.rows(), 3000u);
  EXPECT_NEAR(mean.at(at.view())[0], kernel / total, 4 / std::sqrt(300.0 / 2));
}

// Compared with sums over pairs of the features themselves.
TEST(MeanEmbedding, MmdIsThatOfPairs) {
  const Data data;
  const MeanEmbedding a = data.part(0, 60, true), b = data.part(60, 80, true);
  const Matrix<float> z = transform<float>(data.map, data.x.view().slice(0, 140));
  double sums[3] = {}, pairs[3] = {}, own[2] = {};
  for (std::size_t i = 0; i < 140; ++i)
    for (std::size_t j = 0; j < 140; ++j) {
      const int which = (i >= 60) + (j >= 60);
      double k = 0;
      for (std::size_t c = 0; c < 300; ++c) k += double(z(i, c)) * double(z(j, c));
      const double w = data.weights[i] * data.weights[j];
      if (i == j) {
        own[which / 2] += w * k;
      } else {
        sums[which] += w * k;
        pairs[which] += w;
      }
    }
  double wa = 0, wb = 0;
  for (std::size_t i = 0; i < 140; ++i) (i < 60 ? wa : wb) += data.weights[i];
  const double cross = sums[1] / pairs[1];
  const SquaredMmd found = squared_mmd(a, b);
  EXPECT_NEAR(found.unbiased, sums[0] / pairs[0] + sums[2] / pairs[2] - 2 * cross, 1e-5);
  EXPECT_NEAR(found.biased, (sums[0] + own[0]) / (wa * wa) + (sums[2] + own[1]) / (wb * wb) - 2 * cross, 1e-5);
  EXPECT_NEAR(inner_product(a, b), cross, 1e-5);
}

TEST(MeanEmbedding, ClassesAreTheirRows) {
  Data data;
  data.schema.targets = 1;
  data.schema.task = Task::classification;
  data.schema.labels = {"even", "odd"};
  const auto rows = memory_rows<float>(data.x.view(), data.labels.view(), data.schema);
  const std::vector<MeanEmbedding> classes = embed_classes(*rows, data.map);
  ASSERT_EQ(classes.size(), 2u);
  MeanEmbedding all = classes[0];
  all.merge(classes[1]);
  EXPECT_EQ(bytes_of(all), bytes_of(data.part(0, 3000)));
  EXPECT_EQ(classes[1].rows(), 1500u);
  const MapPtr apart = witness(classes[1], classes[0]);
  Matrix<double> points(2, 3);
  for (std::size_t j = 0; j < 3; ++j) points(1, j) = 1;
  const Matrix<double> f = transform<double>(apart, points.view());
  EXPECT_LT(f(0, 0), 0);
  EXPECT_GT(f(1, 0), 0);
}

TEST(MeanEmbedding, RefusesWhatDoesNotFit) {
  const Data data;
  const MeanEmbedding a = data.part(0, 10);
  MeanEmbedding other(fourier(3, {.kernel = gaussian(1.5), .features = 300, .seed = 1}));
  EXPECT_THROW(other.merge(a), std::invalid_argument);
  MeanEmbedding few = data.part(0, 5);
  EXPECT_THROW(few.subtract(a), std::invalid_argument);
  EXPECT_THROW(MeanEmbedding(nullptr), std::invalid_argument);
  EXPECT_TRUE(std::isnan(squared_mmd(data.part(0, 1), a).unbiased));
  const auto heavy = std::vector<double>(5, 2.0);
  const auto rows = memory_rows<float>(data.x.view().slice(0, 5), {}, data.schema, heavy.data());
  EXPECT_THROW(embed(*rows, data.map), std::invalid_argument);
  EXPECT_EQ(embed(*rows, data.map, {}, 4.0).weight(), 10);
}

}  // namespace
}  // namespace bochner
