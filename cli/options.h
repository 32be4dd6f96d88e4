// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bochner/execution.h"
#include "bochner/model.h"
#include "bochner/parts.h"
#include "bochner/rows.h"
#include "bochner/suggest.h"
#include "command.h"
#include "messages.h"

namespace bochner {

// --threads, --memory, --quiet: for every command that works long.
struct RunOptions {
  int threads = 0;
  std::string memory, device;
  std::size_t block_rows = 0;
  bool quiet = false;

  void add(Command& app);
  Execution execution(Messages& messages) const;
  std::size_t memory_bytes() const;  // 0: not asked for
  int team() const;                  // the threads that readers and writers take
};

// How a data file is written, where its name and first lines do not say.
struct FileOptions {
  std::string format;
  std::optional<std::string> delimiter, decimal, date_order;
  std::vector<std::string> missing_values;
  int index_base = -1;
  bool with_header = false, without_header = false, no_usual_missing = false;

  void add(Command& app);
  RowsOptions rows(const RunOptions& run) const;
};

// Model::load, where every fault of the file, even its absence, is Error::Kind::model.
Model load_model(const std::string& path);

// Help of the rows of predict and transform.
inline constexpr const char* kRowsHelp = "Rows; its target column may be absent. - is standard input";
// Whether a file of rows is a pipe or standard input, which can be read only once.
bool is_pipe(const std::string& path);

// The shape stands first in a .npy file, so rows are counted where their file does not say: another pass.
std::size_t count_rows(Rows& rows);

// "1 row", "2 rows".
std::string counted(std::uint64_t count, const std::string& thing);

// Sum::load, likewise.
Sum load_sum(const std::string& path);
// Whether a file is a sum of `bochner accumulate`. Anything else, even its absence, is left to who loads it.
bool is_sum(const std::string& path);

// An option that takes one value each time it is given, and may be given again.
Word* add_repeatable(Command& app, const std::string& name, std::vector<std::string>& values, const std::string& help);

// Which columns are inputs, and how text among them is read.
struct ColumnWords {
  std::vector<std::string> ignore, categories;
  std::size_t max_levels = 256;

  void add(Command& app);
  void apply(RowsOptions& rows) const;
};
constexpr const char* kColumns = "Columns and rows";  // their group in the help

// "a,b" twice over: all the items of all the values. An item in double quotes may hold commas.
std::vector<std::string> split_lists(const std::vector<std::string>& values);
// NAME=VALUE, split at the last '=' since a column's name may hold one. No '=': an empty name.
std::pair<std::string, std::string> split_pair(const std::string& text);

// `option`: found text, expected a number.
double parse_number(const std::string& option, const std::string& text);
// A whole number of 1 and more, or "auto": 0.
std::size_t parse_count_or_auto(const std::string& option, const std::string& text);
// "4G", "512M", "1.5 GiB", "1000000"; K, M, G and T are powers of 1024.
std::size_t parse_bytes(const std::string& option, const std::string& text);
// Seconds: "30s", "90", "2m", "1.5 h", "500ms".
double parse_duration(const std::string& option, const std::string& text);

// The value of one of these words.
template <class T>
T parse_word(const std::string& option, const std::string& text, const std::vector<std::pair<const char*, T>>& words) {
  std::string expected;
  std::vector<std::string> known;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(word);
    known.emplace_back(word);
  }
  throw std::invalid_argument(option + ": found '" + text + "', expected one of " + expected + suggestion(text, known));
}

}  // namespace bochner
