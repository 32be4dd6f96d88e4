// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/ridge_cg.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/archive.h"
#include "learn/ridge/solver_choice.h"
#include "learn/ridge_problem.h"
#include "random/draw.h"
#include "run/feature_store.h"

namespace bochner {
namespace {

using Problem = RidgeProblem<float>;

struct How {
  int threads = 2;
  bool weighted = false;
  Precision precision = Precision::float32;
  std::size_t block_rows = 0, memory = 0;
  MapPtr map = {};
};

template <class Fit>
Fitted fit_problem(const Problem& p, std::size_t features, const RidgeOptions& options, const How& how, Fit fit) {
  Threads team(how.threads);
  const auto rows = p.open(how.weighted);
  const Execution execution{.threads = how.threads, .memory = how.memory, .block_rows = how.block_rows};
  const Survey survey = Stream(*rows, nullptr, team, execution, how.precision).fold(Survey(p.schema, 1));
  const MapPtr map = how.map ? how.map : fourier(p.inputs, {.kernel = gaussian(2), .features = features, .seed = 3});
  return fit(Stream(*rows, map, team, execution, how.precision), survey, options, nullptr);
}
Fitted by_cg(const Problem& p, std::size_t features, const RidgeOptions& options, const How& how = {}) {
  return fit_problem(p, features, options, how, [](auto&&... a) { return fit_ridge_cg(a...); });
}
Fitted by_cholesky(const Problem& p, std::size_t features, const RidgeOptions& options, const How& how = {}) {
  return fit_problem(p, features, options, how, [](auto&&... a) { return fit_ridge(a...); });
}

Coefficients coefficients(const Fitted& fitted) {
  Archive archive;
  fitted.head->save(archive);
  const auto shape = archive.shape("weights");
  Coefficients c{Matrix<double>(shape[0], shape[1]), archive.get<double>("intercept", {shape[1]})};
  const auto values = archive.get<double>("weights", shape);
  std::copy(values.begin(), values.end(), c.weights.data());
  return c;
}

// |a - b| / |b| over all weights.
double difference(const Coefficients& a, const Coefficients& b) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.weights.rows() * a.weights.cols(); ++i) {
    apart += std::pow(a.weights.data()[i] - b.weights.data()[i], 2);
    size += std::pow(b.weights.data()[i], 2);
  }
  return std::sqrt(apart / size);
}

TEST(RidgeCg, AgreesWithCholeskyInDouble) {
  for (const std::size_t targets : {1, 3})
    for (const bool weighted : {false, true})
      for (const bool intercept : {true, false}) {
        const Problem p(3000, 4, targets);
        const RidgeOptions options{.lambdas = {1e-4}, .tolerance = 1e-22, .intercept = intercept};
        const How how{.weighted = weighted, .precision = Precision::float64};
        const Coefficients cg = coefficients(by_cg(p, 120, options, how));
        const Coefficients exact = coefficients(by_cholesky(p, 120, options, how));
        // Cholesky's sums are rounded to 2^-33 of the bound, which 1 / lambda magnifies.
        EXPECT_LT(difference(cg, exact), 1e-5) << targets << weighted << intercept;
        for (std::size_t k = 0; k < targets; ++k) {
          if (intercept)
            EXPECT_NEAR(cg.intercept[k], exact.intercept[k], 1e-3);
          else
            EXPECT_EQ(cg.intercept[k], 0);
        }
      }
}

TEST(RidgeCg, FixedPointFeaturesAgreeWithCholeskyInFloat) {
  Problem p(5000, 4);
  p.make_classes(3);
  const RidgeOptions options{.lambdas = {1e-4}, .tolerance = 1e-12};
  EXPECT_LT(difference(coefficients(by_cg(p, 150, options)), coefficients(by_cholesky(p, 150, options))), 2e-3);
}

TEST(RidgeCg, DefaultToleranceCostsNoVisibleError) {
  const Problem p(6000, 4);
  const RidgeOptions options{.lambdas = {1e-6}, .select = RidgeOptions::Select::hold_out};
  const Fitted cg = by_cg(p, 200, options), exact = by_cholesky(p, 200, options);
  EXPECT_NEAR(*cg.report.score->rmse, *exact.report.score->rmse, 2e-3 * *exact.report.score->rmse);
}

TEST(RidgeCg, HeadIsTheSameToTheBitForAnyThreadsBlocksAndMemory) {
  Problem p(4000, 5);
  p.make_classes(3);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const Fitted one = by_cg(p, 130, {}, {.threads = 1, .weighted = true, .precision = precision});
    const Coefficients expected = coefficients(one);
    // 65 MB leave room for none or some of the rows, so that the others are mapped on every pass.
    for (const How& how : {How{2, true, precision}, How{3, true, precision, 1024}, How{7, true, precision, 2048},
                           How{2, true, precision, 1024, std::size_t(65) << 20}}) {
      const Coefficients other = coefficients(by_cg(p, 130, {}, how));
      EXPECT_EQ(expected.weights, other.weights) << how.threads << " " << how.memory;
      EXPECT_EQ(expected.intercept, other.intercept);
    }
  }
}

TEST(RidgeCg, WorksOnRowsWithoutAMap) {
  const Problem p(2000, 6);
  const MapPtr plain = scaling(std::vector<ColumnScaling>(6));
  const RidgeOptions options{.lambdas = {1e-3}, .tolerance = 1e-12};
  const How how{.map = plain};
  EXPECT_LT(difference(coefficients(by_cg(p, 6, options, how)), coefficients(by_cholesky(p, 6, options, how))), 1e-3);
}

TEST(RidgeCg, FindsTheLambdaThatCholeskyFinds) {
  Problem p(4000, 4);
  for (std::size_t i = 0; i < p.rows; ++i) p.y(i, 0) += 5 * normal(5, Draw::frequency, i);
  const RidgeOptions options{.select = RidgeOptions::Select::hold_out};
  const Fitted cg = by_cg(p, 150, options), exact = by_cholesky(p, 150, options);
  EXPECT_NEAR(std::log10(cg.report.lambda), std::log10(exact.report.lambda), 0.51);
  EXPECT_NEAR(*cg.report.score->rmse, *exact.report.score->rmse, 5e-3 * *exact.report.score->rmse);
  EXPECT_EQ(cg.report.solver, "cg");
  EXPECT_GE(cg.report.path.size(), 5u);
}

TEST(RidgeCg, SolvesASingularSystem) {
  Problem p(500, 2);
  for (std::size_t i = 0; i < p.rows; ++i) p.x(i, 0) = p.x(i, 1) = float(i % 5);  // five different rows
  const Fitted fitted = by_cg(p, 40, {.lambdas = {0}});
  const Coefficients c = coefficients(fitted);
  for (std::size_t j = 0; j < 40; ++j) EXPECT_TRUE(std::isfinite(c.weights(j, 0)));
}

TEST(RidgeCg, SaysWhenItDidNotConverge) {
  const Problem p(3000, 4);
  const Fitted fitted = by_cg(p, 100, {.lambdas = {1e-8}, .tolerance = 1e-10, .most_steps = 3});
  bool said = false;
  for (const std::string& note : fitted.report.notes) said |= note.find("did not converge") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(RidgeCg, RefusesLeaveOneOut) {
  EXPECT_THROW(by_cg(Problem(100, 2), 20, {.select = RidgeOptions::Select::leave_one_out}), std::invalid_argument);
}

TEST(SolverChoice, TakesCgForManyFeaturesOfManyRowsAndCholeskyForFew) {
  const SolverForecast many = forecast_ridge(350000, 5000, 1, 1, 2, true),
                       few = forecast_ridge(2000, 1000, 1, 1, 2, true);
  EXPECT_LT(many.cg, many.cholesky / 4);
  EXPECT_LT(few.cholesky, few.cg);
}

TEST(SolverChoice, TheOptionDecides) {
  const Problem p(2000, 3);
  for (const auto& [solver, name] :
       {std::pair{RidgeOptions::Solver::cg, "cg"}, std::pair{RidgeOptions::Solver::cholesky, "cholesky"}}) {
    const Fitted fitted = fit_problem(p, 60, {.solver = solver}, {},
                                      [](const Stream& s, const Survey& v, const RidgeOptions& o, const Stream*) {
                                        return fit_ridge_by_choice(s, v, o);
                                      });
    EXPECT_EQ(fitted.report.solver, name);
  }
}

}  // namespace
}  // namespace bochner
