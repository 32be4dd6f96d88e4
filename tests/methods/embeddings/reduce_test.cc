// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "methods/embeddings/reduction.h"
#include "random/draw.h"
#include "run/compute.h"

namespace bochner {
namespace {

using Method = ReduceOptions::Method;

Matrix<double> mixture(std::size_t rows, std::size_t cols, std::uint64_t seed = 1) {
  Matrix<double> x(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      x(i, j) = 2 * normal(seed, Draw::entry, i % 3, j, 7) + 0.5 * normal(seed, Draw::entry, i, j);
  return x;
}

const std::vector<Kernel> kKernels = {gaussian(),  laplacian(), cauchy(),    laplacian2(),
                                      matern(1.5), matern(2.5), matern(2.0), rational_quadratic(1.5)};

TEST(Lbfgs, FindsTheLeastOfRosenbrocksFunctionAndOfOneWithAKink) {
  std::vector<double> x = {-1.2, 1};
  const LbfgsResult smooth = lbfgs(
      [](std::span<const double> v, std::span<double> g) {
        const double a = 1 - v[0], b = v[1] - v[0] * v[0];
        g[0] = -2 * a - 400 * v[0] * b;
        g[1] = 200 * b;
        return a * a + 100 * b * b;
      },
      x, {.most_iterations = 200, .share = 0, .least = 1e-20});
  EXPECT_LT(smooth.value, 1e-12);
  EXPECT_NEAR(x[0], 1, 1e-5);
  std::vector<double> y = {3, -2};
  const LbfgsResult kink = lbfgs(
      [](std::span<const double> v, std::span<double> g) {
        g[0] = v[0] > 1 ? 1 : -1;
        g[1] = 2 * v[1];
        return std::fabs(v[0] - 1) + v[1] * v[1];
      },
      y, {.most_iterations = 200, .share = 0, .least = 1e-12});
  EXPECT_LT(kink.value, 1e-4);
}

TEST(KernelSlope, IsTheDerivativeOfTheValue) {
  const std::vector<double> y = {0.3, -0.2, 1.1};
  for (const Kernel& kernel : kKernels) {
    const KernelSlope slope(kernel);
    std::vector<double> x = {0.9, 0.4, -0.3}, gradient(3);
    const double value = slope.add_gradient(x, y, 2.0, gradient);
    EXPECT_DOUBLE_EQ(value, slope.value(x, y)) << kernel_name(kernel);
    for (std::size_t j = 0; j < 3; ++j) {
      const double at = x[j];
      x[j] = at + 1e-6;
      const double above = slope.value(x, y);
      x[j] = at - 1e-6;
      EXPECT_NEAR(gradient[j], 2 * (above - slope.value(x, y)) / 2e-6, 1e-6) << kernel_name(kernel);
      x[j] = at;
    }
    std::vector<double> none(3);
    slope.add_gradient(y, y, 1.0, none);
    for (const double g : none) EXPECT_EQ(g, 0) << kernel_name(kernel);
  }
}

TEST(KernelSum, IsTheSumOverThePoints) {
  Threads threads(2);
  const Workers on = workers_on(threads);
  const Matrix<double> x = mixture(2500, 3), at = mixture(7, 3, 4);
  std::vector<double> alpha;
  for (std::size_t i = 0; i < x.rows(); ++i) alpha.push_back(normal(2, Draw::entry, i) / 50);
  for (const Kernel& kernel : kKernels) {
    const KernelSlope slope(kernel);
    for (const bool in_float : {false, true}) {
      const KernelSum sum(on, slope, x, alpha, in_float);
      std::vector<double> values(7), alone(7);
      Matrix<double> gradients(7, 3);
      sum.evaluate(at.view(), values, gradients.view());
      sum.evaluate(at.view(), alone);
      const double tolerance = in_float ? 1e-4 : 1e-9;
      for (std::size_t p = 0; p < 7; ++p) {
        double value = 0;
        std::vector<double> gradient(3);
        for (std::size_t i = 0; i < x.rows(); ++i)
          value += alpha[i] * slope.add_gradient({&at(p, 0), 3}, {&x(i, 0), 3}, alpha[i], gradient);
        EXPECT_NEAR(values[p], value, tolerance);
        EXPECT_NEAR(alone[p], value, tolerance);
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(gradients(p, j), gradient[j], tolerance);
      }
    }
  }
}

template <class Objective>
void expect_gradient(Objective& f, std::vector<double> x) {
  std::vector<double> gradient(x.size()), unused(x.size());
  f(x, gradient);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = x[i];
    x[i] = at + 1e-5;
    const double above = f(x, unused);
    x[i] = at - 1e-5;
    EXPECT_NEAR(gradient[i], (above - f(x, unused)) / 2e-5, 1e-6);
    x[i] = at;
  }
}

TEST(Reduction, GradientsAreThoseOfTheObjectives) {
  Threads threads(1);
  const Workers on = workers_on(threads);
  const Matrix<double> x = mixture(300, 2), start = mixture(5, 2, 9);
  const std::vector<double> at(start.data(), start.data() + 10);
  for (const Kernel& kernel : {gaussian(), matern(2.5), cauchy()}) {
    const KernelSlope slope(kernel);
    const KernelSum mu(on, slope, x, std::vector<double>(300, 1.0 / 300));
    ExactObjective exact(mu);
    expect_gradient(exact, at);
    const FeatureSpace space(on, slope, 2, 64, 3);
    FeatureObjective rough(space, space.embed(x.view(), mu.alpha()));
    expect_gradient(rough, at);
    const FeatureSpace shifted(on, slope, 2, 50, 3, true);
    const FeatureObjective held(shifted, shifted.embed(x.view(), mu.alpha()));
    const std::vector<double> beta = {0.3, 0.1, -0.2, 0.5, 0.2};
    const auto f = [&](std::span<const double> v, std::span<double> g) { return held.fixed_weights(v, beta, g); };
    expect_gradient(f, at);
  }
}

TEST(Reduction, SeveralFunctionsAreTheSumOfEach) {
  Threads threads(2);
  const Workers on = workers_on(threads);
  const Matrix<double> x = mixture(700, 2), start = mixture(5, 2, 9);  // 700: of two slices
  const std::vector<double> at(start.data(), start.data() + 10);
  Matrix<double> alpha(700, 3);
  for (std::size_t i = 0; i < 700; ++i)
    for (std::size_t f = 0; f < 3; ++f) alpha(i, f) = normal(4, Draw::entry, i, f) / 700;
  for (const Kernel& kernel : {gaussian(), matern(2.5), laplacian()}) {
    const KernelSlope slope(kernel);
    const KernelSums sums(on, slope, x, alpha);
    SharedObjective shared(sums);
    std::vector<double> gradient(10), one(10), expected(10);
    const double value = shared(at, gradient);
    double all = 0, norm2 = 0;
    for (std::size_t f = 0; f < 3; ++f) {
      std::vector<double> column(700);
      for (std::size_t i = 0; i < 700; ++i) column[i] = alpha(i, f);
      const KernelSum mu(on, slope, x, column);
      ExactObjective exact(mu);
      all += exact(at, one);
      norm2 += mu.squared_norm();
      for (std::size_t j = 0; j < 10; ++j) expected[j] += one[j];
      for (std::size_t j = 0; j < 5; ++j)
        EXPECT_NEAR(shared.beta()(j, f), exact.beta()[j], 1e-9) << kernel_name(kernel);
    }
    EXPECT_NEAR(value, all, 1e-12) << kernel_name(kernel);
    EXPECT_NEAR(sums.squared_norm(), norm2, 1e-12) << kernel_name(kernel);
    for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-9) << kernel_name(kernel);
  }
}

TEST(Reduction, ComparedFunctionsNeedNotWhatTheyShare) {
  SharedExpansion apart{mixture(200, 2), Matrix<double>(200, 2), gaussian()};
  for (std::size_t i = 0; i < 200; ++i) {
    apart.weights(i, 0) = std::ldexp(double(i % 7), -10);
    apart.weights(i, 1) = std::ldexp(double(i % 5), -10);
  }
  SharedExpansion with_more = apart;  // both functions get the same more, which is exact
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t f = 0; f < 2; ++f) with_more.weights(i, f) += double(i % 11);
  const SharedSet few = reduce_together(apart, {.points = 6, .compared = true});
  const SharedSet same = reduce_together(with_more, {.points = 6, .compared = true});
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(few.points(j, i), same.points(j, i));
    for (std::size_t f = 0; f < 2; ++f) EXPECT_EQ(few.weights(j, f), same.weights(j, f));
    EXPECT_NEAR(few.weights(j, 0) + few.weights(j, 1), 0, 1e-12);
  }
  EXPECT_GT(few.norm, 0);
  EXPECT_GT(reduce_together(with_more, {.points = 6}).norm, 1000 * few.norm);
}

// |mu - sum beta phi|^2 over all pairs.
double distance_of(const Expansion& of, const ReducedSet& set) {
  double sum = 0;
  const auto add = [&](const Matrix<double>& a, const std::vector<double>& wa, const Matrix<double>& b,
                       const std::vector<double>& wb, double factor) {
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t j = 0; j < b.rows(); ++j)
        sum += factor * wa[i] * wb[j] * kernel_value(of.kernel, {&a(i, 0), a.cols()}, {&b(j, 0), b.cols()});
  };
  add(of.points, of.weights, of.points, of.weights, 1);
  add(of.points, of.weights, set.points, set.weights, -2);
  add(set.points, set.weights, set.points, set.weights, 1);
  return std::sqrt(std::max(sum, 0.0));
}

TEST(Reduce, DistanceIsThatOfAllPairsForEveryMethodAndKernel) {
  for (Kernel kernel : kKernels)
    for (const Method method :
         {Method::joint, Method::rsrf, Method::fixed_point, Method::herding, Method::thinning, Method::kmeans}) {
      if (method == Method::fixed_point &&
          (kernel.family == Kernel::Family::laplacian || kernel.family == Kernel::Family::cauchy))
        continue;
      kernel.length_scales = {0.7, 1.3};
      const Expansion mean = mean_expansion(mixture(120, 2), kernel);
      const ReducedSet set = reduce(mean, {.points = 4, .method = method, .starts = 2});
      EXPECT_EQ(set.points.rows(), 4u);
      EXPECT_NEAR(set.rkhs_distance, distance_of(mean, set), 1e-6) << kernel_name(kernel) << int(method);
      EXPECT_LT(set.rkhs_distance, set.norm);
    }
}

TEST(Reduce, JointIsNearerThanTheOthersWithEveryKernel) {
  for (const Kernel& kernel : kKernels) {
    const Expansion mean = mean_expansion(mixture(200, 2), kernel);
    const double joint = reduce(mean, {.points = 6}).rkhs_distance;
    for (const Method method : {Method::rsrf, Method::herding, Method::thinning, Method::kmeans})
      EXPECT_LT(joint, reduce(mean, {.points = 6, .method = method, .starts = 2}).rkhs_distance) << kernel_name(kernel);
  }
}

TEST(Reduce, WeightsOfBothSignsAreReduced) {
  Expansion of{mixture(300, 3), {}, gaussian()};
  for (std::size_t i = 0; i < 300; ++i) of.weights.push_back(normal(8, Draw::entry, i) / 300);
  const ReducedSet set = reduce(of, {.points = 30});
  EXPECT_NEAR(set.rkhs_distance, distance_of(of, set), 1e-7);
  EXPECT_LT(set.rkhs_distance, 0.5 * set.norm);
  EXPECT_THROW(reduce(of, {.points = 30, .method = Method::herding}), std::invalid_argument);
}

TEST(Reduce, FeaturesStandInForManyRows) {
  const Expansion mean = mean_expansion(mixture(3000, 2), gaussian());
  const ReducedSet set = reduce(mean, {.points = 8, .features = 200});
  EXPECT_LT(set.rkhs_distance, 1.5 * reduce(mean, {.points = 8}).rkhs_distance);
  EXPECT_EQ(set.features, 200u);
}

TEST(Reduce, IsTheSameForAnyThreads) {
  const Expansion mean = mean_expansion(mixture(5000, 3), gaussian());
  for (const std::size_t features : {0u, 100u}) {
    ReduceOptions options{.points = 10, .features = features};
    options.execution.threads = 1;
    const ReducedSet one = reduce(mean, options);
    options.execution.threads = 3;
    const ReducedSet three = reduce(mean, options);
    EXPECT_EQ(one.points, three.points);
    EXPECT_EQ(one.weights, three.weights);
    EXPECT_EQ(one.rkhs_distance, three.rkhs_distance);
  }
}

TEST(Reduce, EqualPointsAreTheSet) {
  Matrix<double> x(50, 2);
  for (std::size_t i = 0; i < 50; ++i) x(i, 0) = double(i % 2);
  for (const Method method : {Method::joint, Method::kmeans, Method::fixed_point}) {
    const ReducedSet set = reduce(mean_expansion(x, gaussian()), {.points = 10, .method = method});
    EXPECT_LT(set.rkhs_distance, 1e-6);
  }
  Matrix<double> one(1, 1);
  EXPECT_EQ(reduce(mean_expansion(one, gaussian()), {.points = 3}).points.rows(), 1u);
}

TEST(Reduce, RefusesWhatCannotBe) {
  Matrix<double> x = mixture(10, 2);
  EXPECT_THROW(reduce(mean_expansion(x, gaussian()), {.points = 0}), std::invalid_argument);
  EXPECT_THROW(reduce(mean_expansion(x, laplacian()), {.points = 2, .method = Method::fixed_point}),
               std::invalid_argument);
  x(3, 1) = std::nan("");
  EXPECT_THROW(reduce(mean_expansion(x, gaussian()), {.points = 2}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
