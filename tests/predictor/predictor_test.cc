// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/predictor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <random>
#include <sstream>
#include <thread>

#include "bochner/error.h"
#include "bochner/explain.h"
#include "bochner/train.h"
#include "scratch.h"

// Every allocation of this program is counted.
namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

// Not inlined: g++ 13 would see memory of operator new freed, and warn.
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }
}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted(size, std::size_t(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return counted(size, std::size_t(alignment)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc((++allocations, size));  // as std::stable_sort asks for its buffer
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return std::malloc((++allocations, size)); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace bochner {
namespace {

const std::string kData = BOCHNER_TEST_DATA;

struct Kind {
  std::string name;
  TrainOptions options;
  bool classes = false;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  all.push_back({"fourier", {.features = 100}});
  all.push_back({"shifted", {.map = parse_map_options("fourier:form=shifted"), .features = 33}});
  all.push_back({"logistic", {.features = 60, .learner = {.learner = Learner::logistic, .C = {1}}}, true});
  all.push_back({"double", {.features = 64, .double_precision = true}});
  all.push_back({"nystroem", {.map = Nystroem{}, .features = 40}});
  all.push_back({"nystroem_matern", {.kernel = parse_kernel("matern:nu=1.5"), .map = Nystroem{}, .features = 40}});
  all.push_back({"matern", {.kernel = parse_kernel("matern:nu=2.5"), .features = 50}});
  all.push_back({"none", {.map = NoMap{}}});
  all.push_back({"binning", {.kernel = laplacian(), .map = Binning{}, .features = 20, .ridge = {.lambdas = {1e-2}}}});
  all.push_back({"mixture",
                 {.kernel = laplacian(),
                  .bandwidth = 3,
                  .map = parse_map_options("fourier+binning"),
                  .features = 20,
                  .ridge = {.lambdas = {1e-2}}}});
  all.push_back({"huber_on_bins",
                 {.kernel = laplacian(),
                  .bandwidth = 3,
                  .map = Binning{},
                  .features = 20,
                  .learner = {.learner = Learner::huber, .C = {1}}}});
  const LearnerOptions five{.learner = Learner::knn, .neighbors = {5}, .weighting = LearnerOptions::Weighting::kernel};
  all.push_back({"knn", {.bandwidth = Bandwidth::Rule::median, .learner = five}});
  all.push_back({"knn_classes", {.bandwidth = Bandwidth::Rule::median, .learner = five}, true});
  return all;
}

class Predictors : public ::testing::TestWithParam<Kind> {
 protected:
  Predictors() {
    const std::string file = GetParam().classes ? "/adult-small.csv" : "/cpu-small.csv";
    const auto rows = open_rows(kData + file, {.targets = {GetParam().classes ? "income" : "usr"}});
    predictor_ = std::make_unique<Predictor>(train(*rows, GetParam().options));
    const auto cached = cached_rows<double>(*rows);
    RowBlock<double> block;
    cached->next(100, block);
    x_ = Matrix<double>(block.rows, block.cols);
    std::copy_n(block.values, block.rows * block.cols, x_.data());
    x_float_ = Matrix<float>(block.rows, block.cols);
    std::copy_n(block.values, block.rows * block.cols, x_float_.data());
  }

  std::unique_ptr<Predictor> predictor_;
  Matrix<double> x_;
  Matrix<float> x_float_;
};

template <class T>
Matrix<double> one_by_one(const Predictor& predictor, const Matrix<T>& x) {
  Matrix<double> found(x.rows(), predictor.outputs());
  for (std::size_t i = 0; i < x.rows(); ++i)
    predictor.predict(std::span<const T>(&x(i, 0), x.cols()), std::span<double>(&found(i, 0), found.cols()));
  return found;
}

TEST_P(Predictors, GiveTheNumbersOfTheModelToTheBit) {
  EXPECT_EQ(one_by_one(*predictor_, x_), predictor_->model().predict(x_.view()));
  EXPECT_EQ(one_by_one(*predictor_, x_float_), predictor_->model().predict(x_float_.view()));
  for (const std::size_t rows : {1u, 2u, 3u, 7u, 100u}) {
    Matrix<double> some(rows, predictor_->outputs());
    predictor_->predict(MatrixView<const double>(x_.view()).slice(0, rows), some.view());
    EXPECT_EQ(some, predictor_->model().predict(MatrixView<const double>(x_.view()).slice(0, rows))) << rows;
  }
}

TEST_P(Predictors, RefuseAnInputThatIsNoNumber) {
  std::vector<double> out(predictor_->outputs());
  for (const std::size_t at : {std::size_t(0), x_.cols() - 1})
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      std::vector<double> row(&x_(0, 0), &x_(0, 0) + x_.cols());
      row[at] = odd;
      EXPECT_THROW(predictor_->predict(row, out), Error) << at;
      EXPECT_THROW(predictor_->model().predict(MatrixView<const double>{row.data(), 1, row.size(), row.size()}), Error);
      const std::vector<float> rounded(row.begin(), row.end());
      EXPECT_THROW(predictor_->predict(rounded, out), Error) << at;
    }
}

TEST_P(Predictors, AllocateNothingAfterTheFirstCall) {
  Matrix<double> found = one_by_one(*predictor_, x_);
  one_by_one(*predictor_, x_float_);
  const long before = allocations;
  for (std::size_t i = 0; i < x_.rows(); ++i) {
    const std::span<double> out(&found(i, 0), found.cols());
    predictor_->predict(std::span<const double>(&x_(i, 0), x_.cols()), out);
    predictor_->predict(std::span<const float>(&x_float_(i, 0), x_.cols()), out);
    predictor_->predict(MatrixView<const float>(x_float_.view()).slice(i, 1), found.view().slice(i, 1));
  }
  EXPECT_EQ(allocations - before, 0);
}

TEST_P(Predictors, HaveRowsExplainedWithoutAllocation) {
  const Model& model = predictor_->model();
  const auto rows = memory_rows<double>(x_.view(), {}, model.schema());
  const Explainer explainer(model, *rows, {.background_rows = 10, .evaluations = 60});
  const Explanation all = explainer.explain(*rows);
  const std::size_t p = explainer.columns().size(), K = explainer.outputs().size();
  Matrix<double> values(3, K * p), scores(3, K);
  const auto explain_rows = [&] {
    for (std::size_t i = 0; i < values.rows(); ++i)
      explainer.explain(std::span<const double>(&x_(i, 0), x_.cols()), {&values(i, 0), K * p}, {&scores(i, 0), K});
  };
  explain_rows();
  const long before = allocations;
  explain_rows();
  EXPECT_TRUE(!explainer.exact() || allocations == before);
  for (std::size_t i = 0; i < values.rows(); ++i)
    for (std::size_t k = 0; k < K; ++k) {
      EXPECT_NEAR(scores(i, k), all.scores(i, k), 1e-9 * (1 + std::abs(scores(i, k))));
      for (std::size_t j = 0; j < p && explainer.exact(); ++j)
        EXPECT_EQ(values(i, k * p + j), all.values(i * K + k, j));
    }
  std::vector<double> wrong(x_.cols() + 1);
  EXPECT_THROW(explainer.explain(std::span<const double>(wrong), {&values(0, 0), K * p}, {&scores(0, 0), K}),
               std::invalid_argument);
}

TEST_P(Predictors, GiveFourThreadsTheSameBytes) {
  const Matrix<double> expected = one_by_one(*predictor_, x_);
  std::vector<Matrix<double>> found(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int again = 0; again < 3; ++again) found[std::size_t(t)] = one_by_one(*predictor_, x_);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Matrix<double>& one : found) EXPECT_EQ(one, expected);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Predictors, ::testing::ValuesIn(kinds()),
                         [](const auto& info) { return info.param.name; });

// The lines of a file, cell by cell, give what the file gives.
TEST(PredictorCells, AreReadAsAFileWouldBe) {
  const auto rows = open_rows(kData + "/adult-small.csv", {.targets = {"income"}});
  const Predictor predictor(train(*rows, {.features = 64}));
  const std::string path = kData + "/adult-new.csv";
  const auto fresh = open_rows(path, predictor.model().schema());
  const Matrix<double> expected = predictor.model().predict(*fresh);
  std::ifstream file(path);
  const auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    return cells;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells_of(line);
  std::size_t row = 0;
  for (; std::getline(file, line); ++row) {
    const std::vector<std::string> texts = cells_of(line);
    NamedCells cells;
    for (std::size_t c = 0; c < names.size(); ++c) cells.emplace_back(names[c], c < texts.size() ? texts[c] : "");
    std::vector<double> out(1);
    predictor.predict(cells, out);
    ASSERT_EQ(out[0], expected(row, 0)) << line;
  }
  EXPECT_EQ(row, expected.rows());
}

// A small difference of large numbers: the model subtracts an offset in double.
TEST(PredictorCells, KeepTheDigitsOfOffsets) {
  testing_files::Scratch scratch;
  const std::string path = scratch.path("far.csv");
  {
    std::ofstream file(path);
    file << "at,y\n";
    for (int i = 0; i < 200; ++i) file << 1700000000.0 + i * 0.25 << std::fixed << "," << i % 7 << ".5\n";
  }
  const auto rows = open_rows(path, {.targets = {"y"}, .task = Task::regression});
  const Predictor predictor(train(*rows, {.features = 32}));
  ASSERT_FALSE(predictor.model().schema().offsets.empty());
  const auto again = open_rows(path, predictor.model().schema());
  const Matrix<double> expected = predictor.model().predict(*again);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  for (std::size_t i = 0; std::getline(file, line); ++i) {
    std::vector<double> out(1);
    predictor.predict({{"at", line.substr(0, line.find(','))}}, out);
    ASSERT_EQ(out[0], expected(i, 0)) << line;
  }
}

TEST(Predictor, RefusesRowsOfAnotherWidth) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const Predictor predictor(train(*rows, {.features = 32}));
  std::vector<double> short_row(predictor.inputs() - 1), out(1), two(2), row(predictor.inputs());
  EXPECT_THROW(predictor.predict(short_row, out), std::invalid_argument);
  EXPECT_THROW(predictor.predict(row, two), std::invalid_argument);
}

TEST(Predictor, RefusesAPredictionThatIsNotFinite) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const Predictor predictor(train(*rows, {.map = NoMap{}}));
  std::vector<double> row(predictor.inputs(), 1e300), out(1);
  EXPECT_THROW(predictor.predict(row, out), Error);
}

}  // namespace
}  // namespace bochner
