// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// What numbers may do between a file and a prediction: lie far from zero, need double, never vary.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "bochner/check.h"
#include "bochner/error.h"
#include "bochner/map.h"
#include "bochner/parts.h"
#include "bochner/predictor.h"
#include "bochner/train.h"
#include "random/draw.h"
#include "scratch.h"

namespace bochner {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kData = BOCHNER_TEST_DATA;
const char* const kMaps[] = {"fourier",           "fourier:form=shifted",   "nystroem", "none", "binning:law=hat",
                             "binning:order=1-2", "fourier+binning:law=hat"};

// y = sin(u) for u uniform in [0, 4 pi); the input t is a large number plus u in some unit.
struct Wave {
  std::vector<double> t, y;
  Schema schema;

  explicit Wave(double offset, double unit, std::size_t n = 600) : t(n), y(n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double u = 4 * M_PI * uniform(1, Draw::sample, i);
      t[i] = offset + unit * u;
      y[i] = std::sin(u) + 0.05 * normal(1, Draw::shift, i);
    }
    schema.inputs = schema.targets = 1;
  }
  MatrixView<const double> x() const { return {t.data(), t.size(), 1, 1}; }
  std::unique_ptr<Rows> rows() const { return memory_rows<double>(x(), {y.data(), y.size(), 1, 1}, schema); }
  void write(const std::string& path, std::size_t begin = 0, std::size_t end = ~std::size_t{0}) const {
    std::ofstream out(path);
    out << "t,y\n";
    out.precision(17);
    for (std::size_t i = begin; i < std::min(end, t.size()); ++i) out << t[i] << "," << y[i] << "\n";
  }
};

const Wave& epoch() {
  static const Wave wave(1.7e12, 3.6e6 / (4 * M_PI));  // milliseconds within an hour
  return wave;
}
const Wave& julian() {
  static const Wave wave(2460000, 1 / 24.0 / (4 * M_PI));  // days within an hour
  return wave;
}

class Numbers : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return scratch_.path(name); }
  Model again(const Model& model) const {
    model.save(path("model"));
    return Model::load(path("model"));
  }
  testing_files::Scratch scratch_;
};

TEST_F(Numbers, FarFromZeroKeepTheirDifferencesInFloat) {
  for (const Wave* wave : {&epoch(), &julian()}) {
    wave->write(path("rows.csv"));
    const auto file = open_rows(path("rows.csv"), {.targets = {"y"}});
    const auto memory = wave->rows();
    for (Rows* rows : {file.get(), memory.get()}) {
      const Model model = train(*rows, {});
      ASSERT_EQ(model.schema().offsets.size(), 1u);
      EXPECT_GT(*model.report().score->r2, 0.97);
      const Model loaded = again(model);
      EXPECT_EQ(loaded.schema(), model.schema());
      EXPECT_THAT(loaded.description(), HasSubstr("offsets"));
      EXPECT_GT(*loaded.evaluate(*rows).r2, 0.97) << "rows that know of no offset";
      EXPECT_GT(*loaded.evaluate(*open_rows(path("rows.csv"), loaded.schema(), {.targets = {"y"}})).r2, 0.97);
      const auto known = memory_rows<double>(wave->x(), {wave->y.data(), wave->y.size(), 1, 1}, loaded.schema());
      EXPECT_GT(*loaded.evaluate(*known).r2, 0.97);
      EXPECT_EQ(loaded.predict(wave->x()), loaded.predict(*known));
    }
  }
}

TEST_F(Numbers, FarFromZeroServeEveryMapThatNearOnesServe) {
  const Wave near(0, 1), far(1e9, 1);
  for (const char* map : kMaps) {
    const double expected = *train(*near.rows(), {.map = parse_map_options(map)}).report().score->r2;
    EXPECT_GT(*train(*far.rows(), {.map = parse_map_options(map)}).report().score->r2, expected - 0.02) << map;
  }
  const auto raw = far.rows();
  EXPECT_GT(*train(*raw, {.scale = ColumnScaling::Method::none}).report().score->r2, 0.97);
}

TEST_F(Numbers, WithOutliersKeepTheDifferencesOfTheRest) {
  Wave wave(1.7e12, 3.6e6 / (4 * M_PI));
  for (const std::size_t i : {5, 100, 333}) wave.t[i] = 0;
  const Model model = train(*wave.rows(), {.map = Fourier{}, .scale = ColumnScaling::Method::quantile});
  EXPECT_FALSE(model.schema().offsets.empty());
  EXPECT_GT(*model.evaluate(*wave.rows()).r2, 0.9);
}

// Targets of the wave in a unit of their own, far from zero.
Wave with_targets(double offset, double unit) {
  Wave wave(0, 1);
  for (double& y : wave.y) y = offset + unit * y;
  return wave;
}

TEST_F(Numbers, TargetsFarFromZeroKeepTheirDigits) {
  const Wave near = with_targets(0, 1);
  std::vector<TrainOptions> kinds;
  for (const char* map : kMaps) kinds.push_back({.map = parse_map_options(map)});
  for (const Learner learner : {Learner::svr, Learner::huber, Learner::knn}) kinds.push_back({.learner = {learner}});
  kinds.push_back({.automatic = Effort::fast, .ridge = {.deviation = true}});
  for (const TrainOptions& options : kinds) {
    const double expected = *train(*near.rows(), options).evaluate(*near.rows()).r2;
    for (const auto& [offset, unit] : {std::pair{-1e12, 1.0}, {1.7e9, 3600.0}}) {
      const Wave far = with_targets(offset, unit);
      const Model model = again(train(*far.rows(), options));
      const std::string of = fmt::format("{} {} {}", offset, model.report().map, model.report().learner);
      ASSERT_EQ(model.target_offsets().size(), 1u) << of;
      EXPECT_THAT(model.description(), HasSubstr("is added to what the head answers")) << of;
      EXPECT_FALSE(model.report().score->relative_error) << of;
      const double r2 = *model.evaluate(*far.rows()).r2;
      EXPECT_NEAR(r2, expected, 0.01) << of;
      EXPECT_NEAR(r2, *model.report().score->r2, 0.1) << of << ": the score of the training is that of the model";
      EXPECT_EQ(model.report().target_ranges[0].first, *std::min_element(far.y.begin(), far.y.end())) << of;
      double alone = 0;
      Predictor(model).predict(std::span<const double>(&far.t[7], 1), {&alone, 1});
      EXPECT_EQ(alone, model.predict(*far.rows())(7, 0)) << of;
      if (!model.intervals()) continue;
      std::size_t inside = 0;
      const Matrix<double> found = model.predict_with_deviation(*far.rows());
      for (std::size_t i = 0; i < found.rows(); ++i) {
        const auto [low, high] = model.intervals()->around(found(i, 0), 0.9);
        inside += low <= far.y[i] && far.y[i] <= high;
        EXPECT_LT(found(i, 1), 0.5 * unit) << of;
      }
      EXPECT_GT(double(inside), 0.8 * double(found.rows())) << of;
    }
  }
}

TEST_F(Numbers, TargetsFarFromZeroMeetOthersAsTheyAre) {
  const Wave near = with_targets(0, 1), far = with_targets(1e9, 1);
  const auto rows = far.rows(), judges = far.rows();
  EXPECT_GT(*train(*rows, {.validation = judges.get()}).report().score->r2, 0.97);
  EXPECT_GT(*fit(*rows, fourier(1, {.features = 64})).evaluate(*far.rows()).r2, 0.97);
  EXPECT_TRUE(train(*near.rows()).target_offsets().empty());
  EXPECT_TRUE(train(*with_targets(100, 1).rows()).target_offsets().empty());
  EXPECT_TRUE(train(*far.rows(), {.double_precision = true}).target_offsets().empty());
}

TEST_F(Numbers, ATargetThatIsOneLargeNumberIsAnsweredToTheDigit) {
  Wave wave(0, 1);
  for (double& y : wave.y) y = 123456789.25;
  EXPECT_EQ(train(*wave.rows()).predict(*wave.rows())(3, 0), 123456789.25);
}

TEST_F(Numbers, NearZeroAreLeftAsTheyAre) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  EXPECT_TRUE(train(*rows, {.features = 32}).schema().offsets.empty());
  Wave years(2000, 0.4);  // exact in float, though narrow
  for (double& t : years.t) t = std::floor(t);
  EXPECT_TRUE(train(*years.rows(), {.features = 32}).schema().offsets.empty());
  const Wave wide(0, 1e9);
  EXPECT_TRUE(train(*wide.rows(), {.features = 32}).schema().offsets.empty());
}

TEST_F(Numbers, FarFromZeroInPartsGiveTheModelOfAllRows) {
  Wave wave = epoch();
  for (double& y : wave.y) y += 1e9;
  wave.write(path("a.csv"), 0, 250);
  wave.write(path("b.csv"), 250);
  const auto survey = [&](const std::string& file) {
    return survey_part(*open_rows(file, {.targets = {"y"}}), part_of_file(file));
  };
  Sum spec = survey(path("a.csv"));
  spec.merge(survey(path("b.csv")));
  const auto sum = [&](const std::string& file) {
    return sum_part(*open_rows(file, spec.schema()), spec, part_of_file(file));
  };
  Sum all = sum(path("a.csv"));
  all.merge(sum(path("b.csv")));
  const Model model = again(solve(all));
  EXPECT_FALSE(model.schema().offsets.empty());
  EXPECT_FALSE(model.target_offsets().empty());
  EXPECT_GT(*model.evaluate(*wave.rows()).r2, 0.97);
  wave.write(path("all.csv"));
  EXPECT_GT(*model.evaluate(*open_rows(path("all.csv"), model.schema())).r2, 0.97);
}

TEST_F(Numbers, OfSparseRowsThatCannotBeToldApartAreRefused) {
  std::ofstream out(path("rows.svm"));
  out.precision(17);
  for (std::size_t i = 0; i < julian().t.size(); ++i)
    out << julian().y[i] << " 1:" << julian().t[i] << " 2:" << i << "\n";
  out.close();
  const auto rows = open_rows(path("rows.svm"));
  try {
    train(*rows, {});
    ADD_FAILURE() << "digits were lost without a word";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::data);
    EXPECT_THAT(error.what(), HasSubstr("input 1"));
  }
}

TEST_F(Numbers, OfAModelTrainedInDoubleArePredictedInDouble) {
  const Wave& wave = epoch();
  for (const char* map : {"fourier", "nystroem", "binning:law=hat", "none"}) {
    const Model model = train(*wave.rows(), {.map = parse_map_options(map), .double_precision = true});
    EXPECT_TRUE(again(model).double_precision()) << map;
    const double expected = std::string(map) == "none" ? -0.1 : 0.97;
    EXPECT_GT(*again(model).evaluate(*wave.rows()).r2, expected) << map;
    EXPECT_EQ(again(model).predict(wave.x()), model.predict(*wave.rows())) << map;
  }
  const Model model = train(*wave.rows(), {.double_precision = true});
  EXPECT_LT(check(*wave.rows(), model, {.sample = 200, .draws = 2}).worst_error, 1);
  EXPECT_FALSE(again(train(*wave.rows(), {.features = 32})).double_precision());
}

TEST_F(Numbers, BeyondFloatAreForDouble) {
  for (const double unit : {1e300, 1e-300}) {
    const Wave wave(0, unit);
    const Model model = again(train(*wave.rows(), {.double_precision = true}));
    EXPECT_GT(*model.evaluate(*wave.rows()).r2, 0.97) << unit;
    wave.write(path("rows.csv"));
    EXPECT_GT(*model.evaluate(*open_rows(path("rows.csv"), model.schema(), {.targets = {"y"}})).r2, 0.97) << unit;
  }
}

TEST_F(Numbers, DenormalsHaveFinitePredictions) {
  const Wave wave(0, 1e-310);
  for (const auto method : {ColumnScaling::Method::standardize, ColumnScaling::Method::minmax,
                            ColumnScaling::Method::log, ColumnScaling::Method::quantile, ColumnScaling::Method::none}) {
    const Model model = train(*wave.rows(), {.scale = method, .double_precision = true});
    const Matrix<double> predicted = model.predict(wave.x());
    for (std::size_t i = 0; i < predicted.rows(); ++i) ASSERT_TRUE(std::isfinite(predicted(i, 0))) << int(method);
  }
}

// Two inputs that matter and one that says the same in every row.
struct WithConstant {
  std::vector<double> x, y;
  Schema schema;

  explicit WithConstant(double constant, std::size_t n = 300) : x(3 * n), y(n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j : {0, 2}) x[3 * i + j] = 3 * normal(5, Draw::sample, i, j);
      x[3 * i + 1] = constant;
      y[i] = std::sin(x[3 * i]) + 0.2 * x[3 * i + 2];
    }
    schema.inputs = 3;
    schema.targets = 1;
  }
  MatrixView<const double> inputs() const { return {x.data(), y.size(), 3, 3}; }
  std::unique_ptr<Rows> rows() const { return memory_rows<double>(inputs(), {y.data(), y.size(), 1, 1}, schema); }
};

TEST_F(Numbers, ThatNeverVaryCannotMoveAPrediction) {
  for (const double constant : {5.0, -0.5, 0.0, 1.0, 1.7e12}) {
    const WithConstant data(constant);
    for (const char* map : kMaps) {
      const Model model = again(train(*data.rows(), {.map = parse_map_options(map), .features = 16}));
      EXPECT_THAT(model.report().notes, Contains(HasSubstr("x1: constant"))) << map;
      const Matrix<double> expected = model.predict(data.inputs());
      for (const double other : {constant + 1, -7.0, 1e9}) {
        const WithConstant changed(other);
        EXPECT_EQ(model.predict(changed.inputs()), expected) << map << " " << constant << " to " << other;
      }
    }
  }
}

TEST_F(Numbers, ThatNeverVaryInSparseRowsAreCounted) {
  const auto write = [&](const std::string& name, const std::string& more) {
    std::ofstream out(path(name));
    for (int i = 0; i < 60; ++i) out << i % 2 << " 1:" << i % 7 << " 2:4" << more << " 9:" << i % 3 << "\n";
  };
  write("rows.svm", "");
  write("new.svm", " 5:100");
  for (const char* map : {"fourier", "binning:law=hat", "nystroem", "none"}) {
    const Model model = again(train(*open_rows(path("rows.svm")), {.map = parse_map_options(map), .features = 16}));
    EXPECT_THAT(model.report().notes, Contains(HasSubstr("7 of 9 never vary"))) << map;
    EXPECT_EQ(model.predict(*open_rows(path("new.svm"), model.schema())),
              model.predict(*open_rows(path("rows.svm"), model.schema())))
        << map;
  }
}

TEST_F(Numbers, ThatNeverVaryStandInForAnInterceptWhereThereIsNone) {
  WithConstant data(1);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = 40 + data.x[3 * i + 2];
  const Model model = train(*data.rows(), {.map = NoMap{}, .ridge = {.lambdas = {1e-9}, .intercept = false}});
  EXPECT_GT(*model.evaluate(*data.rows()).r2, 0.99);
}

TEST_F(Numbers, OfOneRowDoNotDependOnItsNeighbours) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  for (const bool wide : {false, true})
    for (const char* map : kMaps) {
      const Model model = train(*rows, {.map = parse_map_options(map), .features = 50, .double_precision = wide});
      const auto fresh = open_rows(kData + "/cpu-new.csv", model.schema());
      const auto kept = wide ? cached_rows<double>(*fresh) : cached_rows<float>(*fresh);
      const Matrix<double> all = model.predict(*kept);
      std::size_t different = 0;
      RowBlock<double> block;
      for (kept->rewind(); kept->next(1, block);) {
        Schema plain = model.schema();
        plain.columns.clear();
        const auto alone = memory_rows<double>(block, plain);
        different += model.predict(*alone)(0, 0) != all(block.first, 0);
      }
      EXPECT_EQ(different, 0u) << map << (wide ? " in double" : " in float");
    }
}

}  // namespace
}  // namespace bochner
