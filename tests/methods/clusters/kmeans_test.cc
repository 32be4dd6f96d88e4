// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bochner/error.h"
#include "bochner/transform.h"
#include "model/saved_model.h"
#include "random/draw.h"

namespace bochner {
namespace {

// Rows about some middles; spread: of the rows about them.
struct Blobs {
  std::size_t n, d;
  Matrix<float> x;
  std::vector<std::size_t> blob;
  std::vector<double> weights;

  Blobs(std::size_t rows, std::size_t inputs, std::size_t blobs, double spread) : n(rows), d(inputs), x(rows, inputs) {
    for (std::size_t i = 0; i < n; ++i) {
      blob.push_back(i % blobs);
      for (std::size_t j = 0; j < d; ++j)
        x(i, j) = float(10 * normal(1, Draw::frequency, blob[i], j) + spread * normal(2, Draw::frequency, i, j));
    }
  }
  std::unique_ptr<Rows> rows() const {
    Schema schema;
    schema.inputs = d;
    return memory_rows<float>(x.view(), {}, schema, weights.empty() ? nullptr : weights.data());
  }
  Model model(KMeansOptions options) const {
    options.features.scale = ColumnScaling::Method::none;
    return kmeans(*rows(), options);
  }
};

std::size_t winner(const Matrix<double>& scores, std::size_t i) {
  return std::size_t(std::max_element(&scores(i, 0), &scores(i, 0) + scores.cols()) - &scores(i, 0));
}

using KMeans = SavedModel;

TEST_F(KMeans, CentresAreTheMeansOfTheRowsNearestToThem) {
  const Blobs p(3000, 5, 7, 6.0);  // which overlap: many passes, three groups of centres
  const std::size_t k = 30;
  const Model model = p.model({.clusters = k, .tolerance = 0});
  const Matrix<double> scores = model.predict(*p.rows());
  const std::vector<double> inertia = figure_of(*model.head(), "inertia");
  EXPECT_EQ(model.report().termination, Termination::converged);
  EXPECT_GT(inertia.size(), 5u);
  for (std::size_t i = 1; i < inertia.size(); ++i) EXPECT_LE(inertia[i], inertia[i - 1] * (1 + 1e-9));
  std::vector<double> count(k);
  Matrix<double> mean(k, p.d);
  double total = 0;
  for (std::size_t i = 0; i < p.n; ++i) {
    const std::size_t c = winner(scores, i);
    ++count[c];
    total -= scores(i, c);
    for (std::size_t j = 0; j < p.d; ++j) mean(c, j) += double(p.x(i, j));
  }
  EXPECT_NEAR(total, inertia.back(), 1e-3 * total);
  const std::vector<double> weights = figure_of(*model.head(), "weights");
  for (std::size_t c = 0; c < k; ++c) {
    EXPECT_EQ(count[c], weights[c]);
    if (c > 0) {
      EXPECT_LE(weights[c], weights[c - 1]);
    }
  }
  // The distance of the means to the centres: a score of the mean with its own centre.
  Matrix<double> means(k, p.d);
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < p.d; ++j) means(c, j) = mean(c, j) / count[c];
  const Matrix<double> of_means = model.predict(std::as_const(means).view());
  for (std::size_t c = 0; c < k; ++c) EXPECT_NEAR(of_means(c, c), 0, 1e-2);
}

TEST_F(KMeans, FindsBlobsThatLieApart) {
  const Blobs p(4000, 6, 23, 0.1);
  const Model model = p.model({.clusters = 23, .restarts = 5});
  const Matrix<double> scores = model.predict(*p.rows());
  std::vector<std::size_t> of_blob(23, 999);
  for (std::size_t i = 0; i < p.n; ++i) {
    std::size_t& own = of_blob[p.blob[i]];
    if (own == 999) own = winner(scores, i);
    ASSERT_EQ(winner(scores, i), own) << i;
  }
  std::sort(of_blob.begin(), of_blob.end());
  EXPECT_EQ(std::unique(of_blob.begin(), of_blob.end()), of_blob.end());
  EXPECT_GT(figure_of(*model.head(), "silhouette")[0], 0.9);
}

TEST_F(KMeans, BytesDoNotDependOnThreadsBlocksOrMemory) {
  const Blobs p(12000, 4, 9, 4.0);
  KMeansOptions options{.clusters = 25, .restarts = 1, .most_passes = 6};
  options.features.map = Fourier{};
  options.features.features = 1600;
  options.features.execution.threads = 1;
  const std::string expected = saved(kmeans(*p.rows(), options));
  for (const int threads : {2, 3}) {
    options.features.execution.threads = threads;
    options.features.execution.block_rows = threads == 2 ? 0 : 1024;
    options.features.execution.memory = threads == 2 ? 0 : std::size_t(64) << 20;  // not all features stay
    EXPECT_TRUE(saved(kmeans(*p.rows(), options)) == expected) << threads;
  }
  options.features.seed = 1;
  EXPECT_FALSE(saved(kmeans(*p.rows(), options)) == expected);
}

TEST_F(KMeans, WeightsMoveCentres) {
  Blobs p(2000, 3, 4, 0.2);
  for (std::size_t i = 0; i < p.n; ++i) p.weights.push_back(i % 8 < 4 ? 3.0 : 1.0);
  const Model model = p.model({.clusters = 4, .restarts = 5});
  const Matrix<double> scores = model.predict(*p.rows());
  Matrix<double> mean(4, p.d);
  std::vector<double> weight(4);
  for (std::size_t i = 0; i < p.n; ++i) {
    weight[p.blob[i]] += p.weights[i];
    for (std::size_t j = 0; j < p.d; ++j) mean(p.blob[i], j) += p.weights[i] * double(p.x(i, j));
  }
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t j = 0; j < p.d; ++j) mean(b, j) /= weight[b];
  const Matrix<double> of_means = model.predict(std::as_const(mean).view());
  for (std::size_t b = 0; b < 4; ++b) EXPECT_NEAR(of_means(b, winner(of_means, b)), 0, 1e-3);
}

TEST_F(KMeans, FewDistinctRowsGiveFewClusters) {
  Blobs p(900, 3, 3, 0.0);
  const Model model = p.model({.clusters = 8});
  EXPECT_EQ(model.outputs(), 3u);
  EXPECT_NEAR(figure_of(*model.head(), "inertia").back(), 0, 1e-3);
  bool said = false;
  for (const std::string& note : model.report().notes)
    said = said || note == "clusters: 3 of 8, since no more rows differ";
  EXPECT_TRUE(said);
}

TEST_F(KMeans, AClusterWithoutRowsBeginsAgain) {
  // All rows but two are the same: a sample may show one place only.
  Blobs p(60000, 2, 1, 0.0);
  p.x(123, 0) += 5;
  p.x(54321, 1) -= 7;
  const Model model = p.model({.clusters = 3});
  EXPECT_EQ(model.outputs(), 3u);
  EXPECT_NEAR(figure_of(*model.head(), "inertia").back(), 0, 1e-2);
}

TEST_F(KMeans, RefusesMoreClustersThanRows) {
  const Blobs p(5, 2, 5, 1.0);
  EXPECT_THROW(p.model({.clusters = 6}), Error);
  EXPECT_THROW(p.model({.clusters = 0}), std::invalid_argument);
  EXPECT_EQ(p.model({.clusters = 5}).outputs(), 5u);
  EXPECT_EQ(p.model({.clusters = 1}).outputs(), 1u);
}

TEST_F(KMeans, ConstantColumnsAndOneRowAreNoTrouble) {
  Blobs p(1, 2, 1, 0.0);
  EXPECT_EQ(kmeans(*p.rows(), {.clusters = 1}).outputs(), 1u);
  Blobs same(50, 2, 1, 0.0);
  const Model model = kmeans(*same.rows(), {.clusters = 2});
  const Matrix<double> scores = model.predict(*same.rows());
  for (std::size_t i = 0; i < scores.rows(); ++i) EXPECT_TRUE(std::isfinite(scores(i, 0)));
}

TEST_F(KMeans, AModelReadAgainFindsTheSame) {
  const Blobs p(500, 3, 4, 1.0);
  KMeansOptions options{.clusters = 4};
  options.features.map = Fourier{};
  options.features.features = 64;
  const Model model = kmeans(*p.rows(), options);
  saved(model);
  const Model again = Model::load(path_.string());
  EXPECT_EQ(again.predict(*p.rows()), model.predict(*p.rows()));
  EXPECT_EQ(figures_of(*again.head()).size(), figures_of(*model.head()).size());
  EXPECT_EQ(again.puts_out().kind, Outputs::Kind::clusters);
}

}  // namespace
}  // namespace bochner
