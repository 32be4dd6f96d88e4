// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/hessian_factor.h"

#include <gtest/gtest.h>

#include "learn/learner_problem.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 60, kFeatures = 32;
constexpr double kIntercept = 0.25;  // penalty of the constant

struct Hessian {
  LearnerProblem problem{kRows, 4, 0, 1.0};
  Threads threads{2};
  KeptFeatures kept;
  std::vector<std::size_t> rows;  // that are curved
  std::vector<double> d;          // one per row
  Matrix<double> z;               // the curved rows: features and the constant
  Matrix<double> h;               // A + Z^T diag(d) Z in plain loops

  explicit Hessian(std::size_t every)
      : kept(problem, kFeatures, true, threads), d(kRows), h(kFeatures + 1, kFeatures + 1) {
    for (std::size_t i = 0; i < kRows; i += every) {
      rows.push_back(i);
      d[i] = 0.5 + uniform(5, Draw::sample, i);
    }
    z = Matrix<double>(rows.size(), kFeatures + 1);
    kept.z.each_row(rows,
                    [&](std::size_t j, std::span<const double> row) { std::copy(row.begin(), row.end(), &z(j, 0)); });
    for (std::size_t a = 0; a <= kFeatures; ++a) {
      h(a, a) = a < kFeatures ? 1 : kIntercept;
      for (std::size_t b = 0; b <= kFeatures; ++b)
        for (std::size_t j = 0; j < rows.size(); ++j) h(a, b) += d[rows[j]] * z(j, a) * z(j, b);
    }
  }

  std::vector<double> curvature_of_rows() const {
    std::vector<double> some;
    for (const std::size_t i : rows) some.push_back(d[i]);
    return some;
  }

  Matrix<double> right_hand_side() const {
    Matrix<double> r(1, kept.z.length());
    for (std::size_t a = 0; a <= kFeatures; ++a) r(0, place(a)) = normal(6, Draw::sample, a);
    return r;
  }

  // The largest of |h x - r|.
  double residual(const Matrix<double>& x, const Matrix<double>& r) const {
    double most = 0;
    for (std::size_t a = 0; a <= kFeatures; ++a) {
      double sum = 0;
      for (std::size_t b = 0; b <= kFeatures; ++b) sum += h(a, b) * x(0, place(b));
      most = std::max(most, std::abs(sum - r(0, place(a))));
    }
    return most;
  }

  std::size_t place(std::size_t a) const { return a < kFeatures ? a : kept.z.intercept_at(); }
};

TEST(HessianFactor, OfFewerRowsThanASketchHasIsTheHessian) {
  const Hessian hessian(1);
  const HessianFactor factor(hessian.kept.z, hessian.d, kIntercept, 3);
  const Matrix<double> r = hessian.right_hand_side();
  Matrix<double> x = r;
  factor.solve(x);
  EXPECT_LT(hessian.residual(x, r), 1e-4);  // products in float
}

TEST(FewRowsFactor, InvertsTheHessianOfItsRows) {
  for (const std::size_t every : {1u, 7u}) {  // more rows than features, fewer
    const Hessian hessian(every);
    const FewRowsFactor factor(hessian.kept.z, hessian.z, hessian.curvature_of_rows(), kIntercept);
    const Matrix<double> r = hessian.right_hand_side();
    Matrix<double> x = r;
    factor.solve(x.data());
    EXPECT_LT(hessian.residual(x, r), 1e-10) << "every " << every;
  }
}

TEST(FewRowsFactor, OfNoRowsIsThePenalty) {
  const Hessian hessian(1);
  const FewRowsFactor factor(hessian.kept.z, Matrix<double>(0, kFeatures + 1), {}, kIntercept);
  const Matrix<double> r = hessian.right_hand_side();
  Matrix<double> x = r;
  factor.solve(x.data());
  EXPECT_EQ(x(0, 0), r(0, 0));
  EXPECT_NEAR(x(0, hessian.kept.z.intercept_at()), r(0, hessian.kept.z.intercept_at()) / kIntercept, 1e-12);
}

}  // namespace
}  // namespace bochner
