// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/archive.h"
#include "base/safetensors.h"
#include "bochner/anomaly.h"
#include "bochner/error.h"
#include "bochner/kmeans.h"
#include "bochner/learner.h"
#include "bochner/mixture.h"
#include "methods/online/drift_bets.h"
#include "model/model_file.h"
#include "scratch.h"
#include "table.h"

namespace bochner {
namespace {

TEST(OrderedScores, CountThoseAbove) {
  std::mt19937 draw(1);
  for (const unsigned kinds : {3u, 50u, 1000000u}) {
    OrderedScores ranks;
    std::vector<double> seen;
    for (int i = 0; i < 6000; ++i) {
      const double number = double(draw() % kinds) - 1;
      const OrderedScores::Place place = ranks.add(number);
      ASSERT_EQ(place.above, std::count_if(seen.begin(), seen.end(), [&](double other) { return other > number; }));
      ASSERT_EQ(place.equal, std::count(seen.begin(), seen.end(), number));
      seen.push_back(number);
    }
  }
}

// The first row at which the evidence suffices for the level 0.05, or the number of rows.
template <class Score>
int first_alarm(unsigned run, int rows, const Score& score) {
  std::mt19937 draw(run);
  DriftBets bets(run);
  for (int i = 0; i < rows; ++i)
    if (bets.add(score(i, draw)) >= std::log(20.0)) return i;
  return rows;
}

TEST(DriftBets, SeldomRaiseAnAlarmWhileNothingChanges) {
  constexpr int kRuns = 500, kRows = 2000;
  int alarms = 0;
  for (unsigned run = 0; run < kRuns; ++run) {
    std::normal_distribution<double> normal;
    const bool ties = run % 2;  // wrong or right: scores of two kinds
    alarms += first_alarm(run, kRows, [&](int, std::mt19937& draw) {
                return ties ? double(draw() % 4 == 0) : normal(draw);
              }) < kRows;
  }
  EXPECT_LE(alarms, kRuns / 20);
  RecordProperty("alarms", alarms);
}

TEST(DriftBets, SeeErrorsThatGrowWhenTheyDo) {
  for (const int change : {100, 1000, 10000})
    for (unsigned run = 0; run < 5; ++run) {
      std::normal_distribution<double> normal;
      const int at = first_alarm(10 + run, change + 1000,
                                 [&](int i, std::mt19937& draw) { return normal(draw) + (i < change ? 0 : 1.5); });
      EXPECT_GE(at, change);
      EXPECT_LT(at, change + 60);
    }
}

TEST(DriftBets, NoticeNoiseThatGrowsByHalfWithinSeventyFiveRowsInTheMedian) {
  std::vector<int> delays;
  for (unsigned run = 0; run < 15; ++run) {
    std::normal_distribution<double> normal;
    delays.push_back(
        first_alarm(run, 6000,
                    [&](int i, std::mt19937& draw) { return std::abs(normal(draw)) * (i < 4000 ? 1 : 1.5); }) -
        4000);
  }
  std::sort(delays.begin(), delays.end());
  EXPECT_LT(delays[7], 75);
  EXPECT_GE(delays[1], 0);
}

TrainOptions options() {
  TrainOptions options;
  options.features = 32;
  options.bandwidth = 2.0;
  options.ridge.lambdas = {1e-3};
  return options;
}

TEST(Watch, AWindowIsATrainingOnTheNewestRows) {
  for (const std::size_t classes : {0, 3}) {
    const Table table(900, 3, classes, false, 4);
    for (const bool wide : {false, true}) {
      TrainOptions how = options();
      how.double_precision = wide;
      const auto fresh = [&] { return train_online(*table.some(numbers(0, 200)).rows, how); };
      const OnlineModel first = fresh();
      for (const std::size_t end : {230, 417, 900}) {
        OnlineModel model = fresh();
        std::vector<Watched> seen;
        const Table::Some stream = table.some(numbers(200, end));
        watch(model, *stream.rows, {.every = 50, .window = 120}, [&](const Watched& now) { seen.push_back(now); });
        EXPECT_EQ(seen.size(), (end - 200 + 49) / 50);
        EXPECT_EQ(seen.back().rows, end - 200);
        // A window that is not yet full stands beside the rows before the stream.
        const Numbers kept = end - 200 < 120 ? numbers(0, end) : numbers(end - 120, end);
        EXPECT_EQ(model.bytes(), train_as(first, *table.some(kept).rows).bytes()) << end;
        EXPECT_EQ(seen.back().kept, kept.size());
      }
    }
  }
}

// Rows with the weights that a half-life gives them: 1 for the newest `half`, 1/2 for those before, ..., ten levels.
Table::Some halved(const Table& table, std::size_t begin, std::size_t end, std::size_t half) {
  Table weighted = table;
  weighted.weighted = true;
  Numbers kept;
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t level = (end - 1 - i) / half;
    if (level >= WatchOptions::kHalvings) continue;
    weighted.weights[i] = (table.weighted ? table.weights[i] : 1) / double(std::size_t(1) << level);
    kept.push_back(i);
  }
  return weighted.some(kept);
}

TEST(Watch, AHalfLifeIsATrainingWithHalvedWeights) {
  for (const std::size_t classes : {0, 2})
    for (const bool weighted : {false, true}) {
      const Table table(500, 3, classes, weighted, 14);
      const auto fresh = [&] { return train_online(*table.some(numbers(0, 100)).rows, options()); };
      const OnlineModel first = fresh();
      for (const std::size_t half : {20, 35})
        for (const std::size_t every : {13, 60}) {
          OnlineModel model = fresh();
          const Table::Some stream = table.some(numbers(100, 500));
          watch(model, *stream.rows, {.every = every, .half_life = half}, [](const Watched&) {});
          EXPECT_EQ(model.bytes(), train_as(first, *halved(table, 100, 500, half).rows).bytes()) << half << every;
        }
    }
}

// Looks of random sizes; the models are compared at random times.
TEST(Watch, IsATrainingAtRandomTimes) {
  const Table table(700, 3, 0, false, 15);
  const auto fresh = [&] { return train_online(*table.some(numbers(0, 50)).rows, options()); };
  const OnlineModel first = fresh();
  std::mt19937 draw(3);
  OnlineModel by_rows = fresh(), by_days = fresh();
  Watch rows(by_rows, {.window = 90, .solve_every = 200});
  Watch days(by_days, {.window = Extent{0, 5.5}});
  std::vector<double> times;
  for (std::size_t i = 0; i < table.n; ++i) times.push_back(double(i / 20) + 0.25 * double(i % 20) / 20);
  std::size_t tested = 0;
  for (std::size_t at = 50; at < table.n;) {
    const std::size_t end = std::min<std::size_t>(table.n, at + 1 + draw() % 40);
    rows.see(*table.some(numbers(at, end)).rows);
    days.see(*table.some(numbers(at, end)).rows, std::span(times).subspan(at, end - at));
    at = end;
    if (at < 300 || draw() % 2) continue;
    ++tested;
    rows.settle();
    EXPECT_EQ(by_rows.bytes(), train_as(first, *table.some(numbers(at - 90, at)).rows).bytes()) << at;
    std::size_t begin = at - 1;
    while (times[begin - 1] > times[at - 1] - 5.5) --begin;
    EXPECT_EQ(by_days.bytes(), train_as(first, *table.some(numbers(begin, at)).rows).bytes()) << at;
  }
  EXPECT_GE(tested, 5u);
}

TEST(Watch, SolvesByItsScheduleAndAtAlarms) {
  Table table(2000, 2, 0, false, 7);
  for (std::size_t i = 1200; i < table.n; ++i) table.y(i, 0) = -table.y(i, 0);
  for (const std::uint64_t schedule : {0, 300}) {
    OnlineModel model = train_online(*table.some(numbers(0, 200)).rows, options());
    const Table::Some stream = table.some(numbers(200, table.n));
    std::size_t since = 0;
    bool alarmed = false;
    watch(model, *stream.rows, {.every = 100, .window = 300, .solve_every = schedule}, [&](const Watched& now) {
      since += 100;
      const bool due = now.alarm || (schedule > 0 && since >= schedule);
      EXPECT_EQ(now.change, due ? Watched::Change::solved : Watched::Change::none) << now.rows;
      if (due) since = 0;
      alarmed = alarmed || now.alarm;
    });
    EXPECT_TRUE(alarmed);
    const OnlineModel first = train_online(*table.some(numbers(0, 200)).rows, options());
    EXPECT_EQ(model.bytes(), train_as(first, *table.some(numbers(table.n - 300, table.n)).rows).bytes());
  }
}

TEST(Watch, AnAlarmMayForgetAndMayChooseAnew) {
  Table table(2000, 2, 0, false, 7);
  for (std::size_t i = 1200; i < table.n; ++i) table.y(i, 0) = 3 - 2 * table.y(i, 0);
  using OnAlarm = WatchOptions::OnAlarm;
  const auto first = [&] { return train_online(*table.some(numbers(0, 200)).rows, {.features = 32}); };
  for (const OnAlarm what : {OnAlarm::forget, OnAlarm::rechoose}) {
    OnlineModel model = first();
    std::optional<std::size_t> end;  // where the first look with an alarm ends
    const TrainOptions anew{.features = 32};
    Watch watching(model, {.window = 400, .on_alarm = what, .retrain = anew});
    for (std::size_t at = 200; !end; at += 100) {
      ASSERT_LT(at, table.n);
      const Watched seen = watching.see(*table.some(numbers(at, at + 100)).rows);
      if (seen.alarm) end = at + 100;
    }
    const OnlineModel expected = what == OnAlarm::forget
                                     ? train_as(first(), *table.some(numbers(*end - 100, *end)).rows)
                                     : train_online(*table.some(numbers(*end - 400, *end)).rows, anew);
    EXPECT_EQ(model.bytes(), expected.bytes());
    watching.see(*table.some(numbers(*end, *end + 50)).rows);  // rows leave by the new choices too
    EXPECT_EQ(model.rows(), what == OnAlarm::forget ? 150u : 400u);
  }
}

TEST(Watch, InputsFarFromZeroKeepTheirDigits) {
  Table table(700, 2, 0, false, 16);
  for (std::size_t i = 0; i < table.n; ++i) {
    table.x(i, 0) += 1e9;
    table.y(i, 0) = 1e6 * table.y(i, 0) + 1e9;
  }
  const TrainOptions how{.features = 32};
  OnlineModel model = train_online(*table.some(numbers(0, 200)).rows, how);
  const OnlineModel first = train_as(model, *table.some(numbers(0, 200)).rows);
  const Schema schema = model.model().schema();
  ASSERT_FALSE(schema.offsets.empty());
  double last = 0;
  watch(model, *table.some(numbers(200, 700), schema).rows, {.every = 100, .window = 300},
        [&](const Watched& now) { last = now.loss; });
  EXPECT_EQ(model.bytes(), train_as(first, *table.some(numbers(400, 700), schema).rows).bytes());
  EXPECT_LT(last, 0.2e12) << "of a variance of half 1e12";
}

TEST(Watch, AModelWithoutSumsIsTrainedAnewByTheWindow) {
  Table table(1600, 2, 2, false, 8);
  for (std::size_t i = 0; i < table.n; ++i) table.y(i, 0) = (table.x(i, 0) > table.x(i, 1)) != (i >= 900);
  TrainOptions logistic{.features = 24};
  logistic.learner.learner = Learner::logistic;
  logistic.learner.C = {1.0};
  const Table::Some before = table.some(numbers(0, 200));
  Model still = train(*before.rows, logistic), model = still;
  const Table::Some stream = table.some(numbers(200, table.n));
  double worst = 0, last = 0, last_of_still = 0;
  std::size_t trained = 0;
  watch(model, *stream.rows, {.every = 100, .window = 200, .solve_every = 400, .retrain = logistic},
        [&](const Watched& now) {
          worst = std::max(worst, now.loss);
          last = now.loss;
          trained += now.change == Watched::Change::trained;
        });
  EXPECT_GE(trained, 3u);
  EXPECT_GT(worst, 0.8);
  EXPECT_LT(last, 0.2);
  watch(still, *stream.rows, {.every = 100}, [&](const Watched& now) { last_of_still = now.loss; });
  EXPECT_GT(last_of_still, 0.8) << "nothing trains it";
}

std::string bytes_of(const Model& model) { return archive_bytes(model_archive(model)); }

struct Sort {
  const char* name;
  bool stateless;  // the model depends on the rows kept alone
  Model (*make)(Rows&);
};

const Sort kSorts[] = {
    {"logistic", false,
     [](Rows& rows) {
       TrainOptions options{.bandwidth = 2.0, .features = 24};
       options.learner = {.learner = Learner::logistic, .C = {1.0}};
       return train(rows, options);
     }},
    {"knn", true,
     [](Rows& rows) {
       TrainOptions options;
       options.learner = {.learner = Learner::knn, .neighbors = {5}};
       return train(rows, options);
     }},
    {"classes", false, [](Rows& rows) { return mixture(rows, {.components = 2}); }},
    {"k-means", false, [](Rows& rows) { return kmeans(rows, {.clusters = 3}); }},
    {"mixture", false, [](Rows& rows) { return mixture(rows, {.components = 2}); }},
    {"anomaly", true, [](Rows& rows) { return anomaly(rows, {.rate = 0.1}); }},
    {"isolation", true,
     [](Rows& rows) { return anomaly(rows, {.method = AnomalyOptions::Method::isolation, .rate = 0.1}); }},
};

// Rows with classes for the sorts that have targets.
Table::Some some_for(const Sort& sort, const Table& table, std::size_t begin, std::size_t end) {
  Table::Some part = table.some(numbers(begin, end));
  if (&sort - kSorts < 3) return part;
  Schema schema;
  schema.inputs = table.d;
  const Matrix<double>& x = part.x;
  part.rows = memory_rows<double>(x.view(), {}, schema, table.weighted ? part.weights.data() : nullptr);
  return part;
}

TEST(Watch, OtherModelsLearnOnFromTheWindow) {
  for (const Sort& sort : kSorts)
    for (const bool weighted : {false, true}) {
      SCOPED_TRACE(sort.name);
      const Table table(700, 2, 2, weighted, 31);
      Model model = sort.make(*some_for(sort, table, 0, 200).rows);
      const Model first = model;
      Watch watching(model, {.window = 150});
      for (std::size_t at = 200; at < 700; at += 100) {
        const Model before = model;
        const Watched seen = watching.see(*some_for(sort, table, at, at + 100).rows);
        EXPECT_TRUE(std::isfinite(seen.loss));
        if (at == 200) {
          EXPECT_EQ(seen.change, Watched::Change::none) << "the window is not full";
          EXPECT_EQ(bytes_of(model), bytes_of(first));
          continue;
        }
        EXPECT_EQ(seen.change, Watched::Change::solved);
        EXPECT_EQ(seen.kept, 150u);
        const auto window = [&] { return some_for(sort, table, at - 50, at + 100); };
        EXPECT_EQ(bytes_of(model), bytes_of(learnt_on(before, *window().rows, {.threads = 3})));
        const Model& from = sort.stateless ? first : before;
        EXPECT_EQ(bytes_of(model), bytes_of(learnt_on(from, *window().rows)));
      }
    }
}

TEST(LearntOn, ALogisticHeadIsThatOfTheRowsWhereverItBegan) {
  const Table table(900, 3, 3, true, 32);
  const Model a = kSorts[0].make(*table.some(numbers(0, 100)).rows);
  const Model far = learnt_on(a, *table.some(numbers(100, 130)).rows);
  const Table::Some rows = table.some(numbers(300, 900));
  const Model x = learnt_on(a, *rows.rows), y = learnt_on(far, *rows.rows), z = learnt_on(x, *rows.rows);
  const Matrix<double>& points = table.x;
  const Matrix<double> p = x.predict(points.view()), q = y.predict(points.view()), r = z.predict(points.view()),
                       s = far.predict(points.view());
  double near = 0, moved = 0;
  for (std::size_t i = 0; i < 3 * table.n; ++i) {
    near = std::max({near, std::abs(p.data()[i] - q.data()[i]), std::abs(p.data()[i] - r.data()[i])});
    moved = std::max(moved, std::abs(p.data()[i] - s.data()[i]));
  }
  EXPECT_LT(near, 0.02 * moved);
  EXPECT_EQ(x.report().lambda, a.report().lambda);
  EXPECT_NE(z.report().notes.at(1).find("; 0 Newton steps"), std::string::npos) << z.report().notes.at(1);
}

// The second class is rare, and weighs as much as the first.
TEST(LearntOn, ALogisticHeadKeepsItsClassWeights) {
  Table table(800, 2, 2, true, 33);
  for (std::size_t i = 0; i < table.n; ++i) table.y(i, 0) = table.x(i, 0) + table.x(i, 1) > 2;
  const Table::Some rows = table.some(numbers(0, table.n));
  TrainOptions options{.bandwidth = 2.0, .features = 24};
  options.learner = {.learner = Learner::logistic, .C = {1.0}};
  EXPECT_TRUE(train(*rows.rows, options).report().class_weights.empty());
  options.balanced = true;
  const Model model = train(*rows.rows, options);
  EXPECT_EQ(model.report().class_weights.size(), 2u);
  const testing_files::Scratch scratch;
  model.save(scratch.path("m"));
  const Model next = learnt_on(Model::load(scratch.path("m")), *rows.rows);
  EXPECT_EQ(next.report().class_weights, model.report().class_weights);
  const Matrix<double> before = model.predict(rows.x.view()), after = next.predict(rows.x.view());
  for (std::size_t i = 0; i < table.n; ++i) EXPECT_NEAR(after(i, 0), before(i, 0), 0.05);
}

TEST(LearntOn, ClustersKeepTheirNumbersAsTheyMove) {
  std::mt19937 draw(3);
  std::normal_distribution<double> normal;
  Schema schema;
  schema.inputs = 2;
  const auto rows = [&](double shift) {
    Matrix<double> x(300, 2);
    for (std::size_t i = 0; i < 300; ++i)
      for (std::size_t j = 0; j < 2; ++j) x(i, j) = 8 * double(i % 3) * (j ? -1 : 1) + normal(draw) + shift;
    return x;
  };
  const Matrix<double> before = rows(0), after = rows(3), late = rows(6);
  const auto read = [&](const Matrix<double>& x) { return memory_rows<double>(x.view(), {}, schema); };
  const Model first = kmeans(*read(before), {.clusters = 3});
  const Model last = learnt_on(learnt_on(first, *read(after)), *read(late));
  const auto cluster = [](const Model& model, const Matrix<double>& x, std::size_t i) {
    const Matrix<double> p = model.predict(x.view());
    return std::max_element(&p(i, 0), &p(i, 0) + 3) - &p(i, 0);
  };
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(cluster(first, before, i), cluster(last, late, i));
}

TEST(LearntOn, AMixtureOfOneIsMeansAndVariancesAndAThresholdKeepsItsShare) {
  Table table(1000, 2, 2, false, 33);
  for (std::size_t i = 500; i < 1000; ++i)
    for (std::size_t j = 0; j < 2; ++j) table.x(i, j) = 5 + 3 * table.x(i, j);
  const Sort& unlabelled = kSorts[4];
  const Model one = mixture(*some_for(unlabelled, table, 0, 500).rows, {.components = 1});
  const Mixture then = mixtures_of(*learnt_on(one, *some_for(unlabelled, table, 500, 1000).rows).head())[0];
  double mean = 0;
  for (std::size_t i = 500; i < 1000; ++i) mean += table.x(i, 0) / 500;
  EXPECT_NEAR(then.gaussians.means(0, 0), mean, 1e-5);

  const Model rare = anomaly(*some_for(unlabelled, table, 0, 500).rows, {.rate = 0.1});
  const Table::Some late = some_for(unlabelled, table, 500, 1000);
  const Model next = learnt_on(rare, *late.rows);
  const auto share = [&](const Model& model) {
    const Matrix<double> found = model.predict(*late.rows);
    double above = 0;
    for (std::size_t i = 0; i < 500; ++i) above += found(i, 1) / 500;
    return above;
  };
  EXPECT_GT(share(rare), 0.5);
  EXPECT_LE(share(next), 0.101);
  EXPECT_GT(share(next), 0.05);
}

TEST(Watch, ADensityIsWatchedByItsRows) {
  std::mt19937 draw(1);
  std::normal_distribution<double> normal;
  Schema schema;
  schema.inputs = 2;
  Matrix<double> x(1500, 2);
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < 2; ++j) x(i, j) = normal(draw) + (i < 1000 ? 0 : 3);
  const auto rows = [&](std::size_t begin, std::size_t count) {
    const Matrix<double>& all = x;
    return memory_rows<double>(all.view().slice(begin, count), {}, schema);
  };
  Model model = mixture(*rows(0, 300), {.components = 1});
  std::vector<std::uint64_t> alarms;
  watch(model, *rows(300, 1200), {.every = 100}, [&](const Watched& now) {
    if (now.alarm) alarms.push_back(*now.alarm);
  });
  ASSERT_FALSE(alarms.empty());
  EXPECT_GE(alarms[0], 700u);
  EXPECT_LT(alarms[0], 720u);
}

TEST(Watch, ItsPageStaysSmall) {
  WatchHistory history(0.05);
  EXPECT_NE(history.page("none", "loss").find("No rows came"), std::string::npos);
  double total = 0;
  for (std::uint64_t i = 1; i <= 20000; ++i) {
    total += double(i % 7);
    history.add({.rows = 10 * i,
                 .kept = 5,
                 .loss = double(i % 7),
                 .mean_loss = total / double(i),
                 .evidence = 0.5,
                 .alarm = i == 777 ? std::optional<std::uint64_t>(7769) : std::nullopt});
  }
  const std::string page = history.page("<a & b>", "mean squared error");
  EXPECT_LT(page.size(), 200000u);
  EXPECT_THAT(page, ::testing::HasSubstr("&lt;a &amp; b&gt;"));
  EXPECT_THAT(page, ::testing::HasSubstr("200,000"));
  EXPECT_THAT(page, ::testing::HasSubstr("7,769"));
}

TEST(Watch, PredictsEachRowBeforeItLearnsIt) {
  const Table table(400, 3, 0, false, 6);
  OnlineModel model = train_online(*table.some(numbers(0, 100)).rows, options());
  OnlineModel slow = train_as(model, *table.some(numbers(0, 100)).rows);
  std::vector<Watched> seen;
  const Table::Some stream = table.some(numbers(100, 400));
  watch(model, *stream.rows, {.every = 75}, [&](const Watched& now) { seen.push_back(now); });
  double total = 0;
  for (std::size_t begin = 100; begin < 400; begin += 75) {
    const Table::Some part = table.some(numbers(begin, begin + 75));
    const double rmse = *slow.model().evaluate(*part.rows).rmse;
    total += 75 * rmse * rmse;
    const Watched& now = seen.at((begin - 100) / 75);
    EXPECT_NEAR(now.loss, rmse * rmse, 1e-9);
    EXPECT_NEAR(now.mean_loss, total / double(begin - 25), 1e-9);
    EXPECT_FALSE(now.alarm);
    update(slow, *part.rows);
  }
  EXPECT_EQ(model.bytes(), slow.bytes());
}

TEST(Watch, AnAlarmNamesTheRowAndANewModelBeginsAnew) {
  for (const std::size_t classes : {0, 2}) {
    Table table(2200, 2, classes, false, 17);
    for (std::size_t i = 0; i < table.n && classes; ++i) table.y(i, 0) = table.x(i, 0) > table.x(i, 1);
    for (std::size_t i = 1200; i < table.n; ++i) table.y(i, 0) = classes ? 1 - table.y(i, 0) : -table.y(i, 0);
    OnlineModel model = train_online(*table.some(numbers(0, 200)).rows, options());
    std::vector<std::uint64_t> alarms;
    double last = 0, worst = 0;
    const Table::Some stream = table.some(numbers(200, table.n));
    watch(model, *stream.rows, {.every = 100, .window = 300}, [&](const Watched& now) {
      if (now.alarm) alarms.push_back(*now.alarm);
      last = now.loss;
      worst = std::max(worst, now.loss);
    });
    ASSERT_FALSE(alarms.empty());
    EXPECT_GE(alarms[0], 1000u);
    EXPECT_LT(alarms[0], 1100u);
    EXPECT_LT(last, 0.5 * worst) << "the window has learnt the new rows";
  }
}

TEST(Watch, RefusesWhatItCannotSee) {
  const Table table(100, 2, 0, false, 7);
  OnlineModel model = train_online(*table.some(numbers(0, 50)).rows, options());
  const Table::Some stream = table.some(numbers(50, 100));
  const auto nothing = [](const Watched&) {};
  EXPECT_THROW(watch(model, *stream.rows, {.every = 0}, nothing), std::invalid_argument);
  EXPECT_THROW(watch(model, *stream.rows, {.level = 1}, nothing), std::invalid_argument);
  const auto refused = [&](const WatchOptions& how) {
    EXPECT_THROW(watch(model, *stream.rows, how, nothing), std::invalid_argument);
  };
  using OnAlarm = WatchOptions::OnAlarm;
  refused({.window = 10, .half_life = 10});
  refused({.window = Extent{0, 3}});
  refused({.window = 10, .on_alarm = OnAlarm::rechoose});
  refused({.on_alarm = OnAlarm::rechoose, .retrain = TrainOptions{}});
  Model plain = model.model();
  EXPECT_THROW(Watch(plain, {.window = 10}), std::invalid_argument);
  EXPECT_THROW(learnt_on(plain, *stream.rows), std::invalid_argument);
  EXPECT_THROW(Watch(plain, {.solve_every = 10}), std::invalid_argument);
  EXPECT_THROW(Watch(plain, {.retrain = TrainOptions{}}), std::invalid_argument);
  EXPECT_THROW(Watch(plain, {.window = 4, .retrain = TrainOptions{}}), std::invalid_argument);  // never learns
  EXPECT_NO_THROW(Watch(plain, {.window = 5, .retrain = TrainOptions{}}));
  refused({.window = 4, .on_alarm = OnAlarm::rechoose, .retrain = options()});
  Watch days(model, {.window = Extent{0, 3}});
  EXPECT_THROW(days.see(*table.some(numbers(50, 60)).rows), std::invalid_argument);
  Watch again(model, {.window = Extent{0, 3}});
  const std::vector<double> times = {1, 2, 3, 2, 5};
  EXPECT_THROW(again.see(*table.some(numbers(50, 55)).rows, times), Error);
}

}  // namespace
}  // namespace bochner
