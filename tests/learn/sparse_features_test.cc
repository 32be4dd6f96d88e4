// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bochner/model.h"
#include "bochner/train.h"
#include "learn/fit_memory.h"
#include "learn/newton/newton_learner.h"
#include "learn/newton/sparse_design.h"
#include "learner_problem.h"
#include "maps/map_of.h"

namespace bochner {
namespace {

// A stranger's CSR features: every input votes for `wide` / inputs features, one cell of a fine partition each; beside
// them the inputs themselves in the last columns.
class Cells final : public SparseMapOf<Cells> {
 public:
  Cells(std::size_t inputs, std::size_t wide) : inputs_(inputs), wide_(wide) {}

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return wide_ + inputs_; }
  std::size_t nonzeros() const override { return 2 * inputs_; }
  template <class T>
  bool add_sparse(const Backend&, const RowBlock<T>& block, SparseRows<T>& rows) const {
    const std::size_t each = wide_ / inputs_;
    for (std::size_t i = 0; i < block.rows; ++i) {
      const T* x = block.values + i * block.stride;
      for (std::size_t j = 0; j < inputs_; ++j) {
        const double at = std::clamp((double(x[j]) + 4) / 8, 0.0, 0.999999);
        rows.add(j * each + std::size_t(at * double(each)), T(0.5));
      }
      for (std::size_t j = 0; j < inputs_; ++j) rows.add(wide_ + j, T(0.25) * x[j]);
      rows.end_row();
    }
    return true;
  }
  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    SparseRows<T> rows;
    add_sparse(on, block, rows);
    rows.write(out);
  }
  std::string spec() const override { return "cells"; }
  void save(Archive&) const override {}

 private:
  std::size_t inputs_, wide_;
};

LearnerProblem problem(std::size_t n, std::size_t classes) {
  LearnerProblem p(n, 3, classes, 1.0);
  for (std::size_t i = 0; i < n; ++i) p.weights[i] = 0.5 + double(i % 3);
  return p;
}

const std::vector<LearnerOptions>& learner_cases() {
  static const std::vector<LearnerOptions> all = [] {
    std::vector<LearnerOptions> cases;
    for (int i = 0; i < 6; ++i) cases.push_back(learner_case(i));
    cases.push_back({.learner = Learner::ridge});
    return cases;
  }();
  return all;
}

bool learns_numbers(const LearnerOptions& options) {
  return learner_row(options.learner).task.value_or(Task::regression) == Task::regression;
}

// Both designs of one map, on the same rows.
struct Designs {
  std::unique_ptr<Rows> rows;
  Stream stream;
  FeatureStore dense_store;
  SparseStore sparse_store;
  DenseDesign dense;
  SparseDesign sparse;

  Designs(const LearnerProblem& p, const MapPtr& map, bool intercept, Threads& threads, std::size_t budget = 1u << 30)
      : rows(p.rows(true)),
        stream(*rows, map, threads, {}, Precision::float64),
        dense_store(stream, p.x.rows(), std::size_t(1) << 40, FeatureStore::Rounding::none),
        sparse_store(stream, p.x.rows(), budget),
        dense(dense_store, intercept),
        sparse(sparse_store, intercept) {}
};

MapPtr cells_and_waves() {
  return concat({std::make_shared<Cells>(3, 60), fourier(3, {.features = 10, .seed = 4})}, {1.0, 2.0});
}

// The vectors of a dense design have zeros up to its width; those of the other have not.
Matrix<double> without_padding(const Design& z, const Matrix<double>& v) {
  Matrix<double> all(v.rows(), z.features() + z.intercept());
  for (std::size_t k = 0; k < v.rows(); ++k) {
    std::copy_n(&v(k, 0), z.features(), &all(k, 0));
    if (z.intercept()) all(k, z.features()) = v(k, z.intercept_at());
  }
  return all;
}

void expect_near(const Matrix<double>& a, const Matrix<double>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.rows() * a.cols(); ++i)
    ASSERT_NEAR(a.data()[i], b.data()[i], 1e-10 * (1 + std::abs(a.data()[i]))) << i;
}

TEST(SparseDesign, HasTheProductsOfTheDenseOne) {
  const LearnerProblem p = problem(2500, 0);
  Threads threads(2);
  for (const bool intercept : {false, true}) {
    const Designs z(p, cells_and_waves(), intercept, threads);
    const std::size_t K = 3, n = p.x.rows();
    Matrix<double> dense_v(K, z.dense.length()), sparse_v(K, z.sparse.length()), a(n, K);
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < z.sparse.length(); ++j) {
        sparse_v(k, j) = normal(1, Draw::candidate, k, j);
        dense_v(k, j < z.sparse.features() ? j : z.dense.intercept_at()) = sparse_v(k, j);
      }
    for (std::size_t i = 0; i < n * K; ++i) a.data()[i] = i % 4 ? normal(2, Draw::candidate, i) : 0;
    expect_near(z.dense.scores(dense_v), z.sparse.scores(sparse_v));
    expect_near(without_padding(z.dense, z.dense.combination(a)), z.sparse.combination(a));
    EXPECT_NEAR(z.dense.longest_row(), z.sparse.longest_row(), 1e-12);
    std::vector<double> d(n);
    Matrix<double> curvature(n, K);
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = i % 5 ? 1 : 0;
      for (std::size_t k = 0; k < K; ++k) curvature(i, k) = (i + k) % 3 ? 0.5 : 0;
    }
    const std::vector<std::size_t> outputs{0, 1, 2};
    const auto between = [&](std::span<const std::size_t> rows, double* q) {
      for (const std::size_t i : rows)
        for (std::size_t k = 0; k < K; ++k) *q++ *= 1 + double(i % 7);
    };
    expect_near(without_padding(z.dense, z.dense.normal_product(dense_v, {d, outputs, curvature}, between)),
                z.sparse.normal_product(sparse_v, {d, outputs, curvature}, between));
    // sum_i a_ik z_ij^2 from its definition.
    const Matrix<double> squares = z.sparse.squares(curvature);
    Matrix<double> expected(K, z.dense.features() + intercept);
    std::vector<std::size_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = i;
    for (std::size_t i = 0; i < n; ++i) {
      const std::vector<std::size_t> one{i};
      z.dense.each_row(one, [&](std::size_t, std::span<const double> row) {
        for (std::size_t k = 0; k < K; ++k)
          for (std::size_t j = 0; j < row.size(); ++j) expected(k, j) += curvature(i, k) * row[j] * row[j];
      });
    }
    expect_near(expected, squares);
  }
}

class EveryLearnerOnCsr : public testing::TestWithParam<std::size_t> {
 protected:
  const LearnerOptions& options() const { return learner_cases()[GetParam()]; }
};

TEST_P(EveryLearnerOnCsr, EndsWhereItDoesOnDenseFeatures) {
  const LearnerProblem p = problem(700, learns_numbers(options()) ? 0 : 3);
  Threads threads(2);
  for (const bool intercept : {false, true}) {
    const Designs z(p, cells_and_waves(), intercept, threads);
    NewtonLearner dense(z.dense, p.schema, options()), sparse(z.sparse, p.schema, options());
    const NewtonLearner::Solution expected = dense.solve(1.0, 1e-8), found = sparse.solve(1.0, 1e-8);
    EXPECT_TRUE(expected.converged && found.converged);
    EXPECT_NEAR(found.objective, expected.objective, 2e-8 * expected.objective);
  }
}

TEST_P(EveryLearnerOnCsr, GivesTheSameBitsForAnyThreadsAndMemory) {
  const LearnerProblem p = problem(2500, learns_numbers(options()) ? 0 : 3);
  std::optional<Coefficients> first;
  for (const int count : {1, 3})
    for (const std::size_t budget : {std::size_t(1) << 30, std::size_t(200000), std::size_t(0)}) {
      Threads threads(count);
      const Designs z(p, cells_and_waves(), true, threads, budget);
      EXPECT_EQ(z.sparse_store.kept_rows() == p.x.rows(), budget == std::size_t(1) << 30);
      NewtonLearner learner(z.sparse, p.schema, options());
      learner.solve(0.3, 1e-3);
      const Coefficients head = learner.head();
      if (!first) first = head;
      EXPECT_EQ(head.weights, first->weights) << count << " threads, " << budget;
      EXPECT_EQ(head.intercept, first->intercept);
    }
}

std::string case_name(const testing::TestParamInfo<std::size_t>& info) {
  const char* names[] = {"hinge", "squared_hinge", "logistic", "huber", "tube", "squared_tube", "ridge"};
  return names[info.param];
}
INSTANTIATE_TEST_SUITE_P(Learners, EveryLearnerOnCsr, testing::Range<std::size_t>(0, 7), case_name);

// So many features that no dense Hessian is thought of.
TEST(SparseFeatures, AreTakenByRidgeAndByLearnersThatChooseC) {
  const LearnerProblem numbers = problem(1500, 0), classes = problem(1500, 2);
  const auto map = std::make_shared<Cells>(3, 9000);
  FitSize size;
  size.nonzeros = map->nonzeros();
  size.features = map->outputs();
  ASSERT_TRUE(keeps_csr(size));
  const auto rows = numbers.rows(true), labelled = classes.rows();
  const Model ridge = fit(*rows, map, RidgeOptions{.lambdas = {1e-3}, .tolerance = 1e-9});
  const Model dual = fit(*rows, map, RidgeOptions{.lambdas = {1e-3}, .solver = RidgeOptions::Solver::dual});
  EXPECT_EQ(ridge.report().learner, "ridge");
  const Matrix<double> a = ridge.predict(numbers.x.view()), b = dual.predict(numbers.x.view());
  for (std::size_t i = 0; i < a.rows(); ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 2e-3 * std::abs(b(i, 0)) + 2e-3);
  const Model svm = fit_learner(*labelled, map, {.learner = Learner::svm, .C = {0.1, 1}, .tolerance = 1e-2});
  ASSERT_TRUE(svm.report().score);
  EXPECT_LT(*svm.report().score->error, 0.25);
}

struct BinsCase {
  const char* name;
  const char* map;
  Learner learner;
};

class LearnersOnBins : public testing::TestWithParam<BinsCase> {
 protected:
  TrainOptions options() const {
    TrainOptions o;
    o.map = parse_map_options(GetParam().map);
    o.features = 40;
    o.kernel.family = Kernel::Family::laplacian;
    o.bandwidth = 0.5;
    o.learner.learner = GetParam().learner;
    if (GetParam().learner != Learner::hard_svm) o.learner.C = {numbers() ? 10.0 : 1.0};
    return o;
  }
  bool numbers() const { return learner_row(GetParam().learner).task == Task::regression; }
};

TEST_P(LearnersOnBins, TrainToTheSameBitsForAnyThreadsAndMemory) {
  LearnerProblem p = problem(2000, numbers() ? 0 : 2);
  if (GetParam().learner == Learner::hard_svm)
    for (std::size_t i = 0; i < p.x.rows(); ++i) p.y(i, 0) = p.x(i, 0) > 0.05f;
  const auto rows = p.rows();
  TrainOptions o = options();
  o.execution.threads = 1;
  const Model one = train(*rows, o);
  const Matrix<double> expected = one.predict(p.x.view());
  EXPECT_EQ(one.report().learner, learner_row(GetParam().learner).name);
  EXPECT_GT(one.report().features, 500u);
  // It learnt something: close to most targets, or right in most classes.
  double close = 0;
  for (std::size_t i = 0; i < p.x.rows(); ++i)
    close += numbers() ? std::abs(expected(i, 0) - p.y(i, 0)) < 3 : (expected(i, 0) > 0) == (p.y(i, 0) > 0);
  EXPECT_GT(close / double(p.x.rows()), 0.7);
  o.execution.threads = 3;
  EXPECT_EQ(train(*rows, o).predict(p.x.view()), expected);
  o.execution.memory = std::size_t(96) << 20;
  EXPECT_EQ(train(*rows, o).predict(p.x.view()), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Maps, LearnersOnBins,
    testing::Values(BinsCase{"huber", "binning", Learner::huber}, BinsCase{"svr", "binning", Learner::svr},
                    BinsCase{"hard_svm", "binning", Learner::hard_svm},
                    BinsCase{"huber_mixture", "fourier+binning:bandwidth=0.5", Learner::huber},
                    BinsCase{"svm_mixture", "fourier:weight=2+binning:bandwidth=0.5", Learner::svm},
                    BinsCase{"logistic_mixture", "binning:bandwidth=0.5+fourier", Learner::logistic},
                    BinsCase{"svr_low_order", "binning:order=1-2", Learner::svr}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bochner
