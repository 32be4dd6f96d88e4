// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/online.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/archive.h"
#include "base/sha256.h"
#include "bochner/error.h"
#include "scratch.h"
#include "table.h"

namespace bochner {
namespace {

using ::testing::HasSubstr;
template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TrainOptions small_options(unsigned number, std::mt19937& draw) {
  TrainOptions options;
  options.features = 16 + draw() % 24;
  if (number % 8 != 7) options.bandwidth = 1.5;
  if (number % 4 != 3) options.ridge.lambdas = {1e-3};
  options.double_precision = number % 3 == 1;
  options.ridge.intercept = draw() % 4 != 0;
  options.ridge.deviation = draw() % 5 == 0;
  options.seed = draw() % 3;
  options.execution.threads = 1 + int(draw() % 3);
  using Form = FourierOptions::Form;
  using Draw = FourierOptions::Draw;
  switch (number % 8) {
    case 0:
      options.map = NoMap{};
      break;
    case 1:
      options.map = Fourier{};
      break;
    case 2:
      options.map = Fourier{Form::shifted, Draw::quasi};
      break;
    case 3:
      options.map = Nystroem{};
      break;
    case 4:
      options.map = parse_map_options("project:kind=sign,dims=5");
      break;
    case 5:
      options.map = parse_map_options("project:dims=4|fourier:features=20");
      break;
    case 6:
      options.map = parse_map_options("binning:max_bins=9");
      options.features = 5;
      options.ridge.deviation = false;
      break;
    default:
      options.map = parse_map_options("fourier:features=12+fourier:features=8,kernel=laplacian");
      break;
  }
  return options;
}

// Cuts some numbers into parts of random sizes.
std::vector<Numbers> cut(const Numbers& all, std::mt19937& draw) {
  std::vector<Numbers> parts(1);
  for (const std::size_t number : all) {
    if (!parts.back().empty() && draw() % 16 == 0) parts.emplace_back();
    parts.back().push_back(number);
  }
  return parts;
}

Execution threads(std::mt19937& draw) {
  Execution execution;
  execution.threads = 1 + int(draw() % 4);
  return execution;
}

bool has_classes(const Table& table, const Numbers& rows) {
  if (table.classes == 0) return !rows.empty();
  return std::any_of(rows.begin(), rows.end(), [&](std::size_t i) { return table.y(i, 0) != table.y(rows[0], 0); });
}

class Cases : public ::testing::TestWithParam<unsigned> {};

// Ten cases each, 200 in all: the bytes of a training on the rest by the same choices, whatever the order.
TEST_P(Cases, ForgettingAndLearningOnGiveTheBytesOfATraining) {
  for (unsigned number = 10 * GetParam(); number < 10 * GetParam() + 10; ++number) {
    SCOPED_TRACE(number);
    std::mt19937 draw(number);
    const Table table(60 + draw() % 140, 1 + draw() % 5, draw() % 2 ? 0 : 2 + draw() % 3, draw() % 3 == 0, number);
    TrainOptions options = small_options(number, draw);
    options.balanced = table.classes && draw() % 3 == 0;
    options.ridge.deviation = options.ridge.deviation && table.classes == 0;
    OnlineModel model = train_online(*table.some(numbers(0, table.n)).rows, options);
    Numbers order = numbers(0, table.n);
    std::shuffle(order.begin(), order.end(), draw);
    const std::size_t gone = std::array{std::size_t(1), table.n / 100 + 1, table.n / 2}[draw() % 3];
    const Numbers leave(order.begin(), order.begin() + std::ptrdiff_t(gone));
    Numbers stay(order.begin() + std::ptrdiff_t(gone), order.end());
    ASSERT_TRUE(has_classes(table, stay));
    OnlineModel retrained = train_as(model, *table.some(stay).rows, threads(draw));
    OnlineModel all = train_as(model, *table.some(order).rows, threads(draw));
    EXPECT_EQ(model.digest(), all.digest());

    for (const Numbers& part : cut(leave, draw)) {
      const Receipt receipt = forget(model, *table.some(part).rows, threads(draw));
      EXPECT_EQ(receipt.rows, part.size());
      EXPECT_EQ(receipt.after, model.digest());
      EXPECT_NE(receipt.after, receipt.before);
    }
    EXPECT_EQ(model.bytes(), retrained.bytes());

    std::shuffle(stay.begin(), stay.end(), draw);  // parts that never met
    const Numbers first(stay.begin(), stay.begin() + std::ptrdiff_t(stay.size() / 2));
    const Numbers second(stay.begin() + std::ptrdiff_t(stay.size() / 2), stay.end());
    if (has_classes(table, first) && has_classes(table, second)) {
      OnlineModel merged = train_as(all, *table.some(first).rows, threads(draw));
      merge(merged, train_as(all, *table.some(second).rows, threads(draw)));
      EXPECT_EQ(merged.bytes(), retrained.bytes());
    }

    for (const Numbers& part : cut(leave, draw)) update(model, *table.some(part).rows, threads(draw));
    EXPECT_EQ(model.bytes(), all.bytes());
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Cases, ::testing::Range(0u, 20u));

TEST(Online, BinsThatRowsFillAreChosenAndTooManyAreRefused) {
  const Table table(400, 2, 0, false, 21);
  TrainOptions options;
  options.map = Binning{};
  options.features = 30;
  options.bandwidth = 1.0;
  const OnlineModel model = train_online(*table.some(numbers(0, 300)).rows, options);
  EXPECT_THAT(model.choices(), ::testing::Contains(Choice{"bins that rows fill", "rows"}));
  const Matrix<double> predicted = model.model().predict(table.x.view());
  double square = 0, variance = 0;
  for (std::size_t i = 300; i < 400; ++i) {
    square += std::pow(predicted(i, 0) - table.y(i, 0), 2);
    variance += std::pow(table.y(i, 0), 2);
  }
  EXPECT_LT(square, 0.4 * variance);
  options.features = 100;
  options.bandwidth = 0.01;
  EXPECT_THAT(message_of([&] { train_online(*table.some(numbers(0, 300)).rows, options); }),
              HasSubstr("expected 1 to 16384 bins: keep the fullest of each grid (binning:max_bins=163)"));
}

TEST(Online, AWindowEqualsATrainingOnItAtAnyTime) {
  const Table table(600, 3, 0, false, 5);
  TrainOptions options;
  options.features = 24;
  options.bandwidth = 2.0;
  constexpr std::size_t kWindow = 100, kStep = 20;
  OnlineModel window = train_online(*table.some(numbers(0, kWindow)).rows, options);
  const OnlineModel first = train_as(window, *table.some(numbers(0, kWindow)).rows);
  for (std::size_t at = kWindow; at + kStep <= table.n; at += kStep) {
    update(window, *table.some(numbers(at, at + kStep)).rows);
    forget(window, *table.some(numbers(at - kWindow, at - kWindow + kStep)).rows);
    const OnlineModel trained = train_as(first, *table.some(numbers(at - kWindow + kStep, at + kStep)).rows);
    EXPECT_EQ(window.bytes(), trained.bytes()) << at;
  }
}

TEST(Online, TheModelIsThatOfAnOrdinaryTrainingByCholesky) {
  const Table table(300, 4, 0, false, 9);
  TrainOptions options;
  options.features = 32;
  options.ridge.solver = RidgeOptions::Solver::cholesky;
  const OnlineModel kept = train_online(*table.some(numbers(0, table.n)).rows, options);
  const Model plain = train(*table.some(numbers(0, table.n)).rows, options);
  const Matrix<double>&x = table.x, a = kept.model().predict(x.view()), b = plain.predict(x.view());
  EXPECT_TRUE(std::equal(a.data(), a.data() + table.n, b.data()));
  const OnlineModel again = train_as(kept, *table.some(numbers(0, table.n)).rows);
  const Matrix<double> c = again.model().predict(x.view());
  EXPECT_TRUE(std::equal(a.data(), a.data() + table.n, c.data()));
}

TEST(Online, IsSavedAndLoadedAsAModelToo) {
  const testing_files::Scratch scratch;
  const Table table(80, 2, 3, true, 11);
  const OnlineModel model = train_online(*table.some(numbers(0, table.n)).rows, {.bandwidth = 1.0, .features = 20});
  model.save(scratch.path("m"));
  EXPECT_TRUE(OnlineModel::is_file(scratch.path("m")));
  OnlineModel loaded = OnlineModel::load(scratch.path("m"));
  EXPECT_EQ(loaded.bytes(), model.bytes());
  EXPECT_EQ(loaded.choices_digest(), model.choices_digest());
  const Model plain = Model::load(scratch.path("m"));
  plain.save(scratch.path("plain"));
  EXPECT_FALSE(OnlineModel::is_file(scratch.path("plain")));
  EXPECT_THAT(message_of([&] { OnlineModel::load(scratch.path("plain")); }), HasSubstr("keeps no sums"));
  EXPECT_LT(testing_files::read_bytes(scratch.path("plain")).size(), model.bytes().size());
  forget(loaded, *table.some({7, 9}).rows);
  EXPECT_EQ(loaded.rows(), 78u);
}

class Refused : public ::testing::Test {
 protected:
  Refused()
      : table_(100, 2, 2, false, 3),
        model_(train_online(*table_.some(numbers(0, 100)).rows, {.bandwidth = 1.0, .features = 16})),
        before_(model_.bytes()) {}
  ~Refused() override { EXPECT_EQ(model_.bytes(), before_) << "a change that fails leaves the model as it was"; }

  std::string forgetting(const Numbers& rows, const Table& table) {
    return message_of([&] { forget(model_, *table.some(rows).rows); });
  }
  Numbers of_class(double label) const {
    Numbers rows;
    for (std::size_t i = 0; i < table_.n; ++i)
      if (table_.y(i, 0) == label) rows.push_back(i);
    return rows;
  }

  Table table_;
  OnlineModel model_;
  std::string before_;
};

TEST_F(Refused, MoreRowsThanThereAre) {
  EXPECT_THAT(forgetting(numbers(0, 100), table_), HasSubstr("nothing would be left"));
  EXPECT_THAT(forgetting(numbers(0, 101), Table(101, 2, 2, false, 3)), HasSubstr("expected fewer than the 100"));
  Numbers one = of_class(1);
  one.insert(one.end(), one.begin(), one.begin() + 1);
  EXPECT_THAT(forgetting(one, table_), HasSubstr("rows of the class 'class1', expected at most"));
}

TEST_F(Refused, TheLastRowOfTheOtherClass) {
  EXPECT_THAT(forgetting(of_class(1), table_), HasSubstr("every row is of the class 'class0'"));
}

TEST_F(Refused, RowsOfOtherColumnsAndOfOtherClasses) {
  EXPECT_THAT(forgetting({0}, Table(100, 3, 2, false, 3)), HasSubstr("not read by the schema"));
  EXPECT_THAT(forgetting({0}, Table(100, 2, 3, false, 3)), HasSubstr("not read by the schema"));
  Table strange = table_;
  strange.y(4, 0) = 7;
  EXPECT_THAT(message_of([&] { update(model_, *strange.some({4}).rows); }), HasSubstr("class target 7"));
}

TEST_F(Refused, WeightsAboveTheLargest) {
  Table heavy = table_;
  heavy.weighted = true;
  heavy.weights[5] = 8;
  EXPECT_THAT(message_of([&] { update(model_, *heavy.some({5}).rows); }), HasSubstr("its weight is 8 times"));
}

TEST(Online, RowsWithoutWeightsWeighOne) {
  for (const double heavy : {2.0, 0.5}) {
    Table table(80, 2, 0, true, 12);
    for (std::size_t i = 0; i < table.n; ++i) table.weights[i] = i < 5 ? heavy : 1;
    const auto trained = [&] {
      return train_online(*table.some(numbers(0, 80)).rows, {.bandwidth = 1.0, .features = 16});
    };
    OnlineModel with = trained(), without = trained();
    forget(with, *table.some(numbers(10, 20)).rows);
    table.weighted = false;
    forget(without, *table.some(numbers(10, 20)).rows);
    EXPECT_EQ(with.bytes(), without.bytes()) << heavy;
  }
}

TEST_F(Refused, RowsThatWereNeverThere) {
  Table other = table_;
  for (std::size_t i = 0; i < 90; ++i)
    other.y(i, 0) = double(i % 2), other.x(i, 0) = 1e-3 * double(i), other.x(i, 1) = 0;
  Numbers same;  // ninety rows in one place, of which the sums have seen none
  for (std::size_t i = 0; i < 90 && same.size() < 80; ++i) same.push_back(i);
  EXPECT_NE(forgetting(same, other), "");
}

TEST(Online, RefusesWhatIsNoSum) {
  const Table table(60, 2, 0, false, 1);
  const auto refusal = [&](const TrainOptions& options) {
    return message_of([&] { train_online(*table.some(numbers(0, 60)).rows, options); });
  };
  EXPECT_THAT(refusal({.automatic = Effort::fast}), HasSubstr("the automatic machine"));
  EXPECT_THAT(refusal({.map = parse_map_options("fourier+binning")}), HasSubstr("random bins beside"));
  EXPECT_THAT(refusal({.learner = {.learner = Learner::huber}}), HasSubstr("huber is no sum over rows"));
  EXPECT_THAT(refusal({.ridge = {.solver = RidgeOptions::Solver::cg}}), HasSubstr("cholesky"));
  EXPECT_THAT(refusal({.calibrate = true}), HasSubstr("calibrate"));
  EXPECT_THAT(refusal({.execution = {.threads = 1}}), "");
}

TEST(Online, NumbersFarOutsideOfTheRangeAreRefused) {
  Table table(60, 2, 0, false, 1);
  OnlineModel model = train_online(*table.some(numbers(0, 60)).rows, {.map = NoMap{}});
  table.y(3, 0) = 1e4;
  EXPECT_THAT(message_of([&] { update(model, *table.some({3}).rows); }), HasSubstr("row 0: its target is"));
  table.x(4, 1) = -1e6;
  EXPECT_THAT(message_of([&] { update(model, *table.some({4}).rows); }), HasSubstr("row 0: its feature"));
  EXPECT_EQ(model.rows(), 60u);
}

KeptCells cells(const Numbers& rows) {
  KeptCells cells{.columns = {"name"}};
  for (const std::size_t row : rows) cells.lines.push_back("row" + std::to_string(row));
  return cells;
}

TEST(Online, MarksRefuseRowsThatWereNeverThere) {
  const Table table(100, 2, 0, false, 21);
  const Numbers all = numbers(0, 80);
  OnlineModel model = train_online(*table.some(all).rows, {.bandwidth = 1.0, .features = 16});
  KeptCells names = cells(all);
  keep_ids(model, *table.some(all).rows, "name", names);
  EXPECT_EQ(model.ids(), "name");
  const std::string before = model.bytes();
  const auto forgetting = [&](const Numbers& rows, const Numbers& named) {
    KeptCells names = cells(named);
    return message_of([&] { forget(model, *table.some(rows).rows, {}, &names); });
  };
  EXPECT_THAT(forgetting({3, 90}, {3, 90}), HasSubstr("row 1 is not among the rows of the sums, by its 'name'"));
  EXPECT_THAT(forgetting({3}, {4}), HasSubstr("row 0 is not among"));        // right numbers, another name
  EXPECT_THAT(forgetting({5, 5}, {5, 5}), HasSubstr("row 1 is not among"));  // there once
  EXPECT_THAT(message_of([&] { forget(model, *table.some({3}).rows); }), HasSubstr("marks of rows"));
  EXPECT_EQ(model.bytes(), before);
  EXPECT_EQ(forgetting({9, 3}, {9, 3}), "");
  EXPECT_THAT(forgetting({3}, {3}), HasSubstr("row 0 is not among"));
  Numbers rest;
  for (const std::size_t i : all)
    if (i != 3 && i != 9) rest.push_back(i);
  std::reverse(rest.begin(), rest.end());
  KeptCells rest_names = cells(rest);
  EXPECT_EQ(model.bytes(), train_as(model, *table.some(rest).rows, {}, &rest_names).bytes());
}

TEST(Online, SaysWhichChoicesRowsMade) {
  const Table table(80, 2, 0, false, 2);
  TrainOptions options{.bandwidth = 1.0, .features = 16};
  options.ridge.lambdas = {1e-3};
  const auto from = [](const OnlineModel& model, const std::string& name) {
    for (const Choice& choice : model.choices())
      if (choice.name == name) return choice.from;
    return std::string("nobody");
  };
  const OnlineModel told = train_online(*table.some(numbers(0, 80)).rows, options);
  EXPECT_EQ(from(told, "lambda"), "options");
  EXPECT_EQ(from(told, "bandwidth"), "options");
  EXPECT_EQ(from(told, "scaling"), "rows");
  EXPECT_EQ(from(told, "landmarks"), "nobody");
  const OnlineModel searched = train_online(*table.some(numbers(0, 80)).rows, {.map = Nystroem{}}, "public.csv");
  for (const char* name : {"lambda", "bandwidth", "scaling", "landmarks"})
    EXPECT_EQ(from(searched, name), "public.csv");

  OnlineModel model = train_as(told, *table.some(numbers(0, 80)).rows);
  const Receipt receipt = forget(model, *table.some({1}).rows);
  EXPECT_THAT(receipt.json(), HasSubstr("forgotten rows may have influenced: "));
  OnlineModel of_public = train_as(searched, *table.some(numbers(0, 40)).rows);
  EXPECT_TRUE(forget(of_public, *table.some({1}).rows).notes.empty());
}

TEST(Online, DamagedSumsAreRefused) {
  const Table table(60, 2, 2, false, 8);
  OnlineModel model = train_online(*table.some(numbers(0, 60)).rows, {.bandwidth = 1.0, .features = 16});
  KeptCells names = cells(numbers(0, 60));
  keep_ids(model, *table.some(numbers(0, 60)).rows, "name", names);
  const std::string bytes = model.bytes();
  const auto damaged = [&](const auto& change) {
    Archive archive = archive_of_bytes(bytes, "m");
    change(archive);
    return message_of([&] { OnlineModel::of_bytes(archive_bytes(archive), "m"); });
  };
  EXPECT_EQ(damaged([](Archive&) {}), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["lambda"] = -1; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["weight_unit"] = 0; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["gram"]["features"] = 17; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["gram"]["bound"] = 1e-3; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["gram"]["rows"] = 61; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["gram"].erase("products"); }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["gram"]["targets"]["classes"] = 3; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["class_rows"] = {1, 2}; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["class_rows"] = {-1, 61}; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"]["choices"] = 3; }), "");
  EXPECT_NE(damaged([](Archive& a) { a.tree["kept_sum"].erase("intercept"); }), "");
  EXPECT_NE(damaged([](Archive& a) { a.arrays.erase("kept_sum.rows.marks"); }), "");
  EXPECT_NE(damaged([](Archive& a) { a.arrays.erase("kept_sum.gram.target_sums"); }), "");
}

TEST(Sha256, MeetsTheStandardsExamples) {
  const auto digest = [](const std::string& text, std::size_t piece) {
    Sha256 hash;
    for (std::size_t i = 0; i < text.size(); i += piece) hash.add(std::string_view(text).substr(i, piece));
    return hash.hex();
  };
  EXPECT_EQ(digest("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc", 2), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  for (const std::size_t piece : {1, 7, 55, 56})
    EXPECT_EQ(digest(two, piece), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  const std::string million(1000000, 'a');
  for (const std::size_t piece : {63, 64, 65, 100000})
    EXPECT_EQ(digest(million, piece), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace bochner
