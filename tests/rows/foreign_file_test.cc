// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/foreign_file.h"

#include "rows/rows_testing.h"

namespace bochner {
namespace {

using namespace std::string_view_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

const RowsOptions kTargetY{.targets = {"y"}};

TEST(ForeignFile, IsRefusedByWhatItIs) {
  const std::pair<std::string_view, const char*> cases[] = {
      {"PAR1\x15\x04\x15"sv, "a Parquet file"},
      {"ARROW1\0\0"sv, "an Arrow file"},
      {"PK\x03\x04\x14\0\0\0\x08\0[Content_Types].xml"sv, "an Excel file"},
      {"PK\x03\x04\x14\0\0\0\x08\0arr_0.npy"sv, "an .npz archive"},
      {"PK\x03\x04\x14\0\0\0\x08\0table.csv"sv, "a zip archive"},
      {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
      {"SQLite format 3\0"sv, "an SQLite database"},
      {"BZh91AY"sv, "a bzip2 file"},
      {"% a comment\n\n@RELATION iris\n@ATTRIBUTE a NUMERIC\n"sv, "an ARFF file"},
      {"<!DOCTYPE html>\n<html>"sv, "a page of HTML"},
      {"[{\"a\": 1, \"y\": 2}]"sv, "a JSON file"},
      {"\x10\0\0\0\0\0\0\0{\"a\":1}"sv, "a model or another safetensors file"},
  };
  for (const auto& [bytes, what] : cases)
    for (const char* suffix : {".csv", ".npy", ".svm", ""}) {
      const TempFile file(bytes, suffix);
      EXPECT_THAT(error_of_reading(file, kTargetY), AllOf(HasSubstr(file.path()), HasSubstr(what), HasSubstr("; ")));
    }
}

TEST(ForeignFile, OldMacLineEndsAreNamed) {
  const TempFile file("a,b,y\r1,2,3\r4,5,6\r");
  EXPECT_THAT(error_of_reading(file, kTargetY), AllOf(HasSubstr("old Macs"), HasSubstr("tr '\\r' '\\n'")));
}

TEST(ForeignFile, CommentsAreNamedButAHeaderMayBeginWithAHash) {
  for (const char* text : {"# made by hand\na,y\n1,2\n", "# a,y\n# b,c\n1,2\n", "#\na,y\n1,2\n", "# nothing else\n"}) {
    const TempFile file(text);
    EXPECT_THAT(error_of_reading(file, kTargetY), AllOf(HasSubstr(":1:1: begins with a comment"), HasSubstr("grep")));
  }
  const TempFile below("a,y\n1,2\n# half way\n3,4\n");
  EXPECT_THAT(error_of_reading(below, kTargetY),
              AllOf(HasSubstr(":3:1: a line that begins with #"), HasSubstr("grep")));
  const TempFile header("#a,y\n1,2\n3,5\n");
  EXPECT_EQ(open_rows(header.path(), kTargetY)->schema().columns[0].name, "#a");
}

TEST(ForeignFile, OtherEncodingsThanUtf8AreSaid) {
  const TempFile name(
      "stra\xdf"
      "e,y\n1,0.5\n2,1.5\n"),
      level("t,y\ncaf\xe9,0.5\nbar,1.5\n"), label("a,y\n1,\xe4\n2,b\n");
  for (const TempFile* file : {&name, &level, &label}) {
    const auto notes = open_rows(file->path(), kTargetY)->notes();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_THAT(notes[0], AllOf(HasSubstr("not in UTF-8"), HasSubstr("iconv")));
  }
  const TempFile all(
      "r\xe9gion,stra\xdf"
      "e,y\nS\xfc"
      "d,b,0.5\nNord,a,1.5\n");
  const auto notes = open_rows(all.path(), kTargetY)->notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], AllOf(HasSubstr("r\\xe9gion, stra\\xdf"), HasSubstr("cells of r\\xe9gion")));
  const TempFile good(
      "stra\xc3\x9f"
      "e,y\n1,0.5\n2,1.5\n");
  EXPECT_TRUE(open_rows(good.path(), kTargetY)->notes().empty());
}

}  // namespace
}  // namespace bochner
