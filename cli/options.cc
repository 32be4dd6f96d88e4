// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "bochner/device.h"
#include "require.h"

namespace bochner {

namespace {
constexpr int kMostThreads = 4096;
}

void RunOptions::add(Command& app) {
  app.add_option("--threads", threads, "Threads to use; 0: all cores")->type_name("T");
  app.add_option("--memory", memory, "Memory to stay within, e.g. 4G; default: 3/4 of what is free")->type_name("SIZE");
  app.add_option(
         "--device", device,
         "cpu, cuda (an NVIDIA GPU; the model is the same to the byte), or auto; default: $BOCHNER_DEVICE, or cpu")
      ->type_name("D");
  app.add_option("--block-rows", block_rows)->group("");  // for tests: no choice of it changes a result
  app.add_flag("-q,--quiet", quiet, "No messages and no progress");
}

Execution RunOptions::execution(Messages& messages) const {
  require(threads >= 0 && threads <= kMostThreads, "--threads: found {}, expected 0 (all cores) to {}", threads,
          kMostThreads);
  return {.threads = threads,
          .memory = memory_bytes(),
          .block_rows = block_rows,
          .progress = messages.progress_function(),
          .device = device.empty() ? default_device() : device};
}

std::size_t RunOptions::memory_bytes() const { return memory.empty() ? 0 : parse_bytes("--memory", memory); }

int RunOptions::team() const { return threads_within(threads, memory_bytes()); }

void FileOptions::add(Command& app) {
  const char* group = "How the file is written, where it does not show";
  app.add_option("--format", format, "csv, svmlight or npy; default: by name and first bytes")
      ->type_name("F")
      ->group(group);
  app.add_flag("--header", with_header, "csv: the first line names the columns")->group(group);
  app.add_flag("--no-header", without_header, "csv: the first line is a row")->group(group);
  app.add_option("--delimiter", delimiter, "csv: one character, or 'tab'")->type_name("C")->group(group);
  app.add_option("--decimal", decimal, "csv: . or , in numbers; default: , where the columns show it")
      ->type_name("C")
      ->group(group);
  add_repeatable(app, "--missing-values", missing_values,
                 "csv: texts that mean a missing cell, besides the usual (NA, null, ...); several: a,b or again")
      ->type_name("TEXT")
      ->group(group);
  app.add_flag("--no-usual-missing", no_usual_missing, "csv: only empty cells and --missing-values are missing")
      ->group(group);
  app.add_option("--date-order", date_order, "csv: dmy or mdy, for dates as 03/04/2024 that do not show it")
      ->type_name("O")
      ->group(group);
  app.add_option("--index-base", index_base, "svmlight: number of the first input, 0 or 1")
      ->type_name("N")
      ->group(group);
}

RowsOptions FileOptions::rows(const RunOptions& run) const {
  RowsOptions rows;
  if (!format.empty())
    rows.format = parse_word<Format>("--format", format,
                                     {{"csv", Format::csv}, {"svmlight", Format::svmlight}, {"npy", Format::npy}});
  require(!with_header || !without_header, "--header: found --no-header too, expected one of them");
  if (with_header || without_header) rows.header = with_header;
  if (delimiter == "tab" || delimiter == "\\t")
    rows.delimiter = '\t';
  else if (delimiter) {
    require(delimiter->size() == 1, "--delimiter: found '{}', expected one character or tab", *delimiter);
    rows.delimiter = (*delimiter)[0];
  }
  if (decimal) rows.decimal = parse_word<char>("--decimal", *decimal, {{".", '.'}, {",", ','}});
  rows.missing_values = split_lists(missing_values);
  rows.usual_missing = !no_usual_missing;
  if (date_order)
    rows.date_order = parse_word<Column::Dates>(
        "--date-order", *date_order, {{"dmy", Column::Dates::day_first}, {"mdy", Column::Dates::month_first}});
  require(index_base >= -1 && index_base <= 1, "--index-base: found {}, expected 0 or 1", index_base);
  if (index_base >= 0) rows.index_base = index_base;
  rows.threads = run.team();
  if (!run.memory.empty()) rows.memory = parse_bytes("--memory", run.memory);
  return rows;
}

Model load_model(const std::string& path) {
  try {
    return Model::load(path);
  } catch (const Error& error) {
    fail(Error::Kind::model, "{}", error.what());
  }
}

bool is_pipe(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return path == "-" || (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                         !std::filesystem::is_directory(status));
}

std::size_t count_rows(Rows& rows) {
  if (rows.size()) return *rows.size();
  std::size_t count = 0;
  RowBlock<float> block;
  for (rows.rewind(); rows.next(4096, block);) count += block.rows;
  return count;
}

std::string counted(std::uint64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : thing.ends_with("s") ? "es" : "s");
}

Sum load_sum(const std::string& path) {
  try {
    return Sum::load(path);
  } catch (const Error& error) {
    fail(Error::Kind::model, "{}", error.what());
  }
}

bool is_sum(const std::string& path) { return Sum::is_file(path); }

Word* add_repeatable(Command& app, const std::string& name, std::vector<std::string>& values, const std::string& help) {
  return app.add_option(name, values, help)->one_value_each();
}

void ColumnWords::add(Command& app) {
  add_repeatable(app, "--ignore", ignore, "Column to leave out; several: a,b or again")
      ->type_name("COLUMN")
      ->group(kColumns);
  add_repeatable(app, "--category", categories, "Column to take as text: codes that are numbers, identifiers, dates")
      ->type_name("COLUMN")
      ->group(kColumns);
  app.add_option("--max-levels", max_levels,
                 "The most frequent levels of a text column that become inputs; default 256")
      ->type_name("N")
      ->group(kColumns);
}

void ColumnWords::apply(RowsOptions& rows) const {
  require(max_levels >= 1, "--max-levels: found {}, expected 1 or more", max_levels);
  rows.ignore = split_lists(ignore);
  rows.categories = split_lists(categories);
  rows.max_levels = max_levels;
}

std::vector<std::string> split_lists(const std::vector<std::string>& values) {
  std::vector<std::string> items;
  for (const std::string& value : values) {
    std::string item;
    bool quoted = false;
    for (const char c : value) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        items.push_back(std::exchange(item, {}));
      else
        item += c;
    }
    items.push_back(item);
  }
  return items;
}

std::pair<std::string, std::string> split_pair(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double parse_number(const std::string& option, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  require(error == std::errc() && stop == end && std::isfinite(value), "{}: found '{}', expected a number", option,
          text);
  return value;
}

std::size_t parse_count_or_auto(const std::string& option, const std::string& text) {
  if (text == "auto") return 0;
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  require(error == std::errc() && stop == end && value > 0, "{}: found '{}', expected 1 or more, or auto", option,
          text);
  return value;
}

std::size_t parse_bytes(const std::string& option, const std::string& text) {
  const std::size_t unit = text.find_first_not_of("0123456789.");
  std::string suffix = unit == text.npos ? "" : text.substr(unit);
  while (suffix.starts_with(' ')) suffix.erase(0, 1);
  const std::string units = "KMGT";
  std::size_t power = 0;
  bool known = suffix.empty() || suffix == "B" || suffix == "b";
  if (!known) {
    power = units.find(char(std::toupper(static_cast<unsigned char>(suffix[0]))));
    const std::string rest = suffix.substr(1);
    known = power != units.npos && (rest.empty() || rest == "B" || rest == "b" || rest == "iB" || rest == "ib");
    ++power;
  }
  const std::string digits = text.substr(0, unit);
  require(known && !digits.empty(), "{}: found '{}', expected a size such as 4G or 512M", option, text);
  const double bytes = parse_number(option, digits) * std::pow(1024.0, double(power));
  require(bytes >= 1 << 20 && bytes < 1e18, "{}: found '{}', expected at least 1M", option, text);
  return std::size_t(bytes);
}

double parse_duration(const std::string& option, const std::string& text) {
  const std::size_t unit = text.find_first_not_of("0123456789.");
  std::string suffix = unit == text.npos ? "" : text.substr(unit);
  while (suffix.starts_with(' ')) suffix.erase(0, 1);
  const std::pair<const char*, double> units[] = {{"", 1},     {"s", 1},      {"sec", 1},   {"ms", 1e-3},
                                                  {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}};
  const auto found = std::find_if(std::begin(units), std::end(units), [&](const auto& u) { return suffix == u.first; });
  const std::string digits = text.substr(0, unit);
  require(found != std::end(units) && !digits.empty(), "{}: found '{}', expected a time such as 30s, 5m or 1h", option,
          text);
  const double seconds = parse_number(option, digits) * found->second;
  require(seconds > 0 && seconds < 1e9, "{}: found '{}', expected a time above 0", option, text);
  return seconds;
}

}  // namespace bochner
