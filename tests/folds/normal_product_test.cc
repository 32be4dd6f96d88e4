// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/normal_product.h"

#include <gtest/gtest.h>

#include "folds/kept_problem.h"

namespace bochner {
namespace {

using testing::KeptProblem;

KeptProblem problem_with_held_rows(std::size_t n, std::size_t D) {
  KeptProblem p(n, D);
  for (std::uint64_t i = 0; i < n; ++i)
    if (uniform(5, Draw::holdout, i) < 0.07) p.kept.held.push_back(i);
  return p;
}

Matrix<double> directions(std::size_t D, std::size_t count) {
  Matrix<double> v(D, count);
  for (std::size_t j = 0; j < D; ++j)
    for (std::size_t k = 0; k < count; ++k) v(j, k) = normal(7, Draw::frequency, j, k) * std::pow(10.0, double(k) - 1);
  return v;
}

std::vector<double> some_mean(std::size_t D) {
  std::vector<double> mean;
  for (std::size_t j = 0; j < D; ++j) mean.push_back(0.2 + 0.05 * normal(8, Draw::frequency, j));
  return mean;
}

TEST(MomentFold, AgreesWithPlainSums) {
  const KeptProblem p = problem_with_held_rows(2500, 45);
  for (const bool weighted : {false, true}) {
    const MomentFold fold = p.fold(MomentFold(p.kept, p.code), 2, 1024, weighted);
    for (const bool with_held : {false, true}) {
      const MomentFold::Moments m = fold.value(with_held);
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t j = 0; j < 45; ++j) {
          double sum = 0;
          for (std::size_t i = 0; i < 2500; ++i)
            if (with_held || !p.is_held(i)) sum += p.w(i, weighted) * p.z(i, j) * p.t(i, k);
          EXPECT_NEAR(m.moment(j, k), sum, 1e-3);
        }
        for (std::size_t a = 0; a < 3; ++a) {
          double sum = 0;
          for (std::size_t i = 0; i < 2500; ++i)
            if (with_held || !p.is_held(i)) sum += p.w(i, weighted) * p.t(i, k) * p.t(i, a);
          EXPECT_NEAR(m.target(k, a), sum, 1e-9 * 2500);
        }
      }
    }
  }
}

TEST(NormalProduct, AgreesWithPlainSums) {
  const std::size_t n = 2500, D = 45;
  const KeptProblem p = problem_with_held_rows(n, D);
  const std::vector<double> mean = some_mean(D);
  for (const std::size_t count : {1, 3, 6}) {
    const Matrix<double> v = directions(D, count);
    for (const bool weighted : {false, true}) {
      const NormalProduct fold = p.fold(NormalProduct(p.kept, mean, v.view()), 2, 1024, weighted);
      const Matrix<double> found = fold.value();
      Matrix<double> expected(D, count), held(p.kept.held.size(), count);
      for (std::size_t i = 0, h = 0; i < n; ++i) {
        std::vector<double> u(count);
        for (std::size_t j = 0; j < D; ++j)
          for (std::size_t k = 0; k < count; ++k) u[k] += (p.z(i, j) - mean[j]) * v(j, k);
        if (p.is_held(i)) {
          for (std::size_t k = 0; k < count; ++k) held(h, k) = u[k];
          ++h;
          continue;
        }
        for (std::size_t j = 0; j < D; ++j)
          for (std::size_t k = 0; k < count; ++k) expected(j, k) += p.w(i, weighted) * (p.z(i, j) - mean[j]) * u[k];
      }
      for (std::size_t k = 0; k < count; ++k) {
        const double scale = std::pow(10.0, double(k) - 1);
        for (std::size_t j = 0; j < D; ++j) EXPECT_NEAR(found(j, k), expected(j, k), 2e-5 * double(n) * scale);
        for (std::size_t h = 0; h < held.rows(); ++h) EXPECT_NEAR(fold.held_out()(h, k), held(h, k), 1e-5 * scale);
      }
    }
  }
}

TEST(NormalProduct, OverTheHeldRowsIsWhatTheRestLacks) {
  const std::size_t D = 45;
  const KeptProblem p = problem_with_held_rows(2500, D);
  KeptRows everything = p.kept;
  everything.held.clear();
  const std::vector<double> mean = some_mean(D);
  const Matrix<double> v = directions(D, 3);
  const NormalProduct rest = p.fold(NormalProduct(p.kept, mean, v.view()), 2, 1024, true);
  const NormalProduct held = p.fold(NormalProduct(p.kept, mean, v.view(), NormalProduct::Over::held), 2, 1024, true);
  const NormalProduct all = p.fold(NormalProduct(everything, mean, v.view()), 2, 1024, true);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < D; ++j)
      EXPECT_NEAR(rest.value()(j, k) + held.value()(j, k), all.value()(j, k),
                  2e-5 * 2500 * std::pow(10.0, double(k) - 1));
  for (std::size_t h = 0; h < p.kept.held.size(); ++h)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(held.held_out()(h, k), rest.held_out()(h, k), 1e-4);
  for (const int threads : {1, 3})
    EXPECT_EQ(held.value(),
              p.fold(NormalProduct(p.kept, mean, v.view(), NormalProduct::Over::held), threads, 3072, true).value());
}

TEST(NormalProduct, IsTheSameToTheBitForAnyThreadsAndBlocks) {
  const std::size_t D = 200;
  const KeptProblem p = problem_with_held_rows(5000, D);
  const std::vector<double> mean = some_mean(D);
  const Matrix<double> v = directions(D, 3);
  const NormalProduct one = p.fold(NormalProduct(p.kept, mean, v.view()), 1, 5000, true);
  const MomentFold moments = p.fold(MomentFold(p.kept, p.code), 1, 5000, true);
  for (const int threads : {2, 3, 7})
    for (const std::size_t block : {1024, 3072}) {
      const NormalProduct other = p.fold(NormalProduct(p.kept, mean, v.view()), threads, block, true);
      EXPECT_EQ(one.value(), other.value());
      EXPECT_EQ(one.held_out(), other.held_out());
      const MomentFold again = p.fold(MomentFold(p.kept, p.code), threads, block, true);
      EXPECT_EQ(moments.value(true).moment, again.value(true).moment);
      EXPECT_EQ(moments.value(false).target, again.value(false).target);
    }
}

// Each direction is served as if it were alone.
TEST(NormalProduct, DirectionsDoNotTouchEachOther) {
  const std::size_t D = 100;
  const KeptProblem p = problem_with_held_rows(1500, D);
  const std::vector<double> mean = some_mean(D);
  const Matrix<double> v = directions(D, 5);
  const Matrix<double> all = p.fold(NormalProduct(p.kept, mean, v.view()), 2, 1024, false).value();
  for (std::size_t k = 0; k < 5; ++k) {
    Matrix<double> one(D, 1);
    for (std::size_t j = 0; j < D; ++j) one(j, 0) = v(j, k);
    const Matrix<double> alone = p.fold(NormalProduct(p.kept, mean, one.view()), 2, 1024, false).value();
    for (std::size_t j = 0; j < D; ++j) EXPECT_EQ(alone(j, 0), all(j, k));
  }
}

TEST(NormalProduct, RefusesRowsOfAnotherWidth) {
  const KeptProblem p(50, 40), other(50, 80);
  const std::vector<double> mean = some_mean(40);
  const Matrix<double> v = directions(40, 1);
  Threads team(1);
  NormalProduct fold(p.kept, mean, v.view());
  EXPECT_THROW(fold.add({cpu_backend(), team}, other.block(false)), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
