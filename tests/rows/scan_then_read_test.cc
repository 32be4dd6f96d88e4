// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>

#include "rows/rows_testing.h"
#include "rows/schema_json.h"

namespace bochner {
namespace {

// Cells of one sort each; a column draws from one or two of them.
std::string draw(int sort, std::mt19937& random) {
  const auto pick = [&](std::initializer_list<const char*> items) {
    return std::string(items.begin()[random() % items.size()]);
  };
  switch (sort) {
    case 0:
      return fmt::format("{}", random() % 5);
    case 1:
      return fmt::format("{}.{}", int(random() % 200) - 100, random() % 100);
    case 2:
      return fmt::format("{},{}", random() % 200, random() % 100);
    case 3:
      return pick({"", "?", "NA", "NaN", "null"});
    case 4:
      return pick({"-", "none", "--", "Missing"});
    case 5:
      return fmt::format("2024-{:02}-{:02}", 1 + random() % 12, 1 + random() % 28);
    case 6:
      return fmt::format("{}/{}/2024", 1 + random() % 28, 1 + random() % 12);
    case 7:
      return fmt::format("k{}", random());
    case 8:
      return pick({"red", "green", "blue"});
    case 9:
      return fmt::format("{}%", random() % 100);
    case 10:
      return fmt::format("{}{}", random() % 30, pick({"A", "B", "C"}));
    default:
      return pick({"inf", "1e999", "\"a;b,c\"", "\"1\"", "#1"});
  }
}

// What a scan lets pass the reader can read, as many rows as it said, and again by the schema as a model keeps it.
TEST(ScanThenRead, WhateverTheColumnsAre) {
  std::mt19937 random(17);
  int tables = 0, refused = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const char delimiter = ";,\t"[random() % 3];
    const std::size_t columns = 2 + random() % 3, rows = 1 + random() % 60;
    std::vector<std::pair<int, int>> sorts;
    for (std::size_t c = 0; c < columns; ++c) {
      const int usual = int(random() % 12);
      sorts.emplace_back(usual, random() % 2 ? usual : random() % 2 ? 3 + int(random() % 2) : int(random() % 12));
    }
    std::string text;
    if (random() % 4)
      for (std::size_t c = 0; c < columns; ++c) text += fmt::format("name{}{}", c, c + 1 < columns ? delimiter : '\n');
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t c = 0; c < columns; ++c) {
        std::string cell = draw(random() % 5 ? sorts[c].first : sorts[c].second, random);
        if (cell.find(delimiter) != cell.npos && cell[0] != '"') cell = '"' + cell + '"';
        text += cell + (c + 1 < columns ? delimiter : '\n');
      }
    RowsOptions options{.targets = {"0"}, .missing = random() % 2 ? Missing::drop : Missing::mean, .threads = 1};
    if (random() % 5 == 0) options.missing_values = {"red", "3"};
    if (random() % 8 == 0) options.decimal = random() % 2 ? ',' : '.';
    if (random() % 4 == 0) options.date_order = Column::Dates::day_first;
    const TempFile file(text);
    std::unique_ptr<Rows> scanned;
    try {
      scanned = open_rows(file.path(), options);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("; "), std::string::npos) << "no remedy: " << error.what();
      ++refused;
      continue;
    }
    ++tables;
    const std::size_t said = *scanned->size();
    try {
      const Table table = read_table(*scanned);
      EXPECT_EQ(table.x.size(), said) << text;
      const Schema kept = schema_from_json(nlohmann::json::parse(schema_to_json(scanned->schema()).dump()));
      RowsOptions again;
      again.header = scanned->schema().header;
      again.delimiter = delimiter;
      EXPECT_EQ(read_table(*open_rows(file.path(), kept, again)), table) << text;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(tables, 150);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace bochner
