// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/frame.h"

#include <cmath>
#include <limits>

#include "rows/rows_testing.h"

namespace bochner {
namespace {

using Type = FrameColumn::Type;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// 60 rows: an age with gaps, a city, a day, a flag, and the file that means the same.
struct People {
  std::vector<double> age, wage;
  std::vector<std::int32_t> city;
  std::vector<std::int64_t> day;
  std::vector<std::uint8_t> flag, no_city;
  std::vector<std::string> cities{"Rome", "Bern", "NA ", "7"};
  std::string csv = "age,city,day,flag,wage\n";

  People() {
    for (int i = 0; i < 60; ++i) {
      age.push_back(i % 3 == 0 ? kNaN : 20.1 + i);
      city.push_back(i % 7 == 5 ? -1 : i % 2);
      day.push_back(std::int64_t(1000 + i) * 86400 + 3600 * (i % 5));
      flag.push_back(i % 4 == 0);
      wage.push_back(0.25 * i * i);
      csv += (i % 3 == 0 ? "" : std::to_string(20 + i) + ".1") + "," +
             (city.back() < 0 ? "" : cities[std::size_t(city.back())]) + "," + date(1000 + i) + "T0" +
             std::to_string(i % 5) + ":00," + std::to_string(int(flag.back())) + "," + std::to_string(wage.back()) +
             "\n";
    }
  }
  static std::string date(int days) {  // 1000 is 1972-09-27
    static const int lengths[] = {4, 31, 30};
    int month = 9, at = days - 1000 + 27;
    for (int length = 30; at > length; length = lengths[month - 9]) at -= length, ++month;
    return "1972-" + std::string(month < 10 ? "0" : "") + std::to_string(month) + (at < 10 ? "-0" : "-") +
           std::to_string(at);
  }
  Frame frame() const {
    Frame frame{.rows = age.size()};
    frame.columns = {{.name = "age", .cells = age.data()},
                     {.name = "city", .type = Type::codes, .cells = city.data(), .levels = cities},
                     {.name = "day", .type = Type::i64, .cells = day.data(), .ticks_per_day = 86400, .dates = true},
                     {.name = "flag", .type = Type::boolean, .cells = flag.data()}};
    frame.targets = {wage.data(), wage.size(), 1, 1};
    frame.target_names = {"wage"};
    return frame;
  }
};

TEST(Frame, HasTheSchemaAndTheRowsOfTheFileThatMeansTheSame) {
  const People people;
  const TempFile file(people.csv);
  const auto expected = open_rows(file.path(), {.targets = {"wage"}, .task = Task::regression});
  const auto rows = frame_rows(people.frame());
  EXPECT_EQ(rows->schema(), expected->schema());
  EXPECT_TRUE(rows->schema().columns[0].marked);
  EXPECT_EQ(rows->counts().missing, expected->counts().missing);
  for (const std::size_t block : {1, 7, 60, 1024}) {
    EXPECT_EQ(read_table<double>(*rows, block), read_table<double>(*expected));
    EXPECT_EQ(read_table<float>(*rows, block), read_table<float>(*expected));
  }
}

TEST(Frame, NewRowsAreReadByTheSchemaOfAFileAndTheOtherWayRound) {
  const People people;
  const TempFile file(people.csv);
  Frame inputs = people.frame();
  inputs.targets = {};
  inputs.target_names = {};
  std::swap(inputs.columns[0], inputs.columns[3]);  // found by their names
  const auto schema = frame_rows(people.frame())->schema();
  const auto from_file = open_rows(file.path(), schema, {.target_required = false});
  const auto from_frame = frame_rows(inputs, schema);
  EXPECT_EQ(read_table<double>(*from_frame).x, read_table<double>(*from_file).x);
}

TEST(Frame, TextsAreLevelsWhateverTheyLookLike) {
  const std::vector<std::int32_t> codes{0, 1, 2, 3, 4, 0, -1};
  std::vector<double> y(7);
  Frame frame{.rows = 7};
  frame.columns = {{.name = "c", .type = Type::codes, .cells = codes.data(), .levels = {"12", "NA", " x", "x", "1,5"}}};
  frame.targets = {y.data(), 7, 1, 1};
  const auto rows = frame_rows(frame);
  EXPECT_EQ(rows->schema().columns[0].kind, Column::Kind::category);
  EXPECT_THAT(rows->schema().columns[0].levels, ElementsAre("", " x", "1,5", "12", "NA", "x"));
  const Table table = read_table<double>(*rows);
  EXPECT_THAT(table.x[1], ElementsAre(0, 0, 0, 0, 1, 0));
  EXPECT_THAT(table.x[6], ElementsAre(1, 0, 0, 0, 0, 0));
  frame.targets = {};
  EXPECT_EQ(read_table<double>(*frame_rows(frame, rows->schema())).x, table.x);
}

TEST(Frame, TextsOfTheirOwnAreIgnoredUnlessTheyAreACategory) {
  std::vector<std::int32_t> codes(40);
  std::vector<double> y(40), x(40);
  std::vector<std::string> names, numbers;
  for (int i = 0; i < 40; ++i) {
    codes[std::size_t(i)] = i;
    names.push_back("name " + std::to_string(i));
    numbers.push_back(std::to_string(i) + ".5");
  }
  Frame frame{.rows = 40};
  frame.columns = {{.name = "x", .cells = x.data()},
                   {.name = "id", .type = Type::codes, .cells = codes.data(), .levels = names}};
  frame.targets = {y.data(), 40, 1, 1};
  const auto ignored = frame_rows(frame);
  EXPECT_EQ(ignored->schema().inputs, 1u);
  EXPECT_TRUE(ignored->schema().columns[1].identifier);
  ASSERT_EQ(ignored->notes().size(), 1u);
  EXPECT_THAT(ignored->notes()[0], HasSubstr("id: 40 texts in 40 rows, ignored"));
  frame.columns[1].category = true;
  EXPECT_EQ(frame_rows(frame)->schema().inputs, 41u);
  frame.columns[1].category = false;
  frame.columns[1].levels = numbers;
  EXPECT_THAT(error_of([&] { frame_rows(frame); }), HasSubstr("'id' holds numbers as text, such as '0.5'"));
}

TEST(Frame, EveryTypeAndStepIsRead) {
  const std::vector<float> f{1, 2, 3};
  const std::vector<std::int16_t> s{-1, 9, -2, 9, -3, 9};
  const std::vector<std::uint64_t> u{1, 2, 3};
  const std::vector<std::uint8_t> missing{0, 1, 0};
  Frame frame{.rows = 3, .named = false};
  frame.columns = {{.type = Type::f32, .cells = f.data() + 2, .step = -4},
                   {.type = Type::i16, .cells = s.data(), .step = 4},
                   {.type = Type::u64, .cells = u.data(), .missing = missing.data()}};
  const auto rows = frame_rows(frame);
  EXPECT_FALSE(rows->schema().header);
  EXPECT_THAT(read_table<double>(*rows).x,
              ElementsAre(ElementsAre(3, -1, 1), ElementsAre(2, -2, 2), ElementsAre(1, -3, 3)));
  EXPECT_EQ(rows->counts().missing, 1u);
}

TEST(Frame, TimesKeepTheirParts) {
  const std::vector<std::int64_t> ticks{-1, 86400000, std::numeric_limits<std::int64_t>::min()};
  Frame frame{.rows = 3};
  frame.columns = {{.name = "t", .type = Type::i64, .cells = ticks.data(), .ticks_per_day = 86400e3}};
  const auto rows = frame_rows(frame);
  const Table table = read_table<double>(*rows);
  EXPECT_DOUBLE_EQ(table.x[0][0], -0.001 / 86400);
  EXPECT_EQ(table.x[1][0], 1.0);
  EXPECT_EQ(table.x[2][0], rows->schema().columns[0].fill);
}

TEST(Frame, NumbersMeetLevelsAndTextsMeetNumbers) {
  const TempFile file("flag,n,y\nTrue,1.5,0\nFalse,2.5,1\nTrue,-,2\n");
  const auto schema = open_rows(file.path(), {.targets = {"y"}, .task = Task::regression})->schema();
  const std::vector<std::uint8_t> flag{1, 0};
  const std::vector<std::int32_t> n{1, 0};
  Frame frame{.source = "X", .rows = 2};
  frame.columns = {{.name = "flag", .type = Type::boolean, .cells = flag.data()},
                   {.name = "n", .type = Type::codes, .cells = n.data(), .levels = {" 2.5", "none"}}};
  EXPECT_THAT(read_table<double>(*frame_rows(frame, schema)).x,
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 0, 2.5)));
  frame.columns[1].levels = {"2.5", "many"};
  EXPECT_THAT(error_of([&] { read_table<double>(*frame_rows(frame, schema)); }),
              HasSubstr("X: row 0 (from 0): 'many' in column 'n', expected a number as in training"));
}

TEST(Frame, TargetsOfNewRowsAreLearntWithTheSchemaOfTraining) {
  const People people;
  Frame frame = people.frame();
  const auto schema = frame_rows(frame)->schema();
  const Table first = read_table<double>(*frame_rows(frame)), again = read_table<double>(*frame_rows(frame, schema));
  EXPECT_EQ(again.x, first.x);
  EXPECT_EQ(again.y, first.y);
  frame.targets.cols = 2;
  frame.targets.stride = 2;
  EXPECT_THROW(frame_rows(frame, schema), std::invalid_argument);
}

TEST(Frame, UnknownLevelsAreCountedAndOddCellsRefusedByName) {
  const People people;
  Frame frame = people.frame();
  frame.targets = {};
  const auto schema = frame_rows(people.frame())->schema();
  frame.columns[1].levels = {"Oslo", "Bern"};
  const auto rows = frame_rows(frame, schema);
  read_table<double>(*rows);
  EXPECT_EQ(rows->counts().unknown, "city=Oslo");
  EXPECT_GT(rows->counts().unknown_rows, 20u);
  std::vector<double> far(people.age.size(), 1e300);
  frame.columns[0].cells = far.data();
  EXPECT_THAT(error_of([&] { read_table<float>(*frame_rows(frame, schema)); }),
              HasSubstr("1e+300 in column 'age' is beyond"));
  far[3] = HUGE_VAL;
  EXPECT_THAT(error_of([&] { frame_rows(frame); }),
              HasSubstr("row 3 (from 0): inf in column 'age', expected a finite number"));
  frame.columns.pop_back();
  EXPECT_THAT(error_of([&] { frame_rows(frame, schema); }), HasSubstr("the columns flag are missing"));
}

TEST(Frame, ATargetNamedAsAnInputAndClassesAreKept) {
  const std::vector<double> x{1, 2}, y{1, 0};
  Frame frame{.rows = 2};
  frame.columns = {{.name = "target", .cells = x.data()}};
  frame.targets = {y.data(), 2, 1, 1};
  frame.labels = {"NA", " a"};
  const auto rows = frame_rows(frame);
  EXPECT_EQ(rows->schema().columns[1].name, "target.1");
  EXPECT_EQ(rows->schema().task, Task::classification);
  EXPECT_THAT(read_table<double>(*rows).y, ElementsAre(ElementsAre(1), ElementsAre(0)));
  frame.labels = {"one"};
  EXPECT_THROW(frame_rows(frame), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
