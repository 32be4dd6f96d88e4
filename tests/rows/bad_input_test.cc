// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "rows/csv_rows.h"
#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const RowsOptions kTargetY{.targets = {"y"}};

// The message begins with file:place and names what was found and what to do.
void expect_message(const std::string& message, const TempFile& file, const std::string& place,
                    std::initializer_list<const char*> parts) {
  EXPECT_THAT(message, HasSubstr(file.path() + ":" + place + ": "));
  for (const char* part : parts) EXPECT_THAT(message, HasSubstr(part));
  EXPECT_THAT(message, HasSubstr("; ")) << "no remedy";
}

TEST(BadInput, MissingFileAndFolderAreIoErrors) {
  const auto open = [](const std::string& path) {
    return error_of([&] { open_rows(path, kTargetY); }, Error::Kind::io);
  };
  EXPECT_THAT(open("/nonexistent/x.csv"), HasSubstr("/nonexistent/x.csv: cannot open"));
  EXPECT_THAT(open(std::filesystem::temp_directory_path().string()), HasSubstr("is a folder"));
  EXPECT_THROW(open_rows("-", kTargetY), std::invalid_argument);
}

TEST(BadInput, EmptyFiles) {
  for (const char* text : {"", "\n", " \r\n\n", "\xef\xbb\xbf"}) {
    const TempFile file(text);
    expect_message(error_of_reading(file, kTargetY), file, "1:1", {"empty", "expected rows"});
  }
  const TempFile header("a,y\n");
  EXPECT_THAT(error_of_reading(header, kTargetY), HasSubstr("no rows below the header"));
  const TempFile dropped("1,\n2,?\n");
  EXPECT_THAT(error_of_reading(dropped, {.targets = {"0"}, .missing = Missing::drop}), HasSubstr("missing cells"));
}

TEST(BadInput, RaggedRowsShort) {
  const TempFile file("a,b,y\n1,2,3\n1,2\n");
  expect_message(error_of_reading(file, kTargetY), file, "3:1", {"2 cells", "expected 3", "header"});
}

TEST(BadInput, RaggedRowsLong) {
  const TempFile file("1,2,3\n1,2,3\n\n1,2,3,4\n");
  expect_message(error_of_reading(file, {.targets = {"0"}}), file, "4:1", {"4 cells", "expected 3", "first row"});
}

TEST(BadInput, InfInInputsAndTargets) {
  for (const char* word : {"inf", "-Infinity", "1e999"}) {
    const TempFile input(fmt::format("a,b,y\n1,2,3\n5,{},3\n", word));
    expect_message(error_of_reading(input, kTargetY), input, "3:3", {word, "'b'", "finite number"});
    const TempFile target(fmt::format("a,b,y\n1,2,{}\n5,1,3\n", word));
    expect_message(error_of_reading(target, kTargetY), target, "2:5", {word, "'y'", "finite number"});
    const TempFile good("a,y\n1,2.5\n2,3\n"), later(fmt::format("a,y\n1,1\n{},1\n", word));
    const Schema schema = open_rows(good.path(), kTargetY)->schema();
    expect_message(error_of([&] { read_table(*open_rows(later.path(), schema)); }), later, "3:1", {word, "finite"});
  }
}

TEST(BadInput, NumbersBeyondFloatAreRefusedOnlyAsFloat) {
  const TempFile file("a,y\n1,2.5\n1e300,3\n");
  const auto rows = open_rows(file.path(), kTargetY);
  EXPECT_EQ(read_table<double>(*rows).x[1][0], 1e300);
  expect_message(error_of([&] { read_table<float>(*rows); }), file, "3:1", {"1e300", "float", "double"});
}

TEST(BadInput, MissingTargetAndWeight) {
  const TempFile file("a,y,w\n1,2,1\n5,?,1\n6,1,\n");
  expect_message(error_of_reading(file, kTargetY), file, "3:3", {"target 'y'", "missing", "missing = drop"});
  expect_message(error_of_reading(file, {.targets = {"a"}, .weights = "w"}), file, "4:5", {"weight 'w'", "missing"});
  EXPECT_THAT(error_of_reading(file, {}), HasSubstr("no target given; name the column to learn, one of a, y, w"));
}

TEST(BadInput, MissingCellsUnderTheErrorPolicy) {
  const TempFile file("a,b,y\n1,2,3\n4,,6\n");
  expect_message(error_of_reading(file, {.targets = {"y"}, .missing = Missing::error}), file, "3:3",
                 {"'b'", "no value", "mean or drop"});
}

TEST(BadInput, UnknownColumnsNameTheirNeighbours) {
  const TempFile file("age,income,height\n1,2,3\n4,5,6\n");
  EXPECT_THAT(error_of_reading(file, {.targets = {"Incom"}}), HasSubstr("no column 'Incom'; did you mean income?"));
  EXPECT_THAT(error_of_reading(file, {.targets = {"zzzzzz"}}), HasSubstr("the columns are age, income, height"));
  EXPECT_THAT(error_of_reading(file, {.targets = {"3"}}), HasSubstr("no column 3, the file has 3; count from 0"));
  EXPECT_THAT(error_of_reading(file, {.targets = {"-4"}}), HasSubstr("no column -4"));
  EXPECT_THAT(error_of_reading(file, {.targets = {"age"}, .ignore = {"agee"}}), HasSubstr("did you mean age"));
  EXPECT_THAT(error_of_reading(file, {.targets = {"age"}, .ignore = {"age"}}), HasSubstr("named twice"));
  EXPECT_THAT(error_of_reading(file, {.targets = {"age"}, .ignore = {"1", "2"}}), HasSubstr("no column is left"));
  const TempFile bare("1,2\n3,4\n");
  EXPECT_THAT(error_of_reading(bare, {.targets = {"y"}}), HasSubstr("no header line; give the column's index"));
}

TEST(BadInput, ColumnsAreSuggestedWhateverTheCaseAndShownFromBothEnds) {
  const TempFile file("lread,usr,b\n1,2,3\n4,5,6\n");
  for (const char* name : {"URS", "USR", "ursr"})
    EXPECT_THAT(error_of_reading(file, {.targets = {name}}), HasSubstr("did you mean usr")) << name;
  std::string names = "c0", cells = "1";
  for (int c = 1; c < 50; ++c) names += fmt::format(",c{}", c), cells += ",1";
  const TempFile wide(names + ",income\n" + cells + ",2\n" + cells + ",3\n");
  for (const RowsOptions& options : {RowsOptions{}, RowsOptions{.targets = {"something"}}}) {
    const std::string message = error_of_reading(wide, options);
    EXPECT_THAT(message, HasSubstr("c0, c1,"));
    EXPECT_THAT(message, HasSubstr("..., c43"));
    EXPECT_THAT(message, HasSubstr("c49, income"));
  }
}

TEST(BadInput, ANameThatSeveralColumnsHaveIsRefused) {
  const TempFile file("y,a,y\n1,2,3\n4,5,7\n");
  EXPECT_THAT(error_of_reading(file, kTargetY), HasSubstr("several columns have the name 'y'"));
  EXPECT_THAT(error_of_reading(file, {.targets = {"a"}, .weights = "y"}), HasSubstr("several columns"));
  const auto rows = open_rows(file.path(), {.targets = {"0"}, .ignore = {"2"}});
  EXPECT_EQ(read_table(*rows).x[0].size(), 1u);
  EXPECT_THAT(error_of([&] { read_table(*open_rows(file.path(), rows->schema())); }), HasSubstr("several columns"));
  const TempFile inputs("a,a,y\n1,2,0.5\n3,4,1.5\n");
  EXPECT_EQ(read_table(*open_rows(inputs.path(), kTargetY)).x[1][1], 4) << "inputs may have the same name";
}

TEST(BadInput, NegativeAndTextWeights) {
  const TempFile file("a,y,w\n1,2,1\n5,1,-1\n");
  expect_message(error_of_reading(file, {.targets = {"y"}, .weights = "w"}), file, "3:5", {"'-1'", "0 or more"});
  const TempFile text("a,y,w\n1,2,1\n5,1,much\n");
  expect_message(error_of_reading(text, {.targets = {"y"}, .weights = "w"}), text, "3:5", {"'much'", "a weight"});
}

TEST(BadInput, TextAmongNumbersIsAMistakeNotACategory) {
  std::string text = "a,y\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("{},{}.5\n", i, i);
  const TempFile file(text + "12x,3\n");
  expect_message(error_of_reading(file, kTargetY), file, "52:1",
                 {"'12x'", "'a'", "50 of 51 cells", "missing_values = 12x", "categories = a"});
  const TempFile target(text + "12,3x\n");
  expect_message(error_of_reading(target, kTargetY), target, "52:4", {"'3x'", "'y'", "a number"});
}

TEST(BadInput, TextInRegressionTargets) {
  const TempFile file("a,y,z\n1,2,3\n5,u,3\n");
  expect_message(error_of_reading(file, {.targets = {"y"}, .task = Task::regression}), file, "3:3",
                 {"'u'", "a number", "classification"});
  expect_message(error_of_reading(file, {.targets = {"y", "z"}}), file, "3:3", {"'u'", "several targets"});
  EXPECT_THAT(error_of_reading(file, {.targets = {"y", "z"}, .task = Task::classification}),
              HasSubstr("several targets for classification"));
}

TEST(BadInput, QuotesNeverClosedOrFollowedByText) {
  const TempFile open("a,y\nu,1\n\"v,2\nw,3\n");
  expect_message(error_of_reading(open, kTargetY), open, "3:1", {"never closed"});
  const TempFile behind("a,y\nu,1\n\"v\"x,2\n");
  expect_message(error_of_reading(behind, kTargetY), behind, "3:4", {"behind a closing quote", "twice"});
}

TEST(BadInput, LinesAreCountedThroughQuotedNewlinesAndChunks) {
  std::string text = "t,y\n";
  for (int i = 0; i < 200; ++i) text += "\"two\nlines\",1\n";
  const TempFile file(text + "x,1,2\n");
  for (const std::size_t chunk : {1, 30, 1000, 1000000})
    expect_message(error_of([&] { open_csv(file.path(), kTargetY, {.chunk = chunk, .piece = 20}); }), file, "402:1",
                   {"3 cells"});
}

TEST(BadInput, TheFirstErrorInTheFileIsReportedForAnyThreads) {
  std::string text = "a,y\n";
  for (int i = 0; i < 5000; ++i) text += i % 700 == 699 ? "1\n" : "1,2\n";
  const TempFile file(text);
  for (const int threads : {1, 2, 7})
    expect_message(
        error_of([&] { open_csv(file.path(), {.targets = {"y"}, .threads = threads}, {.chunk = 8000, .piece = 100}); }),
        file, "701:1", {"1 cells"});
}

TEST(BadInput, WrongEncodings) {
  const TempFile wide(
      std::string_view("\xff\xfe"
                       "a\0,\0y\0\n\0",
                       10));
  expect_message(error_of_reading(wide, kTargetY), wide, "1:1", {"UTF-16", "UTF-8"});
  const TempFile binary(std::string_view("a\0b\n1,2\n", 8));
  EXPECT_THAT(error_of_reading(binary, kTargetY), HasSubstr("zero bytes"));
}

TEST(BadInput, LongAndUnprintableCellsAreShownInShort) {
  const TempFile train("a,y\n1,2.5\n2,3\n"), later("a,y\n\"x\n" + std::string(500, 'z') + "\",1\n");
  const Schema schema = open_rows(train.path(), kTargetY)->schema();
  const std::string message = error_of([&] { read_table(*open_rows(later.path(), schema)); });
  EXPECT_LT(message.size(), 300u);
}

// --- a file for a model ---

class BadNewFile : public ::testing::Test {
 protected:
  TempFile train_{"a,t,b,y\n1,u,2,k\n3,v,4,l\n"};
  Schema schema_ = open_rows(train_.path(), kTargetY)->schema();
  std::string read(const TempFile& file, const RowsOptions& options = {}) {
    return error_of([&] { read_table(*open_rows(file.path(), schema_, options)); });
  }
};

TEST_F(BadNewFile, MissingColumnsAreNamed) {
  const TempFile file("t,y,c\nu,k,1\n");
  EXPECT_THAT(read(file), HasSubstr("the columns a, b are missing"));
  const TempFile capitals("A,t,B,y\n1,u,2,k\n");
  EXPECT_THAT(read(capitals), HasSubstr("the file has A, B: small and capital letters differ"));
  const TempFile no_target("a,t,b\n1,u,2\n");
  EXPECT_THAT(read(no_target), HasSubstr("the target y is missing"));
}

TEST_F(BadNewFile, TextInAColumnOfNumbers) {
  const TempFile file("a,t,b,y\n1,u,2,k\n1,u,two,k\n");
  expect_message(read(file), file, "3:5", {"'two'", "'b'", "number as in training"});
}

TEST_F(BadNewFile, UnknownClasses) {
  const TempFile file("a,t,b,y\n1,u,2,m\n");
  expect_message(read(file), file, "2:7", {"class 'm'", "k, l"});
  // Where targets are not required they are unknown.
  const Table table = read_table(*open_rows(file.path(), schema_, {.target_required = false}));
  EXPECT_TRUE(std::isnan(table.y[0][0]));
}

TEST_F(BadNewFile, WrongNumberOfColumnsByPosition) {
  const TempFile file("1,u,2,k,9\n");
  EXPECT_THAT(read(file, {.header = false}), HasSubstr("5 columns, expected 4"));
  EXPECT_THAT(read(file, {.header = false, .target_required = false}),
              HasSubstr("expected 4 as in training or 3 without"));
}

TEST_F(BadNewFile, RaggedRow) {
  const TempFile file("a,t,b,y\n1,u,2,k\n1,u\n");
  expect_message(read(file), file, "3:1", {"2 cells", "expected 4"});
}

}  // namespace
}  // namespace bochner
