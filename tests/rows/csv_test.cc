// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <random>

#include "rows/csv_rows.h"
#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = Column::Kind;

std::unique_ptr<Rows> open_text(const TempFile& file, const RowsOptions& options) {
  return open_rows(file.path(), options);
}

TEST(Csv, ReadsNumbersWithHeaderAndClassTarget) {
  const TempFile file("a,b,class\n1,2.5,7\n-3,1e2,5\n0,.5,7\n");
  const auto rows = open_text(file, {.targets = {"class"}});
  const Schema& schema = rows->schema();
  EXPECT_EQ(schema.inputs, 2u);
  EXPECT_EQ(schema.targets, 1u);
  EXPECT_EQ(schema.task, Task::classification);
  EXPECT_THAT(schema.labels, ElementsAre("5", "7"));
  EXPECT_THAT(schema.input_names(), ElementsAre("a", "b"));
  EXPECT_EQ(rows->size(), 3u);
  const Table table = read_table(*rows);
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(1, 2.5), ElementsAre(-3, 100), ElementsAre(0, 0.5)));
  EXPECT_THAT(table.y, ElementsAre(ElementsAre(1), ElementsAre(0), ElementsAre(1)));
}

TEST(Csv, TargetMayBeNameIndexOrIndexFromTheEnd) {
  const TempFile file("a,b,c\n0.5,2,3\n1.5,5,6\n");
  for (const char* target : {"a", "0", "-3"}) {
    const auto rows = open_text(file, {.targets = {target}});
    EXPECT_EQ(rows->schema().task, Task::regression);
    EXPECT_THAT(read_table(*rows).y, ElementsAre(ElementsAre(0.5), ElementsAre(1.5))) << target;
  }
}

TEST(Csv, HeaderlessFilesWithAndWithoutTextAreRead) {
  const TempFile numbers("1,2\n3,4\n");
  EXPECT_EQ(open_text(numbers, {.targets = {"1"}})->size(), 2u);
  const TempFile text("39,clerk,1\n50,smith,0\n38,clerk,1\n");
  const auto rows = open_text(text, {.targets = {"2"}});
  EXPECT_FALSE(rows->schema().header);
  EXPECT_EQ(rows->size(), 3u);
  EXPECT_THAT(rows->schema().input_names(), ElementsAre("x0", "x1=clerk", "x1=smith"));
}

TEST(Csv, HeaderOfAFileOfTextIsTheLineWhoseCellsDoNotComeAgain) {
  const TempFile with("job,grade\nclerk,a\nsmith,b\nclerk,b\n");
  EXPECT_EQ(open_text(with, {.targets = {"1"}})->size(), 3u);
  const TempFile without("clerk,a\nsmith,b\nclerk,b\n");
  EXPECT_EQ(open_text(without, {.targets = {"1"}})->size(), 3u);
  EXPECT_EQ(open_text(without, {.targets = {"1"}, .header = true})->size(), 2u);
}

TEST(Csv, TextColumnsBecomeIndicatorsAndUnseenLevelsZeros) {
  const TempFile file("job,y\nsmith,0.5\nclerk,1.5\n?,2.5\nclerk,3.5\n");
  const auto rows = open_text(file, {.targets = {"y"}});
  EXPECT_THAT(rows->schema().columns[0].levels, ElementsAre("", "clerk", "smith"));
  EXPECT_THAT(read_table(*rows).x,
              ElementsAre(ElementsAre(0, 0, 1), ElementsAre(0, 1, 0), ElementsAre(1, 0, 0), ElementsAre(0, 1, 0)));
  const TempFile later("job,y\npilot,0.5\nclerk,1\n");
  EXPECT_THAT(read_table(*open_rows(later.path(), rows->schema())).x,
              ElementsAre(ElementsAre(0, 0, 0), ElementsAre(0, 1, 0)));
}

TEST(Csv, OnlyTheMostFrequentLevelsBecomeInputs) {
  const TempFile file("job,y\na,0.5\nb,1\nc,1\nc,1\nb,1\nd,3\n");
  const auto rows = open_text(file, {.targets = {"y"}, .task = Task::regression, .max_levels = 3});
  EXPECT_THAT(rows->schema().columns[0].levels, ElementsAre("a", "b", "c"));  // a before d: ties go by name
}

TEST(Csv, ColumnsThatMixNumbersAndTextListBothAsLevels) {
  const TempFile file("code,y\n12,0.5\nK1,1\n12,2\n7,3\n");
  const auto rows = open_text(file, {.targets = {"y"}, .task = Task::regression});
  EXPECT_THAT(rows->schema().columns[0].levels, ElementsAre("12", "7", "K1"));
  EXPECT_THAT(read_table(*rows).x[3], ElementsAre(0, 1, 0));
}

TEST(Csv, CategoriesAreEncodedThoughTheyAreNumbers) {
  const TempFile file("code,z,y\n3,1,0.5\n1,1,1\n3,1,2\n");
  const auto rows = open_text(file, {.targets = {"y"}, .categories = {"code"}, .task = Task::regression});
  EXPECT_THAT(rows->schema().input_names(), ElementsAre("code=1", "code=3", "z"));
  EXPECT_THAT(read_table(*rows).x[0], ElementsAre(0, 1, 1));
}

TEST(Csv, QuotesCrLfBomBlankLinesSpacesAndDelimiters) {
  const std::string plain = "name,a,y\nx,1,2.5\ny,3,4\nx,5,6\n";
  const TempFile reference(plain);
  const RowsOptions options{.targets = {"y"}, .task = Task::regression};
  const auto wanted = open_text(reference, options);
  const Table table = read_table(*wanted);
  for (const char* text :
       {"name,a,y\r\nx,1,2.5\r\ny,3,4\r\nx,5,6\r\n", "\xef\xbb\xbfname,a,y\nx,1,2.5\ny,3,4\nx,5,6",
        "name;a;y\nx;1;2.5\ny;3;4\nx;5;6\n", "name\ta\ty\nx\t1\t2.5\ny\t3\t4\nx\t5\t6\n",
        "\n\nname|a|y\n\nx|1|2.5\ny|3|4\n \r\nx|5|6\n\n\n", " name , a , y \n x , 1 , 2.5 \n y ,3 , 4\nx, +5,6\n",
        "\"name\",\"a\",\"y\"\n\"x\",\"1\",\"2.5\"\n\"y\", \"3\" ,4\n x ,5,6\n"}) {
    const TempFile file(text);
    const auto rows = open_text(file, options);
    EXPECT_EQ(rows->schema(), wanted->schema()) << text;
    EXPECT_EQ(read_table(*rows), table) << text;
  }
}

TEST(Csv, QuotedCellsMayHoldDelimitersNewlinesAndQuotes) {
  const TempFile file("t,y\n\"a,b\",1\n\"c\nd\",2\n\"e\"\"f\"\"\",3\nin\"side,4\n");
  const auto rows = open_text(file, {.targets = {"y"}});
  EXPECT_THAT(rows->schema().columns[0].levels, ElementsAre("a,b", "c\nd", "e\"f\"", "in\"side"));
}

TEST(Csv, MissingNumbersAreTheMeanOfTraining) {
  const TempFile file("a,y\n1,0.5\n,1\n?,2\nNA,2\n5,3\n");
  const auto rows = open_text(file, {.targets = {"y"}, .task = Task::regression});
  EXPECT_EQ(rows->schema().columns[0].fill, 3);
  EXPECT_THAT(read_table(*rows).x,
              ElementsAre(ElementsAre(1), ElementsAre(3), ElementsAre(3), ElementsAre(3), ElementsAre(5)));
  const TempFile later("a\n\"\"\n7\n");
  EXPECT_THAT(read_table(*open_rows(later.path(), rows->schema(), {.target_required = false})).x,
              ElementsAre(ElementsAre(3), ElementsAre(7)));
}

TEST(Csv, DropLeavesRowsOutOfTheScanToo) {
  const TempFile file("a,t,y\n1,u,0\n,v,1\n3,?,2\n5,w,0\n");
  const auto rows = open_text(file, {.targets = {"y"}, .missing = Missing::drop});
  EXPECT_EQ(rows->size(), 2u);
  EXPECT_THAT(rows->schema().columns[1].levels, ElementsAre("u", "w"));
  EXPECT_THAT(rows->schema().labels, ElementsAre("0"));
  EXPECT_THAT(read_table(*rows).x, ElementsAre(ElementsAre(1, 1, 0), ElementsAre(5, 0, 1)));
  // Prediction gives an answer for every row.
  EXPECT_EQ(read_table(*open_rows(file.path(), rows->schema(), {.target_required = false})).x.size(), 4u);
}

TEST(Csv, SeveralTargetsWeightsAndIgnoredColumns) {
  const TempFile file("id,a,u,w,v\nn1,1,0.5,2,7\nn2,2,1.5,0,8\n");
  const auto rows = open_text(file, {.targets = {"u", "v"}, .weights = "w", .ignore = {"id"}});
  EXPECT_EQ(rows->schema().targets, 2u);
  EXPECT_EQ(rows->schema().task, Task::regression);
  const Table table = read_table(*rows);
  EXPECT_THAT(table.x, ElementsAre(ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(table.y, ElementsAre(ElementsAre(0.5, 7), ElementsAre(1.5, 8)));
  EXPECT_THAT(table.weights, ElementsAre(2, 0));
}

TEST(Csv, LabelsAreOrderedByNumberOrByName) {
  const TempFile numbers("a,y\n1,10\n1,9\n1,+9.0\n1,-1\n");
  EXPECT_THAT(open_text(numbers, {.targets = {"y"}})->schema().labels, ElementsAre("-1", "9", "10"));
  const TempFile names("a,y\n1,10\n1,9\n1,b\n1,a\n");
  EXPECT_THAT(open_text(names, {.targets = {"y"}})->schema().labels, ElementsAre("10", "9", "a", "b"));
}

TEST(Csv, TaskFollowsTheTargetUnlessGiven) {
  std::string few = "a,y\n", many = "a,y\n";
  for (int i = 0; i < 40; ++i) few += fmt::format("1,{}\n", i % 20), many += fmt::format("1,{}\n", i % 21);
  const TempFile few_file(few), many_file(many);
  EXPECT_EQ(open_text(few_file, {.targets = {"y"}})->schema().task, Task::classification);
  EXPECT_EQ(open_text(many_file, {.targets = {"y"}})->schema().task, Task::regression);
  EXPECT_EQ(open_text(few_file, {.targets = {"y"}, .task = Task::regression})->schema().task, Task::regression);
  const auto rows = open_text(many_file, {.targets = {"y"}, .task = Task::classification});
  EXPECT_EQ(rows->schema().labels.size(), 21u);
}

// Rows with every kind of cell, quoted newlines among them.
std::string mixed_text(int rows) {
  std::mt19937 random(7);
  std::string text = "a,t,b,y\n";
  for (int i = 0; i < rows; ++i) {
    text += random() % 10 ? fmt::format("{:.4g},", double(random() % 100000) / 64) : "?,";
    switch (random() % 5) {
      case 0:
        text += "\"two\nlines, and a comma\",";
        break;
      case 1:
        text += "\"a \"\"quote\"\"\",";
        break;
      case 2:
        text += ",";
        break;
      default:
        text += "plain,";
    }
    text += fmt::format("{},{}\n", random() % 1000, random() % 3);
  }
  return text;
}

TEST(Csv, RowsDoNotDependOnBlocksThreadsOrChunks) {
  const TempFile file(mixed_text(3000));
  const RowsOptions options{.targets = {"y"}, .threads = 1};
  const auto reference = open_csv(file.path(), options);
  const Table table = read_table(*reference);
  ASSERT_EQ(table.x.size(), 3000u);
  for (const std::size_t max_rows : {std::size_t{1}, std::size_t{7}, std::size_t{1024}, std::size_t{100000}}) {
    EXPECT_EQ(read_table(*reference, max_rows), table);
    EXPECT_EQ(read_table<float>(*reference, max_rows), read_table<float>(*reference));
  }
  for (const int threads : {2, 3, 7}) {
    RowsOptions more = options;
    more.threads = threads;
    const auto rows = open_csv(file.path(), more);
    EXPECT_EQ(rows->schema(), reference->schema());
    EXPECT_EQ(read_table(*rows, 100), table);
  }
  for (const std::size_t chunk : {1, 2, 17, 64, 100, 1000}) {
    const auto rows = open_csv(file.path(), options, {.chunk = chunk, .piece = 1 + chunk / 3});
    EXPECT_EQ(rows->schema().columns[1], reference->schema().columns[1]) << chunk;
    EXPECT_EQ(rows->schema().labels, reference->schema().labels) << chunk;
    EXPECT_NEAR(rows->schema().columns[0].fill, reference->schema().columns[0].fill, 1e-9) << chunk;
    EXPECT_EQ(read_table(*open_csv(file.path(), reference->schema(), options, {.chunk = chunk, .piece = chunk})),
              table);
  }
}

// The buffer is given in parts of 16 KiB, 64 KiB and so on: a text may end with one, or a byte from it.
TEST(Csv, TextsThatEndWhereTheBufferGrowsAreReadWhole) {
  for (const std::size_t end : {16u << 10, 64u << 10, 256u << 10})
    for (const std::size_t bytes : {end - 1, end, end + 1}) {
      std::string text = "a,y\n";
      std::size_t count = 0;
      for (; text.size() + 14 < bytes; ++count) text += fmt::format("{},1\n", count % 10);
      const std::string last = std::string(bytes - text.size() - 2, '7') + ",2";  // no newline behind it
      const TempFile file(text + last);
      ASSERT_EQ(text.size() + last.size(), bytes);
      const Table table =
          read_table(*open_csv(file.path(), {.targets = {"y"}, .task = Task::regression, .threads = 1}));
      ASSERT_EQ(table.x.size(), count + 1) << bytes;
      EXPECT_EQ(table.x.back()[0], std::stod(last)) << bytes;
      EXPECT_EQ(table.y.back()[0], 2) << bytes;
    }
}

// Whatever the text, it gives rows or one Error, and the same for any chunks: the cutter of rows and the reader of
// cells agree on what is quoted.
TEST(Csv, ArbitraryTextGivesTheSameRowsOrErrorForAnyChunks) {
  std::mt19937 random(11);
  const std::string alphabet = "\"\",,,\n\n\r \t;aa1123.e-?";
  const char* const cells[] = {"1", "-.5", " 2 ", "a", "\"b\nc\"", "\"\"\"\"", "\"1\" ", "in\"side", "?", ""};
  int tables = 0, errors = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string text;
    if (i % 2) {
      for (std::size_t length = random() % 60; length > 0; --length) text += alphabet[random() % alphabet.size()];
    } else {
      for (std::size_t row = random() % 12; row > 0; --row)
        text += fmt::format("{},{}{}", row, cells[random() % 10], random() % 3 ? "\n" : "\r\n \n");
    }
    const TempFile file(text);
    const auto outcome = [&](const ChunkSizes& sizes) -> std::pair<std::string, Table> {
      try {
        const auto rows = open_csv(file.path(), {.targets = {"0"}, .threads = 1}, sizes);
        return {"", read_table(*rows)};
      } catch (const Error& error) {
        return {error.what(), {}};
      }
    };
    const auto whole = outcome({});
    (whole.first.empty() ? tables : errors) += 1;
    for (const std::size_t chunk : {1, 5, 13}) EXPECT_EQ(outcome({.chunk = chunk, .piece = chunk}), whole) << text;
  }
  EXPECT_GT(tables, 50);
  EXPECT_GT(errors, 50);
}

TEST(Csv, FractionReadGrowsToOneAndSizesAreKnown) {
  const TempFile file(mixed_text(3000));
  const auto rows = open_csv(file.path(), {.targets = {"y"}}, {.chunk = 4096, .piece = 512});
  const Schema& schema = rows->schema();
  EXPECT_EQ(rows->memory_bytes(4), 3000 * (4 * schema.inputs + 8));
  rows->rewind();
  RowBlock<float> block;
  double before = 0;
  while (rows->next(500, block)) {
    EXPECT_GE(rows->fraction_read(), before);
    before = rows->fraction_read();
  }
  EXPECT_EQ(rows->fraction_read(), 1);
}

}  // namespace
}  // namespace bochner
