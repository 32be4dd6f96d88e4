// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/model.h"
#include "bochner/parts.h"
#include "bochner/train.h"
#include "model/predicts_alone.h"
#include "model/saved_model.h"

namespace bochner {
namespace {

const std::string kData = BOCHNER_TEST_DATA;

class NystroemModel : public SavedModel {
 protected:
  static Model train_cpu(TrainOptions options) {
    const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
    if (options.map == MapOptions()) options.map = Nystroem{};
    if (options.features == 0) options.features = 60;
    if (options.bandwidth == Bandwidth()) options.bandwidth = Bandwidth::Rule::median;
    return train(*rows, options);
  }
};

TEST_F(NystroemModel, PredictsNewRowsAloneAndTheSameAfterLoading) {
  for (const char* map : {"nystroem", "nystroem:landmarks=uniform", "nystroem:landmarks=leverage,tolerance=1e-4"}) {
    const Model model = train_cpu({.map = parse_map_options(map)});
    SCOPED_TRACE(map);
    expect_the_same_alone_and_after_loading(model, path_.string(), kData + "/cpu-new.csv", 1e-3);
  }
}

TEST_F(NystroemModel, HasTheSameBytesForAnyThreadsAndBlocks) {
  for (const char* map : {"nystroem", "nystroem:landmarks=leverage"}) {
    const auto bytes = [&](int threads, std::size_t block) {
      return saved(train_cpu({.map = parse_map_options(map), .execution = {.threads = threads, .block_rows = block}}));
    };
    const std::string one = bytes(1, 0);
    ASSERT_FALSE(one.empty());
    EXPECT_EQ(one, bytes(2, 0)) << map;
    EXPECT_EQ(one, bytes(3, 1024)) << map;
    EXPECT_EQ(one, bytes(7, 100)) << map;
  }
}

TEST_F(NystroemModel, ExplainsMostOfTheTargetWithEveryKernelAndLearner) {
  for (const Kernel& kernel : {gaussian(), laplacian(), cauchy(), matern(2.5), laplacian2(), rational_quadratic(2)}) {
    const Model model = train_cpu({.kernel = kernel});
    ASSERT_TRUE(model.report().score);
    EXPECT_GT(*model.report().score->r2, 0.8) << kernel_name(kernel);
  }
  const Model huber = train_cpu({.learner = {.learner = Learner::huber}});
  EXPECT_EQ(huber.report().learner, "huber");
  EXPECT_GT(*huber.report().score->r2, 0.7);
}

TEST_F(NystroemModel, SaysHowManyLandmarksItLeftOut) {
  const Model model = train_cpu({.bandwidth = 1000, .features = 80});
  EXPECT_LT(model.report().features, 80u);
  bool said = false;
  for (const std::string& note : model.report().notes) said = said || note.find("more would add less") != note.npos;
  EXPECT_TRUE(said);
}

// Every worker chooses the same landmarks from the same survey.
TEST_F(NystroemModel, SumsOfPartsGiveTheModelOfOnePart) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const TrainOptions options{.bandwidth = Bandwidth::Rule::median, .map = Nystroem{}, .features = 40};
  const Sum survey = survey_part(*rows, {"all", 1});
  const Sum one = sum_part(*rows, survey, {"all", 1}, options), two = sum_part(*rows, survey, {"all", 1}, options);
  EXPECT_EQ(saved(solve(one, {1e-4})), saved(solve(two, {1e-4})));
}

TEST_F(NystroemModel, RefusesWhatItCannotDo) {
  const auto refuses = [](TrainOptions options) {
    const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
    EXPECT_THROW(train(*rows, options), std::invalid_argument);
  };
  refuses({.map = Nystroem{.tolerance = 0.0}});
  refuses({.map = Nystroem{.tolerance = 1.0}});
  refuses({.bandwidth = std::vector<double>{1, 2}, .map = Nystroem{}});
  refuses({.bandwidth = -1.0, .map = Nystroem{}});
}

}  // namespace
}  // namespace bochner
