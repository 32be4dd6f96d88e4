// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "bochner/error.h"
#include "bochner/kernel_family.h"
#include "maps/load.h"
#include "methods/neighbors/knn_map.h"
#include "random/draw.h"
#include "run/host.h"

namespace bochner {
namespace {

Matrix<float> some_points(std::size_t n, std::size_t d, std::uint64_t seed, double offset = 0) {
  Matrix<float> x(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = float(offset + normal(seed, Draw::sample, i, j));
  return x;
}

// The k nearest by differences in double, plainly.
std::vector<std::size_t> plain_nearest(const Matrix<float>& points, const float* x, std::size_t k, std::size_t self) {
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < points.cols(); ++j) sum += std::pow(double(x[j]) - double(points(i, j)), 2);
    if (i != self) all.emplace_back(sum, i);
  }
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < k; ++c) found.push_back(all[c].second);
  return found;
}

TEST(NearestPoints, AreThoseOfAPlainSearch) {
  for (const double offset : {0.0, 1e4})
    for (const auto& [n, d, k] : std::vector<std::array<std::size_t, 3>>{{1, 1, 1}, {65, 3, 5}, {700, 17, 30}}) {
      const Matrix<float> points = some_points(n, d, 1, offset), rows = some_points(9, d, 2, offset);
      const NearestPoints nearest(points);
      Matrix<float> centred(9, d);
      nearest.centre(MatrixView<const float>(rows.view()), centred.view());
      std::vector<NearPoint> near(9 * k);
      nearest.find(host_backend(), centred.view(), k, nullptr, near.data());
      for (std::size_t i = 0; i < 9; ++i) {
        const std::vector<std::size_t> expected = plain_nearest(points, &rows(i, 0), k, n);
        for (std::size_t c = 0; c < k; ++c) EXPECT_EQ(near[i * k + c].number, expected[c]) << n << " " << i << " " << c;
      }
    }
}

TEST(NearestPoints, LeaveTheRowItselfOutAndOrderEqualPointsByNumber) {
  Matrix<float> points(20, 2);  // all the same
  const NearestPoints nearest(points);
  const std::vector<std::uint32_t> self = {0, 7};
  std::vector<NearPoint> near(2 * 3);
  nearest.find(host_backend(), nearest.centred().view().slice(0, 2), 3, self.data(), near.data());
  const auto numbers = [&](std::size_t i) {
    return std::vector<std::uint32_t>{near[3 * i].number, near[3 * i + 1].number, near[3 * i + 2].number};
  };
  EXPECT_THAT(numbers(0), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(numbers(1), testing::ElementsAre(0, 1, 2));
}

Matrix<double> answers(const MapPtr& map, const Matrix<double>& x) {
  Matrix<double> out(x.rows(), map->outputs());
  map->apply(host_backend(), RowBlock<double>::dense(x.view()), out.view());
  return out;
}

KnnTargets numbered(std::size_t n) {
  KnnTargets targets;
  targets.values = Matrix<double>(n, 1);
  for (std::size_t i = 0; i < n; ++i) targets.values(i, 0) = double(i * i);
  return targets;
}

TEST(Knn, IsTheMeanOfItsNeighboursByEveryKernel) {
  const std::size_t n = 40, d = 3, k = 6;
  const Matrix<float> points = some_points(n, d, 3);
  Matrix<double> x(5, d);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = double(float(normal(4, Draw::sample, i, j)));
  KnnTargets targets = numbered(n);
  for (std::size_t i = 0; i < n; ++i) targets.weights.push_back(1 + double(i % 3));
  for (const KernelFamily* family : kernel_families()) {
    Kernel kernel{.family = *family, .length_scales = {0.7}};
    const Matrix<double> found =
        answers(knn_map(NearestPoints(points), targets, {.neighbors = k, .kernel = kernel}), x);
    for (std::size_t i = 0; i < 5; ++i) {
      std::vector<float> row(&x(i, 0), &x(i, 0) + d);
      double sum = 0, weight = 0;
      for (const std::size_t p : plain_nearest(points, row.data(), k, n)) {
        const std::vector<double> y(&points(p, 0), &points(p, 0) + d);
        const double w = targets.weights[p] * kernel_value(kernel, {&x(i, 0), d}, y);
        sum += w * double(p * p);
        weight += w;
      }
      EXPECT_NEAR(found(i, 0), sum / weight, 1e-4 * (1 + std::abs(sum / weight))) << family->name;
    }
  }
}

TEST(Knn, GivesTheSharesOfClasses) {
  Matrix<float> points(4, 1);
  for (std::size_t i = 0; i < 4; ++i) points(i, 0) = float(i);
  KnnTargets targets{.labels = {0, 2, 2, 1}, .classes = 3};
  const MapPtr map = knn_map(NearestPoints(points), targets, {.neighbors = 3});
  Matrix<double> x(2, 1);
  x(0, 0) = -5;
  x(1, 0) = 3;
  const Matrix<double> found = answers(map, x);
  EXPECT_NEAR(found(0, 0), 1.0 / 3, 1e-12);
  EXPECT_NEAR(found(0, 2), 2.0 / 3, 1e-12);
  EXPECT_NEAR(found(1, 1), 1.0 / 3, 1e-12);
  EXPECT_EQ(map->puts_out()->kind, Outputs::Kind::probabilities);
}

TEST(Knn, FarFromAllPointsNeighboursWeighTheSameAndNumbersStayFinite) {
  Matrix<float> points(3, 1);
  for (std::size_t i = 0; i < 3; ++i) points(i, 0) = float(i);
  const MapPtr map = knn_map(NearestPoints(points), numbered(3), {.neighbors = 2, .kernel = gaussian(0.1)});
  Matrix<double> x(3, 1);
  x(0, 0) = 1e6;
  x(1, 0) = 1e30;  // whose square float does not hold
  x(2, 0) = std::numeric_limits<double>::quiet_NaN();
  const Matrix<double> found = answers(map, x);
  EXPECT_EQ(found(0, 0), 2.5);
  EXPECT_TRUE(std::isfinite(found(1, 0)));
  EXPECT_TRUE(std::isnan(found(2, 0)));
}

TEST(Knn, RefusesWhatDoesNotFit) {
  const NearestPoints points(some_points(5, 2, 1));
  EXPECT_THROW(knn_map(points, numbered(5), {.neighbors = 0}), std::invalid_argument);
  EXPECT_THROW(knn_map(points, numbered(5), {.neighbors = 6}), std::invalid_argument);
  EXPECT_THROW(knn_map(points, numbered(4), {}), std::invalid_argument);
  EXPECT_THROW(knn_map(points, {.labels = {0, 1, 2, 0, 1}, .classes = 2}, {}), std::invalid_argument);
  EXPECT_THROW(NearestPoints(Matrix<float>(0, 2)), std::invalid_argument);
}

TEST(Knn, LoadsWhatItSavedAndRefusesFilesThatDoNotFit) {
  KnnTargets targets{.labels = {0, 1, 1, 0, 1}, .classes = 2};
  const MapPtr map = knn_map(NearestPoints(some_points(5, 2, 1)), targets, {.neighbors = 3, .kernel = gaussian(2)});
  Archive good;
  map->save(good);
  Matrix<double> x(3, 2);
  x(1, 0) = 1;
  EXPECT_EQ(answers(load_map(good), x), answers(map, x));
  const auto refused = [&](const std::function<void(Archive&)>& spoil) {
    Archive bad = good;
    spoil(bad);
    try {
      load_map(bad);
      ADD_FAILURE() << "was loaded";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::model) << error.what();
    }
  };
  refused([](Archive& a) { a.tree["neighbors"] = 6; });
  refused([](Archive& a) { a.tree["neighbors"] = 0; });
  refused([](Archive& a) { a.tree["classes"] = 1; });
  refused([](Archive& a) { a.tree["classes"] = std::uint64_t(1) << 60; });
  refused([](Archive& a) { a.tree["kernel"] = "no such"; });
  refused([](Archive& a) { a.tree["length_scale"] = -1.0; });
  refused([](Archive& a) { a.arrays.erase("labels"); });
  refused([](Archive& a) {
    a.arrays.erase("labels");
    a.put<std::uint32_t>("labels", std::vector<std::uint32_t>{0, 1}, {2});
  });
  refused([](Archive& a) {
    a.arrays.erase("center");
    a.put<double>("center", std::vector<double>{0}, {1});
  });
  refused([](Archive& a) { a.put<double>("weights", std::vector<double>{1, 1, 1, 1, 0}, {5}); });
  const float nan = std::numeric_limits<float>::quiet_NaN();
  refused([&](Archive& a) {
    a.arrays.erase("points");
    a.put<float>("points", std::vector<float>(10, nan), {5, 2});
  });
}

}  // namespace
}  // namespace bochner
