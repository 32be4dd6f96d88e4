// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/landmark_logistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "random/draw.h"
#include "run/compute.h"

namespace bochner {
namespace {

constexpr std::size_t kLandmarks = 12;

// Rows of two or three classes by their distance from 0.
struct Rings {
  explicit Rings(std::size_t n, std::size_t classes) : u(n, 2), y(n, classes == 2 ? 1 : classes), held(n, 0) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 2; ++j) u(i, j) = float(normal(1, Draw::sample, i, j));
      const std::size_t label = std::min(classes - 1, std::size_t(std::hypot(u(i, 0), u(i, 1))));
      for (std::size_t k = 0; k < y.cols(); ++k) y(i, k) = label == (classes == 2 ? 1 : k) ? 1 : -1;
    }
  }
  LandmarkLogistic machine(int count = 1) {
    threads = std::make_unique<Threads>(count);
    std::vector<std::uint32_t> landmarks(kLandmarks);
    std::iota(landmarks.begin(), landmarks.end(), 0u);
    return {workers_on(*threads), {std::as_const(u).view(), std::as_const(y).view(), weights}, landmarks, held, 2};
  }
  double kernel(std::size_t i, std::size_t j) const {
    return std::exp(-std::pow(u(i, 0) - double(u(j, 0)), 2) - std::pow(u(i, 1) - double(u(j, 1)), 2));
  }
  Matrix<float> u;
  Matrix<double> y;
  std::vector<double> weights;
  std::vector<char> held;
  std::unique_ptr<Threads> threads;
};

// The objective in plain loops.
double objective(const Rings& data, const Matrix<double>& at, double lambda) {
  const std::size_t c = data.y.cols();
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < data.u.rows(); ++i) {
    const double w = data.held[i] ? 0 : data.weights.empty() ? 1 : data.weights[i];
    double total = c == 1 ? 1 : 0, own = 0;
    for (std::size_t k = 0; k < c; ++k) {
      double odds = at(kLandmarks, k);
      for (std::size_t j = 0; j < kLandmarks; ++j) odds += data.kernel(i, j) * at(j, k);
      total += std::exp(odds);
      if (data.y(i, k) > 0) own = odds;
    }
    sum += w * (std::log(total) - own);
    weight += w;
  }
  for (std::size_t k = 0; k < c; ++k) {
    double norm = at(kLandmarks, k) * at(kLandmarks, k);
    for (std::size_t i = 0; i < kLandmarks; ++i)
      for (std::size_t j = 0; j < kLandmarks; ++j) norm += at(i, k) * data.kernel(i, j) * at(j, k);
    sum += 0.5 * lambda * weight * norm;
  }
  return sum / weight;
}

TEST(LandmarkLogistic, NoCoefficientCouldBeBetter) {
  for (const std::size_t classes : {2, 3}) {
    Rings data(300, classes);
    data.weights.assign(300, 1.0);
    for (std::size_t i = 0; i < 300; i += 3) data.weights[i] = 2.5;
    for (std::size_t i = 0; i < 300; i += 7) data.held[i] = 1;
    const double lambda = 1e-3;
    const LandmarkLogistic machine = data.machine();
    const Matrix<double> found = machine.fit(lambda, machine.even_odds());
    const double least = objective(data, found, lambda);
    EXPECT_LT(least, 0.8 * objective(data, machine.even_odds(), lambda));
    for (std::size_t j = 0; j <= kLandmarks; ++j)
      for (const double step : {-0.3, 0.3}) {
        Matrix<double> other = found;
        other(j, 0) += step;
        EXPECT_GT(objective(data, other, lambda), least - 1e-4) << classes << " classes, coefficient " << j;
      }
  }
}

TEST(LandmarkLogistic, MapAnswersItsLogOddsTimesTheSlope) {
  Rings data(100, 3);
  const LandmarkLogistic machine = data.machine();
  const Matrix<double> at = machine.fit(1e-3, machine.even_odds());
  std::vector<std::uint32_t> all(100);
  std::iota(all.begin(), all.end(), 0u);
  const Matrix<double> odds = machine.log_odds(at, all);
  const Matrix<double> answered =
      predict_rows(workers_on(*data.threads), *machine.map(at, 0.5), std::as_const(data.u).view());
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(answered(i, k), 0.5 * odds(i, k), 1e-4);
}

TEST(LandmarkLogistic, HasTheSameBitsForAnyThreads) {
  Rings data(700, 2);
  const LandmarkLogistic one = data.machine(1);
  const Matrix<double> expected = one.fit(1e-4, one.even_odds());
  for (const int threads : {2, 3}) {
    Rings same(700, 2);
    const LandmarkLogistic several = same.machine(threads);
    EXPECT_EQ(several.fit(1e-4, several.even_odds()), expected);
  }
}

}  // namespace
}  // namespace bochner
