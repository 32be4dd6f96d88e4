// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "rows/rows_testing.h"
#include "rows/svmlight_rows.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Svmlight, ReadsLabelsFeaturesCommentsAndQid) {
  const TempFile file("# a comment\n+1 qid:3 1:0.5 3:2 # more\n\n-1 2:1e1\r\n1\n 1.0\t4:7\n", ".svm");
  const auto rows = open_rows(file.path());
  const Schema& schema = rows->schema();
  EXPECT_TRUE(schema.sparse);
  EXPECT_EQ(schema.inputs, 4u);
  EXPECT_EQ(schema.index_base, 1);
  EXPECT_THAT(schema.labels, ElementsAre("-1", "1"));
  EXPECT_EQ(rows->size(), 4u);
  EXPECT_EQ(rows->memory_bytes(4), 4u * (8 + 8) + 4u * (4 + 4));
  const Table table = read_table(*rows);
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(0.5, 0, 2, 0), ElementsAre(0, 10, 0, 0), ElementsAre(0, 0, 0, 0),
                                   ElementsAre(0, 0, 0, 7)));
  EXPECT_THAT(table.y, ElementsAre(ElementsAre(1), ElementsAre(0), ElementsAre(1), ElementsAre(1)));
}

TEST(Svmlight, AQueryIsAWholeNumber) {
  for (const char* word : {"qid:x", "qid:", "qid:1.5"}) {
    const TempFile file(fmt::format("1 1:2\n-1 {} 1:3\n", word), ".svm");
    EXPECT_THAT(error_of_reading(file, {}), HasSubstr(fmt::format(":2:4: '{}', expected qid:", word)));
  }
}

TEST(Svmlight, FormatIsFoundByContent) {
  const TempFile file("1 1:2\n2 1:3 2:4\n", ".txt");
  EXPECT_TRUE(open_rows(file.path())->schema().sparse);
}

TEST(Svmlight, IndexBaseIsZeroWhereZeroOccursUnlessGiven) {
  const TempFile zero("1 0:2 2:1\n2 1:3\n", ".svm"), one("1 1:2\n2 2:3\n", ".svm");
  EXPECT_EQ(open_rows(zero.path())->schema().inputs, 3u);
  EXPECT_EQ(open_rows(one.path())->schema().inputs, 2u);
  const auto rows = open_rows(one.path(), RowsOptions{.index_base = 0});
  EXPECT_EQ(rows->schema().inputs, 3u);
  EXPECT_THAT(read_table(*rows).x[0], ElementsAre(0, 2, 0));
  EXPECT_THAT(error_of([&] { open_rows(zero.path(), RowsOptions{.index_base = 1}); }),
              HasSubstr(":1:1: index 0, expected 1"));
}

// Rows of 0 to 6 as a law of counts has them.
TEST(Svmlight, CountsAreNumbersAndSaidToBe) {
  std::string text;
  const int rows_of[] = {20, 50, 70, 50, 25, 8, 3};
  for (int value = 0; value < 7; ++value)
    for (int i = 0; i < rows_of[value]; ++i) text += fmt::format("{} 1:{}\n", value, i + 1);
  const TempFile file(text, ".svm");
  const auto rows = open_rows(file.path());
  EXPECT_EQ(rows->schema().task, Task::regression);
  EXPECT_THAT(rows->notes(), ElementsAre(HasSubstr("whole numbers as frequent as counts are")));
  EXPECT_THAT(open_rows(file.path(), RowsOptions{.task = Task::regression})->notes(), ElementsAre());
}

TEST(Svmlight, RealTargetsAreRegression) {
  const TempFile file("0.5 1:2\n2 1:3\n", ".svm");
  const auto rows = open_rows(file.path());
  EXPECT_EQ(rows->schema().task, Task::regression);
  EXPECT_THAT(read_table(*rows).y, ElementsAre(ElementsAre(0.5), ElementsAre(2)));
}

TEST(Svmlight, IndicesAreSorted) {
  const TempFile file("1 3:3 1:1 2:2\n", ".svm");
  const auto rows = open_rows(file.path());
  RowBlock<double> block;
  rows->rewind();
  ASSERT_TRUE(rows->next(10, block));
  EXPECT_THAT(std::vector<std::uint32_t>(block.columns, block.columns + 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(std::vector<double>(block.values, block.values + 3), ElementsAre(1, 2, 3));
}

TEST(Svmlight, ModelIgnoresNewIndicesAndKeepsItsBase) {
  const TempFile train("1 0:1 2:1\n2 1:3\n", ".svm");
  const Schema schema = open_rows(train.path())->schema();
  const TempFile later("2 1:5 9:9\n", ".svm");
  EXPECT_THAT(read_table(*open_rows(later.path(), schema)).x, ElementsAre(ElementsAre(0, 5, 0)));
  const TempFile base_one("1 1:1\n2 1:2\n", ".svm");
  const Schema from_one = open_rows(base_one.path())->schema();
  EXPECT_THAT(error_of([&] { read_table(*open_rows(train.path(), from_one)); }),
              HasSubstr(":1:1: index 0, expected 1"));
}

TEST(Svmlight, LabelsMayBeAbsentWhenNotRequired) {
  const TempFile train("1 1:1\n2 2:3\n", ".svm");
  const Schema schema = open_rows(train.path())->schema();
  const TempFile bare("1:5\n2:6 # nothing\n", ".svm");
  const auto rows = open_rows(bare.path(), schema, {.target_required = false});
  EXPECT_EQ(rows->schema().targets, 0u);
  EXPECT_THAT(read_table(*rows).x, ElementsAre(ElementsAre(5, 0), ElementsAre(0, 6)));
  EXPECT_THAT(error_of([&] { read_table(*open_rows(bare.path(), schema)); }), HasSubstr(":1:1: no label"));
  EXPECT_THAT(error_of([&] { open_rows(bare.path()); }), HasSubstr(":1:1: no label"));
  EXPECT_EQ(open_rows(bare.path(), {.target_required = false})->schema().targets, 0u);
  const TempFile unknown("7 1:5\n1 1:1\n", ".svm");
  EXPECT_THAT(error_of([&] { read_table(*open_rows(unknown.path(), schema)); }), HasSubstr(":1:1: class '7'"));
  const Table table = read_table(*open_rows(unknown.path(), schema, {.target_required = false}));
  EXPECT_TRUE(std::isnan(table.y[0][0]));
  EXPECT_EQ(table.y[1][0], 0);
}

TEST(Svmlight, BadWordsAreRefusedInPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 1:2\nx 1:2\n", ":2:1: label 'x', expected a finite number"},
      {"nan 1:2\n", ":1:1: label 'nan'"},
      {"1,2 1:2\n", ":1:1: label '1,2'"},
      {"1 1:2\n1 1:2 foo\n", ":2:7: 'foo', expected index:value"},
      {"1 1:x\n", ":1:5: value 'x' of index 1"},
      {"1 1:nan\n", ":1:5: value 'nan' of index 1, expected a finite number"},
      {"1 1:1 2:inf\n", ":1:9: value 'inf'"},
      {"1 1:\n", ":1:5: value ''"},
      {"1 1:2,3\n", ":1:5: value '2,3'"},
      {"1 -1:2\n", ":1:3: '-1:2', expected index:value"},
      {"1 4294967295:2\n", ":1:3: index 4294967295:2, expected at most 4294967294"},
      {"1 99999999999999999999999999:2\n", "expected at most"},
      {"1 2:1 1:1 2:1\n", ":1:1: index 2 comes twice"},
      {"", ":1:1: the file has no rows"},
      {"# only\n\n", ":1:1: the file has no rows"},
      {"1\n2\n", "no row has a feature"}};
  for (const auto& [text, part] : cases) {
    const TempFile file(text, ".svm");
    EXPECT_THAT(error_of([&] { open_rows(file.path()); }), HasSubstr(part)) << text;
  }
  const TempFile file("1 1:2\n", ".svm");
  EXPECT_THAT(error_of([&] { open_rows(file.path(), {.targets = {"y"}}); }), HasSubstr("carry their own target"));
}

TEST(Svmlight, RowsDoNotDependOnBlocksThreadsOrChunks) {
  std::mt19937 random(5);
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += fmt::format("{}", random() % 4);
    for (int j = 1; j < 40; ++j)
      if (random() % 4 == 0) text += fmt::format(" {}:{:.3f}", j, double(random() % 1000) / 7);
    text += random() % 9 ? "\n" : " # note\n";
  }
  const TempFile file(text, ".svm");
  const auto reference = open_svmlight(file.path(), {.threads = 1});
  const Table table = read_table(*reference);
  for (const std::size_t max_rows : {1, 7, 1024, 5000}) EXPECT_EQ(read_table(*reference, max_rows), table);
  for (const int threads : {2, 7})
    for (const std::size_t chunk : {1, 100, 5000}) {
      const auto rows = open_svmlight(file.path(), {.threads = threads}, {.chunk = chunk, .piece = 1 + chunk / 7});
      EXPECT_EQ(rows->schema(), reference->schema());
      EXPECT_EQ(read_table(*rows, 13), table);
    }
}

TEST(Svmlight, ModelOfADenseFileReadsSparseRows) {
  const TempFile dense("a,b,y\n1,2,0.5\n3,4,1.5\n"), sparse("0.25 2:7\n", ".svm");
  const Schema schema = open_rows(dense.path(), {.targets = {"y"}})->schema();
  EXPECT_THAT(read_table(*open_rows(sparse.path(), schema)).x, ElementsAre(ElementsAre(0, 7)));
  const TempFile text("a,b,y\nu,2,0.5\nv,4,1.5\n");
  EXPECT_THAT(error_of([&] { open_rows(sparse.path(), open_rows(text.path(), {.targets = {"y"}})->schema()); }),
              HasSubstr("numbers only"));
}

}  // namespace
}  // namespace bochner
