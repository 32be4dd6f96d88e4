// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/pcg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "random/draw.h"

namespace bochner {
namespace {

// A = V^T V / m + shift I of a random V.
struct System {
  Matrix<double> a, b;

  System(std::size_t n, std::size_t columns, double shift) : a(n, n), b(n, columns) {
    const std::size_t m = 2 * n;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t r = 0; r < m; ++r)
          a(i, j) += normal(1, Draw::frequency, r, i) * normal(1, Draw::frequency, r, j) / double(m);
      a(i, i) += shift;
      for (std::size_t k = 0; k < columns; ++k) b(i, k) = normal(2, Draw::frequency, i, k);
    }
  }

  Matrix<double> times(const Matrix<double>& x) const {
    Matrix<double> y(x.rows(), x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = 0; j < x.rows(); ++j)
        for (std::size_t k = 0; k < x.cols(); ++k) y(i, k) += a(i, j) * x(j, k);
    return y;
  }

  PcgProblem problem(double gap) const {
    PcgProblem p;
    p.multiply = [this](const Matrix<double>& x, const std::vector<std::size_t>&) { return times(x); };
    p.precondition = [](Matrix<double>&, const std::vector<std::size_t>&) {};
    p.solved = [gap](const PcgStep& step, std::size_t k) { return step.gap[k] <= gap; };
    return p;
  }
};

// After k steps the residual is a polynomial of degree k in A: one that vanishes at every eigenvalue ends it.
TEST(Pcg, SolvesInAsManyStepsAsThereAreEigenvalues) {
  const double eigenvalues[] = {0.1, 0.7, 1.3, 4, 9};
  System s(30, 3, 0.1);
  for (std::size_t i = 0; i < 30; ++i)
    for (std::size_t j = 0; j < 30; ++j) s.a(i, j) = i == j ? eigenvalues[i % 5] : 0;
  // The same system in other coordinates: I - 2 u u^T of a unit vector u on both sides.
  double length = 0;
  for (std::size_t i = 0; i < 30; ++i) length += double((i + 1) * (i + 1));
  const auto turn = [&](bool columns) {
    for (std::size_t c = 0; c < 30; ++c) {
      const auto entry = [&](std::size_t i) -> double& { return columns ? s.a(i, c) : s.a(c, i); };
      double dot = 0;
      for (std::size_t i = 0; i < 30; ++i) dot += double(i + 1) * entry(i);
      for (std::size_t i = 0; i < 30; ++i) entry(i) -= 2 * double(i + 1) * dot / length;
    }
  };
  turn(true), turn(false);
  const PcgResult found = pcg(s.b, Matrix<double>(30, 3), s.problem(1e-20), 30);
  const Matrix<double> product = s.times(found.x);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(found.solved[k]);
    EXPECT_EQ(found.iterations[k], 5u);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(product(i, k), s.b(i, k), 1e-9);
  }
}

TEST(Pcg, AnExactPreconditionerNeedsOneStep) {
  System s(20, 1, 0.5);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = 0; j < 20; ++j)
      if (i != j) s.a(i, j) = 0;
  PcgProblem p = s.problem(1e-24);
  p.precondition = [&](Matrix<double>& r, const std::vector<std::size_t>&) {
    for (std::size_t i = 0; i < 20; ++i) r(i, 0) /= s.a(i, i);
  };
  const PcgResult found = pcg(s.b, Matrix<double>(20, 1), p, 10);
  EXPECT_EQ(found.iterations[0], 1u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(found.x(i, 0), s.b(i, 0) / s.a(i, i), 1e-13);
}

TEST(Pcg, StartsFromWhereItIsTold) {
  const System s(30, 2, 0.1);
  const PcgResult found = pcg(s.b, Matrix<double>(30, 2), s.problem(1e-24), 60);
  const PcgResult again = pcg(s.b, found.x, s.problem(1e-18), 60);
  EXPECT_EQ(again.iterations, (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(again.x, found.x);
}

TEST(Pcg, AKnownProductOfTheStartSavesItsMultiplication) {
  const System s(30, 2, 0.1);
  Matrix<double> start(30, 2);
  for (std::size_t i = 0; i < 30; ++i) start(i, 0) = start(i, 1) = 1.0 / double(i + 1);
  std::size_t multiplied = 0;
  PcgProblem p = s.problem(1e-14);
  p.multiply = [&](const Matrix<double>& x, const std::vector<std::size_t>&) {
    ++multiplied;
    return s.times(x);
  };
  const PcgResult plain = pcg(s.b, start, p, 60);
  const std::size_t without = std::exchange(multiplied, 0);
  const Matrix<double> product = s.times(start);
  const PcgResult known = pcg(s.b, start, p, 60, &product);
  EXPECT_EQ(multiplied + 1, without);
  EXPECT_EQ(known.x, plain.x);
  const Matrix<double> found = s.times(known.x);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(known.residual(i, 1), s.b(i, 1) - found(i, 1), 1e-12);
}

TEST(Pcg, SolvedColumnsDropOutAndTheOthersGoOnAsIfAlone) {
  System s(30, 2, 0.1);
  for (std::size_t i = 0; i < 30; ++i) s.b(i, 0) *= 1e-6;  // reaches the same gap many steps earlier
  std::vector<std::size_t> widths;
  PcgProblem p = s.problem(1e-14);
  p.multiply = [&](const Matrix<double>& x, const std::vector<std::size_t>& columns) {
    widths.push_back(columns.size());
    return s.times(x);
  };
  const PcgResult both = pcg(s.b, Matrix<double>(30, 2), p, 60);
  EXPECT_LT(both.iterations[0], both.iterations[1]);
  EXPECT_EQ(widths.front(), 2u);
  EXPECT_EQ(widths.back(), 1u);
  Matrix<double> b(30, 1);
  for (std::size_t i = 0; i < 30; ++i) b(i, 0) = s.b(i, 1);
  const PcgResult alone = pcg(b, Matrix<double>(30, 1), s.problem(1e-14), 60);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(alone.x(i, 0), both.x(i, 1));
}

// gain is -f(x) and gap bounds what is left of it when M = A.
TEST(Pcg, ReportsTheObjective) {
  const System s(25, 1, 0.2);
  const Matrix<double> exact = pcg(s.b, Matrix<double>(25, 1), s.problem(1e-26), 80).x;
  double best = 0;
  for (std::size_t i = 0; i < 25; ++i) best += s.b(i, 0) * exact(i, 0);
  double last = -1;
  PcgProblem p = s.problem(1e-20);
  p.solved = [&](const PcgStep& step, std::size_t) {
    EXPECT_GE(step.gain[0], last - 1e-12 * best);
    EXPECT_LE(step.gain[0], best * (1 + 1e-12));
    last = step.gain[0];
    return step.gap[0] < 1e-20;
  };
  pcg(s.b, Matrix<double>(25, 1), p, 80);
  EXPECT_NEAR(last, best, 1e-9 * best);
}

TEST(Pcg, SaysWhenTheLimitCameFirst) {
  const System s(30, 1, 0.001);
  const PcgResult found = pcg(s.b, Matrix<double>(30, 1), s.problem(1e-20), 3);
  EXPECT_EQ(found.iterations[0], 3u);
  EXPECT_FALSE(found.solved[0]);
}

}  // namespace
}  // namespace bochner
