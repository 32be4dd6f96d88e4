// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/model.h"
#include "bochner/train.h"
#include "model/predicts_alone.h"
#include "model/saved_model.h"

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
