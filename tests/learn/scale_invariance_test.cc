// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Nobody should have to know in which unit a column is: a model of y x 10^k is 10^k times the model of y.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bochner/model.h"
#include "bochner/rows.h"
#include "bochner/train.h"
#include "random/draw.h"

namespace bochner {
namespace {

struct Table {
  Matrix<float> x;
  Matrix<double> y;
  std::vector<double> weights;
  Schema schema;

  explicit Table(std::size_t n, std::size_t targets = 1) : x(n, 3), y(n, targets) {
    schema.inputs = 3;
    schema.targets = targets;
    schema.task = Task::regression;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 3; ++j) x(i, j) = float(normal(7, Draw::sample, i, j));
      for (std::size_t k = 0; k < targets; ++k)
        y(i, k) =
            2 + std::sin(2 * double(x(i, k))) + 0.5 * double(x(i, 1) * x(i, 2)) + 0.1 * normal(7, Draw::holdout, i, k);
    }
  }
  Table times(std::vector<double> factors) const {
    Table other = *this;
    for (std::size_t i = 0; i < y.rows(); ++i)
      for (std::size_t k = 0; k < y.cols(); ++k) other.y(i, k) *= factors[k];
    return other;
  }
  Model model(const TrainOptions& options) const {
    const auto rows = memory_rows<float>(x.view(), y.view(), schema, weights.empty() ? nullptr : weights.data());
    return train(*rows, options);
  }
  double r2(const TrainOptions& options) const { return *model(options).report().score->r2; }
  Matrix<double> predict(const TrainOptions& options) const {
    const Model model = this->model(options);
    const Matrix<double> found = model.predict(x.view());
    EXPECT_GT(model.report().score ? model.report().score->r2.value_or(1) : 1, 0.5);
    return found;
  }
};

// The largest difference between predictions, in deviations of the expected ones.
double difference(const Matrix<double>& found, const Matrix<double>& expected, const std::vector<double>& factors) {
  double worst = 0;
  for (std::size_t k = 0; k < found.cols(); ++k) {
    double sum = 0, squares = 0, most = 0;
    for (std::size_t i = 0; i < found.rows(); ++i) {
      const double e = expected(i, k);
      sum += e / double(found.rows());
      squares += e * e / double(found.rows());
      most = std::max(most, std::abs(found(i, k) / factors[k] - e));
    }
    worst = std::max(worst, most / std::sqrt(squares - sum * sum));
  }
  return worst;
}

struct Case {
  const char* name;
  TrainOptions options;
  double parameter = 0;  // given, in the unit of the target where its factor is 1
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::vector<Case> regressions() {
  const auto learner = [](Learner which, MarginLoss loss = MarginLoss::linear) {
    TrainOptions options{.bandwidth = 1.5, .features = 32};
    options.learner.learner = which;
    options.learner.loss = loss;
    return options;
  };
  TrainOptions bins{.map = Binning{}, .features = 20},
      few = bins, mixture{.map = parse_map_options("fourier:features=32+binning:features=10")};
  bins.kernel = mixture.kernel = laplacian();
  few.map = parse_map_options("binning:order=1-2");
  TrainOptions cg = learner(Learner::ridge), searched{.features = 32};
  cg.ridge.solver = RidgeOptions::Solver::cg;
  return {{"ridge", learner(Learner::ridge)},
          {"ridge_cg", cg},
          {"ridge_bandwidth_searched", searched},
          {"huber", learner(Learner::huber)},
          {"huber_delta_given", learner(Learner::huber), 0.2},
          {"svr", learner(Learner::svr)},
          {"svr_epsilon_given", learner(Learner::svr), 0.05},
          {"quantile", learner(Learner::quantile)},
          {"svr_squared", learner(Learner::svr, MarginLoss::squared)},
          {"bins", bins},
          {"bins_of_few_inputs", few},
          {"mixture", mixture}};
}

class EveryRegression : public testing::TestWithParam<Case> {
 protected:
  static TrainOptions options_in(double unit) {
    TrainOptions options = GetParam().options;
    if (GetParam().parameter > 0) options.learner.parameter = GetParam().parameter * unit;
    return options;
  }
};

TEST_P(EveryRegression, DoesNotDependOnTheUnitOfTheTarget) {
  const Table table(400);
  const Matrix<double> expected = table.predict(options_in(1));
  for (const int k : {-30, -12, -6, 3, 6, 12, 30}) {
    const double factor = std::pow(10.0, k);
    EXPECT_LT(difference(table.times({factor}).predict(options_in(factor)), expected, {factor}), 1e-5) << "10^" << k;
  }
}

// Rows that weigh the same weigh nothing in particular.
TEST_P(EveryRegression, DoesNotDependOnAWeightThatAllRowsHave) {
  Table table(400);
  const Matrix<double> expected = table.predict(options_in(1));
  for (const double weight : {1.0, 1e-4, 1e-6, 1e5, 1e-200, 1e200}) {
    table.weights.assign(400, weight);
    EXPECT_EQ(table.predict(options_in(1)), expected) << "weight " << weight;
  }
}

TEST_P(EveryRegression, DoesNotDependOnTheUnitOfWeights) {
  Table table(400);
  for (std::size_t i = 0; i < 400; ++i) table.weights.push_back(i % 7 == 0 ? 0 : 1 + double(i % 3));
  const std::vector<double> weights = table.weights;
  const Matrix<double> expected = table.predict(options_in(1));
  for (const int k : {-30, -5, 5, 30}) {
    for (std::size_t i = 0; i < 400; ++i) table.weights[i] = weights[i] * std::pow(10.0, k);
    EXPECT_LT(difference(table.predict(options_in(1)), expected, {1.0}), 1e-4) << "10^" << k;
  }
}

TEST_P(EveryRegression, StaysFiniteForWeightsOfManyMagnitudes) {
  Table table(400);
  for (std::size_t i = 0; i < 400; ++i) table.weights.push_back(std::pow(10.0, 30 - 60 * double(i) / 400));
  const auto rows = memory_rows<float>(table.x.view(), table.y.view(), table.schema, table.weights.data());
  const Matrix<double> found = train(*rows, options_in(1)).predict(table.x.view());
  for (std::size_t i = 0; i < 400; ++i) ASSERT_TRUE(std::isfinite(found(i, 0))) << i;
}

INSTANTIATE_TEST_SUITE_P(ScaleInvariance, EveryRegression, testing::ValuesIn(regressions()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ScaleInvariance, TargetsOfDifferentUnitsAreEachLearntAsIfAlone) {
  for (const Learner which : {Learner::huber, Learner::svr}) {
    TrainOptions options{.bandwidth = 1.5, .features = 32};
    options.learner.learner = which;
    const Table both(400, 2);
    const std::vector<double> factors = {1, 1e-7};
    EXPECT_LT(difference(both.times(factors).predict(options), both.predict(options), factors), 1e-3);
  }
}

TEST(ScaleInvariance, CThatIsGivenIsInTheUnitOfTheTarget) {
  TrainOptions options{.bandwidth = 1.5, .features = 32};
  options.learner = {.learner = Learner::svr, .C = {10.0}, .parameter = 0.1};
  const Table table(400);
  const Matrix<double> expected = table.predict(options);
  options.learner.C = {10e4};
  options.learner.parameter = 0.1e4;
  EXPECT_LT(difference(table.times({1e4}).predict(options), expected, {1e4}), 1e-3);
}

// C has LIBLINEAR's meaning: it multiplies the weights as they are given.
TEST(ScaleInvariance, CThatIsGivenGoesWithTheUnitOfWeights) {
  Table table(400);
  TrainOptions options{.bandwidth = 1.5, .features = 32};
  options.learner = {.learner = Learner::svr, .C = {10.0}};
  const Matrix<double> expected = table.predict(options);
  table.weights.assign(400, 1e-3);
  options.learner.C = {10e3};
  EXPECT_EQ(table.predict(options), expected);
}

TEST(ScaleInvariance, ClassifiersDoNotDependOnTheUnitOfWeights) {
  Table table(400);
  Schema& schema = table.schema;
  schema.task = Task::classification;
  schema.labels = {"few", "some", "many"};
  for (std::size_t i = 0; i < 400; ++i) table.y(i, 0) = table.y(i, 0) < 1.5 ? 0 : table.y(i, 0) < 2.5 ? 1 : 2;
  for (const char* map : {"fourier", "binning"})
    for (const Learner which : {Learner::ridge, Learner::svm, Learner::logistic}) {
      TrainOptions options{.bandwidth = 1.5, .map = parse_map_options(map), .features = 20};
      options.kernel = laplacian();
      options.learner.learner = which;
      table.weights.clear();
      const Matrix<double> expected = table.predict(options);
      for (const double weight : {1e-5, 1e5}) {
        table.weights.assign(400, weight);
        EXPECT_EQ(table.predict(options), expected) << map << ", weight " << weight;
        options.class_weights = {{"few", 1 / weight}, {"some", 1 / weight}, {"many", 1 / weight}};
        EXPECT_EQ(table.predict(options), expected) << map << ", class weights against " << weight;
        options.class_weights.clear();
      }
    }
}

TEST(ScaleInvariance, InputsMayBeInAnyUnit) {
  const Table table(400);
  for (const Learner which : {Learner::ridge, Learner::svr}) {
    TrainOptions fixed{.bandwidth = Bandwidth::Rule::median, .features = 64}, searched{.features = 64};
    fixed.learner.learner = searched.learner.learner = which;
    if (which == Learner::svr) fixed.learner.C = {1.0};
    fixed.ridge.lambdas = {1e-5};
    const Matrix<double> expected = table.predict(fixed);
    const double r2 = table.r2(searched);
    for (const int k : {-30, -3, 9, 30}) {
      Table other = table;
      for (std::size_t i = 0; i < 400; ++i)
        for (std::size_t j = 0; j < 3; ++j) other.x(i, j) = float(double(table.x(i, j)) * std::pow(10.0, k));
      EXPECT_LT(difference(other.predict(fixed), expected, {1.0}), 1e-3) << "10^" << k;
      if (which == Learner::ridge) {  // compares the score that chooses: rounding may turn a choice between equals
        EXPECT_NEAR(other.r2(searched), r2, 0.01) << "10^" << k;
      }
    }
  }
}

TEST(ScaleInvariance, MarginsConvergeForLongRows) {
  constexpr std::size_t kRows = 50, kInputs = 8000;
  Matrix<float> x(kRows, kInputs);
  Matrix<double> y(kRows, 1);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kInputs; ++j) x(i, j) = float(normal(3, Draw::sample, i, j));
    y(i, 0) = i % 3 == 0 ? 0 : i % 3 == 1 && i > 9 ? 2 : 1;
  }
  Schema schema;
  schema.inputs = kInputs;
  schema.targets = 1;
  schema.task = Task::classification;
  schema.labels = {"a", "b", "c"};
  const auto rows = memory_rows<float>(x.view(), y.view(), schema);
  for (const std::vector<double>& C : std::vector<std::vector<double>>{{}, {0.01, 1, 100}, {100, 1e4}}) {
    TrainOptions options{.map = NoMap{}, .scale = ColumnScaling::Method::standardize};
    options.learner = {.learner = Learner::svm, .C = C};
    const Model model = train(*rows, options);
    for (const std::string& note : model.report().notes)
      EXPECT_EQ(note.find("not converged"), std::string::npos) << note;
  }
}

TEST(ScaleInvariance, LearnersEndWhereThereIsNothingToLearn) {
  for (const Learner which : {Learner::huber, Learner::svr})
    for (const double value : {0.0, 0.3, 1e30}) {
      Table constant(100);
      for (std::size_t i = 0; i < 100; ++i) {
        constant.y(i, 0) = value;
        for (std::size_t j = 0; j < 3; ++j) constant.x(i, j) = 1.5f;
      }
      TrainOptions options{.map = NoMap{}, .scale = ColumnScaling::Method::quantile};
      options.learner.learner = which;
      const auto rows = memory_rows<float>(constant.x.view(), constant.y.view(), constant.schema);
      const Matrix<double> found = train(*rows, options).predict(constant.x.view());
      EXPECT_NEAR(found(0, 0), value, 1e-6 * value);
    }
}

}  // namespace
}  // namespace bochner
