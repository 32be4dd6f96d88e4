// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <cmath>

#include "rows/cell_rules.h"
#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kAnywhere[] = {"?", "NA", "N/A", "#N/A", "n/a", "null", "NULL", "NaN", "nan", "-nan", "<NA>"};
const char* const kAmongNumbers[] = {"-", "--", ".", "na", "None", "none", "missing", "Missing", "NAN", "N.A."};

TEST(MissingCells, UsualSpellingsAmongNumbersAreFilledByTheMean) {
  std::vector<std::string> words = {""};
  words.insert(words.end(), std::begin(kAnywhere), std::end(kAnywhere));
  words.insert(words.end(), std::begin(kAmongNumbers), std::end(kAmongNumbers));
  for (const std::string& word : words) {
    const TempFile file(fmt::format("a,b,y\n1,1,0.5\n{},2,1.5\n5,3,2.5\n", word));
    const auto rows = open_rows(file.path(), {.targets = {"y"}});
    EXPECT_EQ(rows->schema().inputs, 2u) << word;
    EXPECT_THAT(read_table(*rows).x, ElementsAre(ElementsAre(1, 1), ElementsAre(3, 2), ElementsAre(5, 3))) << word;
    EXPECT_THAT(rows->notes(), ElementsAre("missing of 3 cells: 1 in a; the mean stands in for them")) << word;
    const auto again = open_rows(file.path(), rows->schema());
    EXPECT_EQ(read_table(*again).x[1][0], 3) << word;
    EXPECT_THAT(error_of_reading(file, {.targets = {"y"}, .missing = Missing::error}), HasSubstr(":3:1: column 'a'"));
    EXPECT_EQ(open_rows(file.path(), {.targets = {"y"}, .missing = Missing::drop})->size(), 2u) << word;
  }
}

// However many cells it has: the more is missing, the less the column may turn into text.
TEST(MissingCells, AnyShareOfThemLeavesNumbersNumbers) {
  for (const int every : {2, 3, 10, 50}) {
    std::string text = "a,y\n";
    for (int i = 0; i < 200; ++i) text += i % every ? fmt::format("{}.5,{}.5\n", i, i) : fmt::format("N/A,{}.5\n", i);
    const TempFile file(text);
    EXPECT_EQ(open_rows(file.path(), {.targets = {"y"}, .missing = Missing::mean})->schema().inputs, 1u) << every;
    EXPECT_EQ(open_rows(file.path(), {.targets = {"y"}})->schema().columns[0].kind, Column::Kind::numeric) << every;
  }
}

TEST(MissingCells, InTextTheyAreOneLevelButWordsStayWords) {
  const TempFile file("t,y\nNaN,0.5\nnull,1\nNone,1\n-,2\nu,3\n");
  const auto rows = open_rows(file.path(), {.targets = {"y"}, .task = Task::regression});
  EXPECT_THAT(rows->schema().columns[0].levels, ElementsAre("", "-", "None", "u"));
  EXPECT_THAT(read_table(*rows).x[1], ElementsAre(1, 0, 0, 0));
}

TEST(MissingCells, OldModelsKeepTheirLevels) {
  Schema schema;
  schema.columns = {{.name = "t", .kind = Column::Kind::category, .levels = {"null", "u"}},
                    {.name = "y", .kind = Column::Kind::target}};
  schema.header = true;
  schema.inputs = 2;
  schema.targets = 1;
  const TempFile file("t,y\nnull,1\nu,2\nNaN,3\n");
  EXPECT_THAT(read_table(*open_rows(file.path(), schema)).x,
              ElementsAre(ElementsAre(1, 0), ElementsAre(0, 1), ElementsAre(0, 0)));
}

TEST(MissingCells, NoClassIsMadeOfThem) {
  for (const std::string word : kAnywhere) {
    const TempFile text(fmt::format("a,y\n1,u\n2,{}\n3,v\n", word));
    EXPECT_THAT(error_of_reading(text, {.targets = {"y"}}), HasSubstr(":3:3: the target 'y' is missing")) << word;
    const auto rows = open_rows(text.path(), {.targets = {"y"}, .missing = Missing::drop});
    EXPECT_THAT(rows->schema().labels, ElementsAre("u", "v"));
    EXPECT_EQ(read_table(*rows).y.size(), 2u);
  }
  const TempFile numbers("a,y\n1,0\n2,-\n3,1\n");
  EXPECT_THAT(error_of_reading(numbers, {.targets = {"y"}}), HasSubstr(":3:3: the target 'y' is missing"));
  EXPECT_THAT(open_rows(numbers.path(), {.targets = {"y"}, .missing = Missing::drop})->schema().labels,
              ElementsAre("0", "1"));
  const TempFile words("a,y\n1,none\n2,mild\n3,none\n");
  EXPECT_THAT(open_rows(words.path(), {.targets = {"y"}})->schema().labels, ElementsAre("mild", "none"));
}

TEST(MissingCells, InWeightsAreRefusedOrTheirRowsDropped) {
  const TempFile file("a,y,w\n1,0.5,1\n2,1.5,none\n3,2.5,2\n");
  EXPECT_THAT(error_of_reading(file, {.targets = {"y"}, .weights = "w"}), HasSubstr(":3:7: the weight 'w' is missing"));
  EXPECT_THAT(read_table(*open_rows(file.path(), {.targets = {"y"}, .weights = "w", .missing = Missing::drop})).weights,
              ElementsAre(1, 2));
}

TEST(MissingCells, DropLeavesOutRowsWithoutATargetAndSaysSo) {
  const TempFile file("a,y\n1,0.5\n2,\n,1.5\n4,2.5\n");
  const auto rows = open_rows(file.path(), {.targets = {"y"}, .missing = Missing::drop});
  EXPECT_EQ(rows->size(), 2u);
  EXPECT_THAT(read_table(*rows).x, ElementsAre(ElementsAre(1), ElementsAre(4)));
  EXPECT_THAT(rows->notes(), ElementsAre("2 of 4 rows left out, cells are missing: 1 in a, 1 in y"));
  EXPECT_EQ(read_table(*open_rows(file.path(), rows->schema())).x.size(), 2u) << "evaluation leaves them out too";
  EXPECT_EQ(read_table(*open_rows(file.path(), rows->schema(), {.target_required = false})).x.size(), 4u);
}

// What is missing depends on what the columns are, and that on the rows that are left.
TEST(MissingCells, DropCountsTheRowsThatAPassYields) {
  std::string text = "id,a,t,y\n";
  for (int i = 0; i < 60; ++i)
    text +=
        fmt::format("{},{},{},{}\n", i % 11 == 0 ? "?" : fmt::format("k{}", i), i % 7 == 0 ? "-" : fmt::format("{}", i),
                    i % 5 == 0 ? "none" : "some", i % 13 == 0 ? "--" : fmt::format("{}.5", i));
  const TempFile file(text);
  const auto rows = open_rows(file.path(), {.targets = {"y"}, .missing = Missing::drop});
  std::size_t kept = 0;
  for (int i = 0; i < 60; ++i) kept += i % 7 != 0 && i % 13 != 0;
  EXPECT_EQ(rows->size(), kept);
  EXPECT_EQ(read_table(*rows).x.size(), kept);
  EXPECT_TRUE(rows->schema().columns[0].identifier);
}

TEST(MissingCells, OwnSpellingsAddToTheUsualOnesOrReplaceThem) {
  const TempFile file("a,t,y\n1,u,0.5\n-999,unknown,1.5\nNA,v,2.5\n5,u,3.5\n-999.0,u,4.5\n");
  const RowsOptions own{.targets = {"y"}, .missing_values = {"unknown", "-999"}};
  const auto rows = open_rows(file.path(), own);
  EXPECT_THAT(rows->schema().columns[1].levels, ElementsAre("", "u", "v"));
  EXPECT_EQ(rows->schema().columns[0].fill, 3);
  EXPECT_THAT(read_table(*rows).x,
              ElementsAre(ElementsAre(1, 0, 1, 0), ElementsAre(3, 1, 0, 0), ElementsAre(3, 0, 0, 1),
                          ElementsAre(5, 0, 1, 0), ElementsAre(3, 0, 1, 0)));
  EXPECT_EQ(read_table(*open_rows(file.path(), rows->schema())), read_table(*rows));
  const TempFile later("a,t,y\nnix,u,1\n");
  EXPECT_EQ(read_table(*open_rows(later.path(), rows->schema(), {.missing_values = {"nix"}})).x[0][0], 3);
  const TempFile texts("t,y\nNA,0.5\nEU,1.5\n,2.5\n");
  EXPECT_THAT(open_rows(texts.path(), {.targets = {"y"}, .usual_missing = false})->schema().columns[0].levels,
              ElementsAre("", "EU", "NA"));
}

TEST(MissingCells, OwnSpellingsGivenTwiceAreSavedOnce) {
  const TempFile file("a,y\n1,0.5\nx,1.5\nz,2.5\n");
  EXPECT_THAT(open_rows(file.path(), {.targets = {"y"}, .missing_values = {"z", "x", "z"}})->schema().missing_values,
              ElementsAre("x", "z"));
}

TEST(CellRules, KnowWhereASpellingCounts) {
  const CellRules rules;
  for (const char* word : kAnywhere) EXPECT_TRUE(rules.missing(word, Among::texts)) << word;
  for (const char* word : kAmongNumbers) {
    EXPECT_TRUE(rules.doubtful(word)) << word;
    EXPECT_TRUE(rules.missing(word, Among::numbers)) << word;
  }
  for (const char* word : {"Na", "0", "nothing", "unknown", "NANA", "a text much longer than any spelling"})
    EXPECT_FALSE(rules.missing(word, Among::texts)) << word;
  EXPECT_FALSE(rules.missing("", Among::nothing));
  EXPECT_THROW(CellRules({}, true, ';'), std::invalid_argument);
}

// Behind the number there is an input that tells: of cells that are otherwise all the same, or of at least 20.
TEST(MarkedCells, FlagsAndDatesOfSomeRowsBecomeAnInput) {
  for (const std::string cell : {"1", "2024-05-01"}) {
    const TempFile file(fmt::format("a,vip,y\n1,{0},0.5\n2,,1.5\n3,-,2.5\n4,{0},2.5\n", cell));
    const auto rows = open_rows(file.path(), {.targets = {"y"}});
    EXPECT_THAT(rows->schema().input_names(), ElementsAre("a", "vip", "vip is missing"));
    const double value = rows->schema().columns[1].fill;
    EXPECT_THAT(read_table(*rows).x, ElementsAre(ElementsAre(1, value, 0), ElementsAre(2, value, 1),
                                                 ElementsAre(3, value, 1), ElementsAre(4, value, 0)));
    EXPECT_THAT(rows->notes(), Contains(HasSubstr("an input marks those of vip")));
    const TempFile fresh(fmt::format("vip,a\n{},7\n,8\n", cell));
    EXPECT_THAT(read_table(*open_rows(fresh.path(), rows->schema(), {.target_required = false})).x,
                ElementsAre(ElementsAre(7, value, 0), ElementsAre(8, value, 1)));
    EXPECT_EQ(open_rows(file.path(), {.targets = {"y"}, .missing = Missing::mean})->schema().inputs, 2u);
    EXPECT_EQ(open_rows(file.path(), {.target_required = false})->schema().inputs, 3u);  // nothing is to be learnt
    EXPECT_EQ(rows->schema().missing, Missing::mean);
  }
}

TEST(MarkedCells, TwentyOfEachAreEnoughWhereTheOthersVary) {
  for (const auto& [missing, present] : {std::pair{19, 50}, {20, 19}, {20, 20}, {50, 20}}) {
    std::string text = "a,y\n";
    for (int i = 0; i < missing + present; ++i) text += (i < missing ? "" : fmt::format("{}", i)) + ",1\n";
    const TempFile file(text);
    const RowsOptions options{.targets = {"y"}, .task = Task::regression};
    EXPECT_EQ(open_rows(file.path(), options)->schema().columns[0].marked, missing >= 20 && present >= 20);
    RowsOptions all = options;
    all.missing = Missing::mark;
    EXPECT_TRUE(open_rows(file.path(), all)->schema().columns[0].marked);
  }
}

TEST(MarkedCells, AreTheSameForAnyPiecesAndThreads) {
  std::string text = "t,a,when,y\n";
  for (int i = 0; i < 3000; ++i)
    text += fmt::format("u{},{},{},{}\n", i % 3, i % 2 ? fmt::format("{}", i * 0.5) : "NA",
                        i % 5 ? "" : fmt::format("2024-01-{:02}", 1 + i % 28), i);
  const TempFile file(text);
  const auto one = open_rows(file.path(), {.targets = {"y"}, .threads = 1});
  const auto table = read_table(*one).x;
  EXPECT_EQ(one->schema().inputs, 3u + 2 + 2);
  for (const int threads : {2, 7}) {
    const auto rows = open_rows(file.path(), {.targets = {"y"}, .threads = threads});
    EXPECT_EQ(rows->schema(), one->schema());
    EXPECT_EQ(read_table(*rows).x, table);
  }
}

}  // namespace
}  // namespace bochner
