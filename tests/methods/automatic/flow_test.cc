// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "random/draw.h"

namespace bochner {
namespace {

struct Data {
  Data(std::size_t n, std::size_t d, std::size_t c) : x(n, d), y(n, c), weights(n, 1.0) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) x(i, j) = float(normal(7, Draw::sample, i, j));
  }
  FlowRows rows(bool weighted = false) const {
    return {x.view(), y.view(), weighted ? std::span<const double>(weights) : std::span<const double>()};
  }
  Matrix<float> x;
  Matrix<double> y;
  std::vector<double> weights;
};

std::vector<std::uint32_t> in_order(std::size_t n) {
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

// Every derivative against a difference of losses, in double.
void check_gradient(const Data& data, Metric metric, bool weighted) {
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  const FlowBatch batch{60, 30};
  const auto loss = [&](const Metric& m) {
    return flow_gradient<double>(on, data.rows(weighted), in_order(90), batch, m).loss;
  };
  const FlowGradient g = flow_gradient<double>(on, data.rows(weighted), in_order(90), batch, metric);
  const double step = 1e-5;
  const auto slope = [&](const auto& move) {
    Metric more = metric, less = metric;
    move(more, step);
    move(less, -step);
    return (loss(more) - loss(less)) / (2 * step);
  };
  EXPECT_NEAR(g.q, slope([](Metric& m, double s) { m.q += s; }), 1e-5);
  EXPECT_NEAR(g.log_lambda, slope([](Metric& m, double s) { m.lambda *= std::exp(s); }), 1e-6);
  for (std::size_t i = 0; i < g.metric.size(); ++i)
    EXPECT_NEAR(g.metric[i], slope([&](Metric& m, double s) {
                  if (m.diagonal.empty())
                    m.full.data()[i] += s;
                  else
                    m.diagonal[i] *= std::exp(s);
                }),
                1e-5)
        << i;
}

TEST(Flow, WithoutLearningTakesTheMedianDistance) {
  Data data(2000, 50, 1);
  const Metric metric = gaussian_of_median_distance(data.x.view(), 1);
  ASSERT_EQ(metric.diagonal.size(), 50u);
  EXPECT_EQ(metric.q, 2);
  EXPECT_NEAR(metric.diagonal[0], 0.1, 0.003);  // sqrt(2 x 50) is the distance of normal rows
  for (const double w : metric.diagonal) EXPECT_EQ(w, metric.diagonal[0]);
  for (std::size_t i = 0; i < 2000 * 50; ++i) data.x.data()[i] *= 8;
  EXPECT_NEAR(gaussian_of_median_distance(data.x.view(), 1).diagonal[7], metric.diagonal[0] / 8, 1e-9);
}

TEST(FlowGradient, IsTheDerivativeOfTheLoss) {
  Data data(90, 5, 2);
  for (std::size_t i = 0; i < 90; ++i) {
    data.y(i, 0) = std::sin(data.x(i, 0)) + 0.3 * data.x(i, 1);
    data.y(i, 1) = data.x(i, 2) * data.x(i, 0);
    data.weights[i] = 0.5 + double(i % 3);
  }
  Metric metric;
  metric.q = 1.3;
  metric.diagonal = {0.5, 0.7, 0.9, 0.4, 0.6};
  Metric full;
  full.q = 1.6;
  full.full = Matrix<double>(5, 5);
  for (std::size_t i = 0; i < 25; ++i) full.full.data()[i] = 0.4 * normal(3, Draw::sample, i);
  for (const bool weighted : {false, true}) {
    check_gradient(data, metric, weighted);
    check_gradient(data, full, weighted);
  }
}

TEST(FlowGradient, ARowOfWeightTwoIsTwoRows) {
  Data once(90, 3, 1), twice(100, 3, 1);
  for (std::size_t i = 0; i < 90; ++i) once.y(i, 0) = std::sin(once.x(i, 0)) + 0.1 * once.x(i, 1);
  for (std::size_t i = 80; i < 90; ++i) once.weights[i] = 2;  // scored
  for (std::size_t i = 0; i < 100; ++i) {
    const std::size_t from = i < 90 ? i : i - 10;
    std::copy_n(&once.x(from, 0), 3, &twice.x(i, 0));
    twice.y(i, 0) = once.y(from, 0);
  }
  Threads threads(1);
  const Workers on{cpu_backend(), threads};
  Metric metric;
  metric.diagonal = {1, 1, 1};
  const FlowGradient a = flow_gradient<double>(on, once.rows(true), in_order(90), {60, 30}, metric);
  const FlowGradient b = flow_gradient<double>(on, twice.rows(), in_order(100), {60, 40}, metric);
  EXPECT_NEAR(a.loss, b.loss, 1e-12);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a.metric[j], b.metric[j], 1e-10);
}

TEST(FlowGradient, ARowOfWeightZeroIsNone) {
  Data once(90, 3, 1);
  for (std::size_t i = 0; i < 90; ++i) once.y(i, 0) = std::sin(once.x(i, 0)) + 0.1 * once.x(i, 1);
  Data wild = once;
  for (const std::size_t i : {3, 70}) {  // fitted and scored
    once.weights[i] = wild.weights[i] = 0;
    wild.y(i, 0) = 1e9;
  }
  Threads threads(1);
  const Workers on{cpu_backend(), threads};
  Metric metric;
  metric.diagonal = {1, 1, 1};
  const FlowGradient a = flow_gradient<double>(on, once.rows(true), in_order(90), {60, 30}, metric);
  const FlowGradient b = flow_gradient<double>(on, wild.rows(true), in_order(90), {60, 30}, metric);
  EXPECT_NEAR(a.loss, b.loss, 1e-12);
  EXPECT_NEAR(a.log_lambda, b.log_lambda, 1e-10);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a.metric[j], b.metric[j], 1e-10);
}

Metric learn(const Data& data, int count, bool full) {
  Threads threads(count);
  const Workers on{cpu_backend(), threads};
  Metric metric = flow(on, data.rows(), flow_start(data.rows(), 1), {25, 0.12, {300, 400}, false}, 1);
  if (full) metric = flow(on, data.rows(), metric, {3, 0.06, {300, 400}, true}, 2);
  return metric;
}

TEST(Flow, FindsTheInputsThatMatterWithTheSameBitsForAnyThreads) {
  Data data(2000, 16, 1);
  for (std::size_t i = 0; i < 2000; ++i)
    data.y(i, 0) = std::sin(2.0 * data.x(i, 3)) + data.x(i, 5) * data.x(i, 9) + 0.1 * normal(5, Draw::sample, i, 99);
  const Metric metric = learn(data, 1, false);
  double least = 1e9, most = 0;
  for (std::size_t j = 0; j < 16; ++j) {
    const bool matters = j == 3 || j == 5 || j == 9;
    if (matters)
      least = std::min(least, metric.diagonal[j]);
    else
      most = std::max(most, metric.diagonal[j]);
  }
  EXPECT_GT(least, 3 * most);
  const Metric full = learn(data, 1, true);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(learn(data, threads, false).diagonal, metric.diagonal);
    EXPECT_EQ(learn(data, threads, true).full, full.full);
  }
}

TEST(Flow, RowsOfADrawAreDistinctAndTheirOrderIsSeeded) {
  const std::vector<std::uint32_t> a = draw_rows(100, 60, 1, 0), b = draw_rows(100, 60, 1, 1);
  EXPECT_NE(a, b);
  EXPECT_EQ(a, draw_rows(100, 60, 1, 0));
  std::vector<std::uint32_t> sorted = a;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_LT(sorted.back(), 100u);
}

TEST(Flow, ADrawIsPartedByKin) {
  std::vector<std::uint64_t> kin(300);
  for (std::size_t i = 0; i < 300; ++i) kin[i] = 7 * (i / 10);
  const std::vector<std::uint32_t> drawn = draw_rows(300, 200, 1, 4), parted = parted_by_kin(drawn, 80, kin, 1, 4);
  EXPECT_TRUE(std::is_permutation(drawn.begin(), drawn.end(), parted.begin(), parted.end()));
  std::set<std::uint64_t> fitted, scored, both;
  for (std::size_t i = 0; i < 200; ++i) (i < 80 ? fitted : scored).insert(kin[parted[i]]);
  std::set_intersection(fitted.begin(), fitted.end(), scored.begin(), scored.end(), std::inserter(both, both.end()));
  EXPECT_LE(both.size(), 1u);
  EXPECT_NE(parted, parted_by_kin(drawn, 80, kin, 1, 5));  // another cut at another step
}

}  // namespace
}  // namespace bochner
