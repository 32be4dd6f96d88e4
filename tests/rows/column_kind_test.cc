// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/column_kind.h"

#include <fmt/format.h>

#include <functional>

#include "rows/csv_rows.h"
#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = Column::Kind;
using Dates = Column::Dates;

// A table of one input, "a", and a numeric target.
std::string table(int rows, const std::function<std::string(int)>& cell, char delimiter = ',') {
  std::string text = fmt::format("a{}y\n", delimiter);
  for (int i = 0; i < rows; ++i) text += fmt::format("{}{}{}\n", cell(i), delimiter, 3 * i + 1);
  return text;
}

const RowsOptions kTargetY{.targets = {"y"}, .task = Task::regression};

Column column_of(const std::string& text, const RowsOptions& options = kTargetY) {
  const TempFile file(text);
  return open_rows(file.path(), options)->schema().columns[0];
}
std::vector<std::string> notes_of(const std::string& text, const RowsOptions& options = kTargetY) {
  const TempFile file(text);
  return open_rows(file.path(), options)->notes();
}
std::string refusal_of(const std::string& text, const RowsOptions& options = kTargetY) {
  return error_of_reading(TempFile(text), options);
}

// --- numbers among which there is text ---

TEST(ColumnKind, WordsAmongMeasurementsCountAsMissing) {
  for (const int every : {50, 10, 4, 2}) {
    const auto cell = [&](int i) { return i % every == 1 ? "unknown" : fmt::format("{}.5", i); };
    const TempFile file(table(200, cell)), blank(table(200, [&](int i) { return i % every == 1 ? "" : cell(i); }));
    const auto rows = open_rows(file.path(), kTargetY), without = open_rows(blank.path(), kTargetY);
    Column expected = without->schema().columns[0];
    expected.mixed = true;
    EXPECT_EQ(rows->schema().columns[0], expected) << every;
    EXPECT_EQ(expected.marked, 200 / every >= 20);
    EXPECT_EQ(read_table(*rows).x, read_table(*without).x);
    EXPECT_THAT(rows->notes(), ElementsAre(fmt::format("a: {} numbers and {} texts such as 'unknown', which count as "
                                                       "missing; categories = a to take the column as text",
                                                       200 - 200 / every, 200 / every)));
  }
  RowsOptions options = kTargetY;
  const std::string mostly = table(200, [](int i) { return i % 5 ? "unknown" : fmt::format("{}", i); });
  EXPECT_TRUE(column_of(mostly).mixed);
  options.categories = {"a"};
  EXPECT_EQ(column_of(mostly, options).kind, Kind::category);
  options = kTargetY;
  options.missing_values = {"unknown"};
  EXPECT_FALSE(column_of(mostly, options).mixed);
}

TEST(ColumnKind, NewFilesMayHaveOtherWordsAmongTheNumbers) {
  const TempFile file(table(60, [](int i) { return i % 3 ? fmt::format("{}.5", i) : "other"; }));
  const auto rows = open_rows(file.path(), kTargetY);
  const double mean = rows->schema().columns[0].fill;
  const TempFile fresh("a\n2\nunheard of\n\"\"\n");
  const RowsOptions predicting{.target_required = false};
  EXPECT_THAT(read_table(*open_rows(fresh.path(), rows->schema(), predicting)).x,
              ElementsAre(ElementsAre(2, 0), ElementsAre(float(mean), 1), ElementsAre(float(mean), 1)));
  const TempFile written("a\n$5\n");
  EXPECT_THAT(error_of([&] { read_table(*open_rows(written.path(), rows->schema(), predicting)); }),
              HasSubstr("'$5' in column 'a', expected a number"));
}

TEST(ColumnKind, TextThatLooksLikeAMistakeIsRefused) {
  const auto with = [](const std::string& text, int every) {
    return table(200, [&](int i) { return i % every == 1 ? text : fmt::format("{}.5", i); });
  };
  EXPECT_THAT(refusal_of(with("unknown", 200)),  // one cell
              AllOf(HasSubstr(":3:1: 'unknown' in column 'a', expected a number as in 199 of 200 cells"),
                    HasSubstr("missing_values = unknown"), HasSubstr("categories = a")));
  EXPECT_THAT(refusal_of(with("a", 50)), HasSubstr("'a' in column 'a'"));  // a header again
  EXPECT_THAT(refusal_of(with("$5.20", 50)), HasSubstr("'$5.20' in column 'a'"));
  for (const Missing rule : {Missing::error, Missing::drop}) {
    RowsOptions options = kTargetY;
    options.missing = rule;
    EXPECT_THAT(refusal_of(with("unknown", 10), options), HasSubstr("'unknown' in column 'a'"));
  }
}

TEST(ColumnKind, CodesWithLettersAreTextAndSaid) {
  const auto codes = [](int i) {
    return i % 3 ? fmt::format("{}{}", i % 40, "ABC"[i % 3]) : fmt::format("{}", i % 40);
  };
  EXPECT_EQ(column_of(table(400, codes)).kind, Kind::category);
  EXPECT_THAT(notes_of(table(400, codes)), ElementsAre("a: 134 numbers and 266 texts such as '1B', all taken as text"));
  const auto ticket = [](int i) { return i % 4 ? fmt::format("{}", 113000 + i % 150) : fmt::format("A/5 {}", i % 90); };
  EXPECT_EQ(column_of(table(400, ticket)).kind, Kind::category);
  const auto children = [](int i) { return i % 4 == 3 ? std::string("3+") : fmt::format("{}", i % 4); };
  EXPECT_THAT(column_of(table(100, children)).levels, ElementsAre("0", "1", "2", "3+"));
}

TEST(ColumnKind, AWordAmongFewWholeNumbersCountsAsMissing) {
  const auto cell = [](int i) { return i % 4 == 3 ? std::string("err") : fmt::format("{}", i % 2); };
  EXPECT_TRUE(column_of(table(100, cell)).mixed);
}

// --- identifiers and many levels ---

TEST(ColumnKind, IdentifiersAreIgnoredAndSaid) {
  const auto id = [](int i) { return fmt::format("user-{}", i); };
  const std::string text = "b," + table(400, [&](int i) { return fmt::format("{},{}", i % 9, id(i)); });
  const TempFile file(text);
  const auto rows = open_rows(file.path(), kTargetY);
  EXPECT_EQ(rows->schema().columns[1].kind, Kind::ignored);
  EXPECT_TRUE(rows->schema().columns[1].identifier);
  EXPECT_THAT(rows->notes(), ElementsAre("a: 400 levels in 400 rows, ignored; categories = a keeps it"));
  EXPECT_THAT(read_table(*rows).x[11], ElementsAre(2));
  const TempFile without("b,y\n7,1\n");
  EXPECT_THAT(read_table(*open_rows(without.path(), rows->schema())).x, ElementsAre(ElementsAre(7)));
  RowsOptions keep = kTargetY;
  keep.categories = {"a"};
  EXPECT_EQ(open_rows(file.path(), keep)->schema().inputs, 257u);
  EXPECT_THAT(refusal_of(table(400, id)), AllOf(HasSubstr("no column is left as an input"), HasSubstr("categories")));
}

TEST(ColumnKind, FewRowsOfDifferentTextsAreNoIdentifiers) {
  EXPECT_EQ(column_of("a,y\nu,1\nv,2\nw,4\n").kind, Kind::category);
}

TEST(ColumnKind, LevelsBeyondTheLimitAreSaid) {
  const auto city = [](int i) { return fmt::format("city {}", i < 100 ? 0 : i % 40); };
  RowsOptions few = kTargetY;
  few.max_levels = 10;
  EXPECT_THAT(notes_of(table(200, city), few),
              ElementsAre("a: 40 levels, the 10 most frequent kept (64 % of the rows); max_levels changes it"));
  EXPECT_EQ(column_of(table(200, city), few).levels.size(), 10u);
  EXPECT_THAT(notes_of(table(200, city)), ElementsAre());
}

TEST(ColumnKind, ManyLevelsAreCodedForTheAutomaticMachine) {
  RowsOptions automatic = kTargetY;
  automatic.max_levels = 0;
  const auto few = [](int i) { return fmt::format("city {}", i % 256); };
  EXPECT_EQ(column_of(table(600, few), automatic), column_of(table(600, few)));
  const auto many = [](int i) { return i == 7 ? std::string() : fmt::format("city {}", i < 100 ? 500 : i % 300); };
  const TempFile file(table(600, many));
  const auto rows = open_rows(file.path(), automatic);
  const Column& column = rows->schema().columns[0];
  EXPECT_EQ(column.kind, Kind::numeric);
  ASSERT_EQ(column.levels.size(), 302u);  // a missing cell is a level
  EXPECT_EQ(column.levels[0], "city 500");
  EXPECT_EQ(rows->schema().inputs, 1u);
  EXPECT_THAT(rows->notes()[0], HasSubstr("a: 301 levels, taken by the mean of the target"));
  const auto x = read_table(*rows).x;
  EXPECT_EQ(x[0][0], 1);
  EXPECT_EQ(column.levels[std::size_t(x[7][0]) - 1], "");
  EXPECT_EQ(column.levels[std::size_t(x[599][0]) - 1], "city 299");
  const TempFile other("a,y\ncity 299,1\nnowhere,2\n\"\",3\n");
  const auto again = open_rows(other.path(), rows->schema());
  const auto codes = read_table(*again).x;
  EXPECT_EQ(codes[0][0], x[599][0]);
  EXPECT_EQ(codes[1][0], 0);
  EXPECT_EQ(codes[2][0], x[7][0]);
  EXPECT_EQ(again->counts().unknown, "a=nowhere");
}

// --- dates ---

TEST(ColumnKind, DatesAreDays) {
  const std::string text = "a,y\n2024-03-31,1\n2024-04-02,2\nNaT,3\n2024-04-01 12:00,4\n";
  const TempFile file(text);
  const auto rows = open_rows(file.path(), kTargetY);
  EXPECT_EQ(rows->schema().columns[0].dates, Dates::year_first);
  EXPECT_THAT(rows->notes()[0], HasSubstr("a: dates, taken as days since 1970-01-01"));
  EXPECT_THAT(read_table(*rows).x,
              ElementsAre(ElementsAre(19813), ElementsAre(19815), ElementsAre(19814 + 0.5 / 3), ElementsAre(19814.5)));
  EXPECT_THAT(read_table<float>(*rows).x[3], ElementsAre(19814.5));
  const TempFile number("a,y\n2024,1\n"), words("a,y\nsoon,1\n"), empty("a,y\n-,1\n");
  const auto read = [&](const TempFile& later) { return read_table(*open_rows(later.path(), rows->schema())); };
  EXPECT_THAT(error_of([&] { read(number); }), HasSubstr(":2:1: '2024' in column 'a', expected a date"));
  EXPECT_THAT(error_of([&] { read(words); }), HasSubstr("expected a date"));
  EXPECT_EQ(read(empty).x[0][0], rows->schema().columns[0].fill);
  RowsOptions category = kTargetY;
  category.categories = {"a"};
  EXPECT_EQ(column_of(text, category).levels.size(), 4u);
}

TEST(ColumnKind, DayAndMonthAreTakenAsTheColumnShows) {
  EXPECT_EQ(column_of("a,y\n03/04/2024,1\n25/04/2024,2\n").dates, Dates::day_first);
  EXPECT_EQ(column_of("a,y\n03/04/2024,1\n04/25/2024,2\n").dates, Dates::month_first);
  EXPECT_EQ(column_of("a,y\n03.04.2024,1\n04.05.2024,2\n").dates, Dates::day_first);
  const std::string unclear = "a,y\n03/04/2024,1\n05/06/2024,2\n";
  EXPECT_THAT(refusal_of(unclear), AllOf(HasSubstr(":2:1: '03/04/2024'"), HasSubstr("date_order = dmy or mdy")));
  RowsOptions options = kTargetY;
  options.date_order = Dates::month_first;
  EXPECT_EQ(column_of(unclear, options).dates, Dates::month_first);
  EXPECT_EQ(column_of("a,y\n25/04/2024,1\n03/04/2024,2\n", options).dates, Dates::day_first);
  const TempFile file("a,y\n25/04/2024,1\n03/04/2024,2\n");
  EXPECT_EQ(read_table(*open_rows(file.path(), options)).x[1][0], 19816);  // 3 April
  // Both orders in one column are no dates at all.
  EXPECT_EQ(column_of("a,y\n25/04/2024,1\n04/25/2024,2\n").kind, Kind::category);
}

// --- numbers as people write them ---

TEST(ColumnKind, DecimalCommasAreFoundWhereTheyAreSure) {
  const std::string text = "a;b;y\n1,25;3;0,5\n-2,5;4;1,5\n?;5;2,5\n";
  const TempFile file(text), tabs("a\tb\ty\n1,25\t3\t0,5\n-2,5\t4\t1,5\n?\t5\t2,5\n");
  for (const TempFile* each : {&file, &tabs}) {
    const auto rows = open_rows(each->path(), {.targets = {"y"}});
    EXPECT_EQ(rows->schema().decimal, ',');
    EXPECT_EQ(rows->schema().task, Task::regression);
    EXPECT_THAT(rows->notes()[0], HasSubstr("decimal comma, as in a, y"));
    const Table wanted{{{1.25, 3}, {-2.5, 4}, {-0.625, 5}}, {{0.5}, {1.5}, {2.5}}, {}};
    EXPECT_EQ(read_table(*rows), wanted);
    EXPECT_EQ(read_table<float>(*rows), wanted);
    EXPECT_EQ(read_table(*open_rows(each->path(), rows->schema())), wanted);
  }
  const TempFile points("a,b,y\n1.25,3,0.5\n");
  const Schema schema = open_rows(file.path(), {.targets = {"y"}})->schema();
  EXPECT_THAT(error_of([&] { read_table(*open_rows(points.path(), schema)); }), HasSubstr("decimal = '.'"));
  EXPECT_EQ(read_table(*open_rows(points.path(), schema, {.decimal = '.'})).x[0][0], 1.25);
}

TEST(ColumnKind, HeaderlessRowsWithDecimalCommasLoseNone) {
  for (const char* text : {"1,25;0,5\n2,5;1,5\n3,75;2,5\n", "1,25\t0,5\n2,5\t1,5\n3,75\t2,5\n"}) {
    const TempFile file(text);
    const auto rows = open_rows(file.path(), {.targets = {"1"}});
    EXPECT_THAT(read_table(*rows).x, ElementsAre(ElementsAre(1.25), ElementsAre(2.5), ElementsAre(3.75)));
  }
}

TEST(ColumnKind, DatesMayBeNamesOfColumnsToo) {
  const TempFile pivot("y,2024-01-01,2024-01-02\n0.5,1,2\n1.5,3,4\n");
  EXPECT_THAT(open_rows(pivot.path(), kTargetY)->schema().input_names(), ElementsAre("2024-01-01", "2024-01-02"));
  const TempFile bare("2024-01-01,1.5\n2024-01-02,2.5\n2024-01-05,4\n");
  const auto rows = open_rows(bare.path(), {.targets = {"1"}});
  EXPECT_EQ(rows->size(), 3u);
  EXPECT_EQ(read_table(*open_rows(bare.path(), rows->schema())).x.size(), 3u);
  const TempFile named("when,t\n2024-01-01,u\n2024-01-02,u\n2024-01-05,v\n");
  EXPECT_EQ(open_rows(named.path(), {.targets = {"1"}})->size(), 3u);
}

TEST(ColumnKind, CommasThatMayBeThousandsAreRefused) {
  const std::string text = table(
      30, [](int i) { return fmt::format("{},{:03}", i + 1, i); }, ';');
  EXPECT_THAT(refusal_of(text), AllOf(HasSubstr(":2:1: '1,000' in column 'a'"), HasSubstr("decimal = ','")));
  RowsOptions comma = kTargetY;
  comma.decimal = ',';
  const TempFile file(text);
  EXPECT_EQ(read_table(*open_rows(file.path(), comma)).x[1][0], 2.001);
  // Quoted in a file of commas.
  const std::string quoted = table(30, [](int i) { return fmt::format("\"{},{}\"", i, i % 10); });
  EXPECT_THAT(refusal_of(quoted), HasSubstr("decimal = ','"));
  const TempFile quoted_file(quoted);
  EXPECT_EQ(read_table(*open_rows(quoted_file.path(), comma)).x[12][0], 12.2);
}

TEST(ColumnKind, PointsAndCommasInOneFileAreRefused) {
  EXPECT_THAT(refusal_of("a;b;y\n1,25;1.5;1\n2,5;2.5;2\n"),
              AllOf(HasSubstr("'1.5' in column 'b'"), HasSubstr("decimal =")));
}

TEST(ColumnKind, AmountsInTheTargetAreNoClasses) {
  const auto target = [](const char* form) {
    std::string text = "a,y\n";
    for (int i = 0; i < 40; ++i) text += fmt::format("{},\"{}\"\n", i, fmt::format(fmt::runtime(form), i % 4));
    return text;
  };
  const RowsOptions unsaid{.targets = {"y"}};
  for (const char* form : {"{}%", "{}.5 %", "${}", "{} EUR", "1,{}50,000"}) {
    EXPECT_THAT(refusal_of(target(form), unsaid),
                AllOf(HasSubstr("in column 'y', expected a plain number"), HasSubstr("task = classification")))
        << form;
    RowsOptions classes = unsaid;
    classes.task = Task::classification;
    const TempFile file(target(form));
    EXPECT_EQ(open_rows(file.path(), classes)->schema().labels.size(), 4u) << form;
    EXPECT_THAT(open_rows(file.path(), classes)->notes(), IsEmpty()) << form;
  }
  // Names of classes may look like these, but it is said.
  for (const char* form : {"{} doors", "{}wd"})
    EXPECT_THAT(notes_of(target(form), unsaid)[0], AllOf(HasSubstr("target y: '0"), HasSubstr("taken as classes")))
        << form;
}

TEST(ColumnKind, NumbersWithUnitsAreRefusedWhereTheyAreMany) {
  for (const char* form : {"{}%", "${}", "{} kg", "{}cm", "1,{:03},000"}) {
    const std::string text = table(60, [&](int i) { return '"' + fmt::format(fmt::runtime(form), i) + '"'; });
    EXPECT_THAT(refusal_of(text), AllOf(HasSubstr("expected a plain number"), HasSubstr("categories = a"))) << form;
  }
  const std::string few = table(60, [&](int i) { return fmt::format("{} GB", 16 << i % 3); });
  EXPECT_EQ(column_of(few).levels.size(), 3u);
  EXPECT_THAT(notes_of(few)[0], HasSubstr("'16 GB' and the like taken as text"));
}

// --- targets ---

TEST(TargetKind, NumbersInDisguiseAreNoClasses) {
  const auto refusal = [](const std::function<std::string(int)>& target) {
    std::string text = "a,y\n";
    for (int i = 0; i < 300; ++i) text += fmt::format("{},\"{}\"\n", i, target(i));
    return refusal_of(text, {.targets = {"y"}});
  };
  EXPECT_THAT(refusal([](int i) { return fmt::format("{},{}", i % 50, i % 10); }), HasSubstr("decimal = ','"));
  EXPECT_THAT(refusal([](int i) { return fmt::format("{},{}", i % 3, i % 2); }), HasSubstr("decimal = ','"))
      << "6 kinds";
  EXPECT_THAT(refusal([](int i) { return fmt::format("{}%", i % 50); }), HasSubstr("without '%'"));
  EXPECT_THAT(refusal([](int i) { return fmt::format("{}", fmt::format("2024-01-{:02}", 1 + i % 28)); }),
              HasSubstr("dates"));
  EXPECT_THAT(refusal([](int i) { return i % 3 ? fmt::format("{}.5", i) : "unknown"; }),
              AllOf(HasSubstr(":2:3: 'unknown'"), HasSubstr("missing = drop")));
}

TEST(TargetKind, TooManyClassesAreRefusedUnlessAskedFor) {
  std::string text = "a,y\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("{},name {}\n", i, i % 30);
  EXPECT_THAT(refusal_of(text, {.targets = {"y"}}),
              AllOf(HasSubstr("the target 'y' has 30 different texts in 50 rows"), HasSubstr("task = classification")));
  const TempFile file(text);
  EXPECT_EQ(open_rows(file.path(), {.targets = {"y"}, .task = Task::classification})->schema().labels.size(), 30u);
  std::string many = "a,y\n";
  for (int i = 0; i < 3003; ++i) many += fmt::format("{},name {}\n", i, i % 1001);
  EXPECT_THAT(refusal_of(many, {.targets = {"y"}}), HasSubstr("1001 different texts"));
}

// --- whatever it is, it does not depend on how the file is cut ---

TEST(ColumnKind, AndNotesAreTheSameForAnyChunksAndThreads) {
  std::string text = "id;when;size;code;gap;y\n";
  for (int i = 0; i < 500; ++i)
    text += fmt::format("u{};{}/{}/2024;{},{};{};{};{}\n", i, 1 + i % 12, 1 + i % 28, i, i % 10,
                        i % 3 ? fmt::format("{}{}", i % 40, "XYZ"[i % 3]) : fmt::format("{}", i % 40),
                        i % 7 ? fmt::format("{}", i) : "none", i % 4 ? "yes" : "no");
  const TempFile file(text);
  for (const Missing missing : {Missing::mean, Missing::drop}) {
    const RowsOptions options{.targets = {"y"}, .missing = missing, .threads = 1};
    const auto reference = open_csv(file.path(), options);
    const Table wanted = read_table(*reference);
    for (const std::size_t chunk : {100, 1000, 100000})
      for (const int threads : {1, 3}) {
        RowsOptions more = options;
        more.threads = threads;
        const auto rows = open_csv(file.path(), more, {.chunk = chunk, .piece = 1 + chunk / 3});
        EXPECT_EQ(rows->notes(), reference->notes());
        EXPECT_EQ(read_table(*rows).y, wanted.y);
        ASSERT_EQ(rows->schema().columns.size(), 6u);
        for (std::size_t c = 0; c < 6; ++c)
          EXPECT_EQ(rows->schema().columns[c].kind, reference->schema().columns[c].kind);
      }
  }
}

}  // namespace
}  // namespace bochner
