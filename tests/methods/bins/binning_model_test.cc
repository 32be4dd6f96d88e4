// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "bochner/bounds.h"
#include "bochner/model.h"
#include "bochner/sparse_features.h"
#include "bochner/train.h"
#include "model/predicts_alone.h"
#include "model/saved_model.h"
#include "random/draw.h"

namespace bochner {
namespace {

const std::string kData = BOCHNER_TEST_DATA;

class BinningModel : public SavedModel {
 protected:
  static Model train_cpu(TrainOptions options) {
    const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
    if (options.map == MapOptions()) options.map = Binning{};
    options.kernel = laplacian();
    return train(*rows, options);
  }
};

TEST_F(BinningModel, ScalesThatASearchFoundCanBeGivenBack) {
  const Model found = train_cpu({.features = 20});
  found.save(path_.string());
  const Report report = Model::load(path_.string()).report();
  ASSERT_EQ(report.length_scales.size(), report.inputs);
  const Model given =
      train_cpu({.bandwidth = report.length_scales, .features = 20, .ridge = {.lambdas = {report.lambda}}});
  EXPECT_TRUE(given.report().length_scales.empty());
  const auto rows = open_rows(kData + "/cpu-new.csv", found.schema());
  const Matrix<double> expected = found.predict(*rows), again = given.predict(*rows);
  ASSERT_GT(expected.rows(), 0u);
  for (std::size_t i = 0; i < expected.rows(); ++i) EXPECT_NEAR(again(i, 0), expected(i, 0), 1e-3);
}

TEST_F(BinningModel, PredictsNewRowsAloneAndTheSameAfterLoading) {
  for (const char* map : {"binning", "binning:order=1-2,pursuit=3,sweeps=2", "binning:law=reciprocal,max_bins=50"}) {
    const Model model = train_cpu({.map = parse_map_options(map), .features = 20});
    SCOPED_TRACE(map);
    expect_the_same_alone_and_after_loading(model, path_.string(), kData + "/cpu-new.csv", 0);
  }
}

TEST_F(BinningModel, MixtureWithFourierPredictsTheSameAfterLoadingForAnyThreads) {
  const auto mixed = [](int threads) {
    const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
    return train(*rows, {.map = parse_map_options("fourier:features=60+binning:features=10,bandwidth=1000"),
                         .ridge = {.lambdas = {1e-4}},
                         .execution = {.threads = threads}});
  };
  const Model model = mixed(1);
  const std::string one = saved(model);
  const Model again = Model::load(path_.string());
  const auto rows = open_rows(kData + "/cpu-new.csv", again.schema());
  const Matrix<double> expected = model.predict(*rows);
  ASSERT_GT(expected.rows(), 0u);
  EXPECT_EQ(expected, again.predict(*rows));
  for (const int threads : {2, 3, 7}) EXPECT_EQ(one, saved(mixed(threads))) << threads << " threads";
}

// 80 rows of three inputs, with targets.
std::unique_ptr<Rows> three_inputs(Matrix<float>& x, Matrix<double>& y) {
  x = Matrix<float>(80, 3);
  y = Matrix<double>(80, 1);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) x(i, j) = float(normal(1, Draw::candidate, i, j));
    y(i, 0) = double(x(i, 0)) + std::sin(double(x(i, 1)));
  }
  Schema schema;
  schema.inputs = 3;
  schema.targets = 1;
  return memory_rows<float>(std::as_const(x).view(), std::as_const(y).view(), schema);
}

SparseRows<double> transformed(const Model& model, Rows& rows) {
  SparseRows<double> all;
  model.transform(rows, {}, [&](const RowBlock<double>& block) {
    EXPECT_TRUE(block.sparse());
    for (std::size_t i = 0; i < block.rows; ++i) {
      all.append(block, i);
      all.end_row();
    }
  });
  return all;
}

double product(const SparseRows<double>& z, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t p = z.offsets[a], q = z.offsets[b]; p < z.offsets[a + 1] && q < z.offsets[b + 1];) {
    if (z.columns[p] == z.columns[q]) sum += z.values[p] * z.values[q];
    const std::uint32_t left = z.columns[p], right = z.columns[q];
    p += left <= right;
    q += right <= left;
  }
  return sum;
}

double hat_kernel(const Matrix<float>& x, std::size_t a, std::size_t b, const std::vector<double>& scales) {
  double k = 1;
  for (std::size_t j = 0; j < 3; ++j) k *= std::max(0.0, 1 - std::fabs(double(x(a, j)) - double(x(b, j))) / scales[j]);
  return k;
}

// The bins of rows as they are: those of the map alone, whatever the learner.
TEST_F(BinningModel, TransformsRowsToItsBins) {
  Matrix<float> x;
  Matrix<double> y;
  const auto rows = three_inputs(x, y);
  BinningOptions options;
  options.law = parse_pitch_law("hat");
  options.length_scales = {3.6, 2.7, 6};
  options.grids = 400;
  const SparseRows<float> expected = transform_sparse<float>(binning(*rows, options), *rows);
  for (const Learner learner : {Learner::ridge, Learner::huber, Learner::svr}) {
    TrainOptions training{.bandwidth = options.length_scales,
                          .map = parse_map_options("binning:law=hat"),
                          .features = 400,
                          .scale = ColumnScaling::Method::none,
                          .ridge = {.lambdas = {1e-2}}};
    training.learner.learner = learner;
    const Model trained = train(*rows, training);
    trained.save(path_.string());
    const Model model = Model::load(path_.string());
    const SparseRows<double> z = transformed(model, *rows);
    EXPECT_EQ(model.transform_map()->outputs(), trained.report().features);
    EXPECT_EQ(z.offsets, expected.offsets);
    EXPECT_EQ(z.columns, expected.columns);
    EXPECT_EQ(z.values, std::vector<double>(expected.values.begin(), expected.values.end()));
    double error = 0;
    for (std::size_t a = 0; a < 80; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        const double k = hat_kernel(x, a, b, options.length_scales), off = product(z, a, b) - k;
        if (a == b || k == 0) {
          EXPECT_NEAR(off, 0, 1e-6);
        }
        error = std::max(error, std::fabs(off));
      }
    EXPECT_LT(error, binning_epsilon_pointwise(400, 0.01 / 3160));  // all pairs, with probability 0.99
  }
}

// A mixture has both parts, each times the root of its weight: the kernel that its training took.
TEST_F(BinningModel, TransformsRowsToBothPartsOfAMixture) {
  Matrix<float> x;
  Matrix<double> y;
  const auto rows = three_inputs(x, y);
  for (const Learner learner : {Learner::ridge, Learner::huber}) {
    TrainOptions training{.map = parse_map_options(
                              "fourier:features=600,bandwidth=2,weight=0.5+binning:features=400,bandwidth=3,law=hat"),
                          .scale = ColumnScaling::Method::none,
                          .ridge = {.lambdas = {1e-2}}};
    training.learner.learner = learner;
    const Model model = train(*rows, training);
    const SparseRows<double> z = transformed(model, *rows);
    for (std::size_t a = 0; a < 80; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        double squares = 0;
        for (std::size_t j = 0; j < 3; ++j) squares += std::pow(double(x(a, j)) - double(x(b, j)), 2);
        const double k = 0.5 * std::exp(-squares / 8) + hat_kernel(x, a, b, {3, 3, 3});
        EXPECT_NEAR(product(z, a, b), k, a == b ? 1e-5 : 0.3) << a << " " << b;
      }
    EXPECT_EQ(z.columns[599], 599u);  // the dense features stand first
  }
}

TEST_F(BinningModel, MixtureIsNoWorseThanItsParts) {
  const auto r2_of = [](const char* map) {
    const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
    const Model model = train(*rows, {.map = parse_map_options(map)});
    return *model.report().score->r2;
  };
  // Scores on different rows held out of a few hundred scatter by about as much as is allowed here.
  const double both = r2_of("fourier:features=100+binning:features=20");
  EXPECT_GT(both, r2_of("fourier:features=100") - 0.02);
  EXPECT_GT(both, r2_of("binning:features=20,law=hat") - 0.02);
}

TEST_F(BinningModel, HasTheSameBytesForAnyThreadsAndBlocks) {
  const auto bytes = [&](int threads, std::size_t block) {
    Model model = train_cpu({.bandwidth = Bandwidth::Rule::searched,
                             .features = 20,
                             .execution = {.threads = threads, .block_rows = block}});
    return saved(model);
  };
  const std::string one = bytes(1, 0);
  ASSERT_FALSE(one.empty());
  EXPECT_EQ(one, bytes(2, 0));
  EXPECT_EQ(one, bytes(3, 1024));
  EXPECT_EQ(one, bytes(7, 100));
}

TEST_F(BinningModel, ExplainsMostOfTheTarget) {
  const Model model = train_cpu({});
  ASSERT_TRUE(model.report().score);
  EXPECT_GT(*model.report().score->r2, 0.8);
  EXPECT_EQ(model.report().learner, "ridge");
}

// Where no kernel is given the map is that of `--map binning`: hats.
TEST_F(BinningModel, TrainsWithoutAKernel) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const Model model = train(*rows, {.map = Binning{}, .features = 10});
  EXPECT_GT(*model.report().score->r2, 0.8);
  EXPECT_NE(model.report().map.find("hat"), std::string::npos) << model.report().map;
}

TEST_F(BinningModel, RefusesWhatItCannotDo) {
  const auto refuses = [](TrainOptions options) {
    const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
    EXPECT_THROW(train(*rows, options), std::invalid_argument);
  };
  refuses({.kernel = cauchy(), .map = Binning{}});
  refuses({.kernel = laplacian(), .bandwidth = Bandwidth::Rule::median, .map = Binning{}});
  refuses({.kernel = laplacian(), .bandwidth = std::vector<double>{1, 2}, .map = Binning{}});
  for (const char* words : {"binning:steps=0", "binning:sweeps=20000", "binning:steps=3,sweeps=3",
                            "binning:order=1-2,steps=3", "binning:epochs=3"})
    refuses({.kernel = laplacian(), .map = parse_map_options(words)});
  refuses({.kernel = laplacian(), .map = Binning{.order_low = 2, .order_high = 1}});
  refuses({.map = parse_map_options("fourier+binning:steps=3")});
  refuses({.map = parse_map_options("binning+binning:order=1")});
  refuses({.map = parse_map_options("fourier+none")});
  refuses({.map = parse_map_options("fourier:weight=0+binning")});
  refuses({.map = parse_map_options("fourier:weight=2")});
  refuses({.kernel = laplacian(), .map = Binning{}, .learner = {.learner = Learner::svm}});       // numbers
  refuses({.kernel = laplacian(), .map = Binning{}, .learner = {.learner = Learner::logistic}});  // numbers
}

}  // namespace
}  // namespace bochner
