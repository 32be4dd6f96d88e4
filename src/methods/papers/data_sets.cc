// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/papers/data_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <string_view>

#include "random/draw.h"
#include "rows/byte_source.h"

namespace bochner {

namespace {

// A file of comma separated cells as numbers. Texts of a column are numbered as they appear.
struct Cells {
  std::vector<float> values = {};
  std::size_t cols = 0;
  std::vector<std::map<std::string, float, std::less<>>> texts = {};  // one per column

  std::size_t rows() const { return cols ? values.size() / cols : 0; }
  float operator()(std::size_t i, std::size_t j) const { return values[i * cols + j]; }
};

std::string text_of(const std::string& path) {
  const std::unique_ptr<ByteSource> source = open_bytes(path);
  std::string text;
  std::vector<char> piece(1 << 20);
  while (const std::size_t count = source->read(piece.data(), piece.size())) text.append(piece.data(), count);
  return text;
}

std::string_view stripped(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

void add_cell(Cells& cells, std::size_t column, std::string_view text) {
  float value = std::nanf("");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text == "?")
    value = std::nanf("");
  else if (error != std::errc() || end != text.data() + text.size()) {
    if (cells.texts.size() <= column) cells.texts.resize(column + 1);
    auto& known = cells.texts[column];
    value = known.emplace(std::string(text), float(known.size())).first->second;
  }
  cells.values.push_back(value);
}

// Adds the lines behind the one that begins with `behind`; empty: all lines. Lines of another width are left out.
void add_lines(Cells& cells, const std::string& path, std::string_view behind = {}) {
  const std::string text = text_of(path);
  bool begun = behind.empty();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = stripped(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (!begun) {
      begun = line.starts_with(behind);
      continue;
    }
    const auto width = std::size_t(std::count(line.begin(), line.end(), ',')) + 1;
    if (line.empty() || line.front() == '%' || (cells.cols && width != cells.cols)) continue;
    cells.cols = width;
    std::size_t column = 0;
    for (std::size_t at = 0; at <= line.size(); ++column) {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      add_cell(cells, column, stripped(line.substr(at, comma - at)));
      at = comma + 1;
    }
  }
}

// Whether all files are there; otherwise says which is not.
bool all_there(const std::string& folder, std::initializer_list<const char*> files, DataSet& set) {
  for (const char* file : files) {
    if (!folder.empty() && std::filesystem::is_regular_file(folder + "/" + file)) continue;
    set.missing =
        folder.empty() ? "no folder of data sets: set BOCHNER_DATA" : fmt::format("no {} in {}", file, folder);
    return false;
  }
  return true;
}

void name_task(DataSet& set, std::vector<std::string> labels) {
  set.schema.inputs = set.x.cols();
  set.schema.targets = 1;
  set.schema.task = labels.empty() ? Task::regression : Task::classification;
  set.schema.labels = std::move(labels);
}

// Copies rows in an order: the target's column apart, texts as indicators of their first `levels` values.
void fill(DataSet& set, const Cells& cells, const std::vector<std::size_t>& order, std::size_t target) {
  std::vector<std::size_t> begin(cells.cols + 1, 0);
  for (std::size_t j = 0; j < cells.cols; ++j) {
    const std::size_t levels = j < cells.texts.size() ? cells.texts[j].size() : 0;
    begin[j + 1] = begin[j] + (j == target ? 0 : std::max<std::size_t>(levels, 1));
  }
  set.x = Matrix<float>(order.size(), begin.back());
  set.y = Matrix<double>(order.size(), 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < cells.cols; ++j) {
      const float value = cells(order[i], j);
      if (j == target)
        set.y(i, 0) = value;
      else if (begin[j + 1] - begin[j] > 1)
        set.x(i, begin[j] + std::size_t(value)) = 1;
      else
        set.x(i, begin[j]) = value;
    }
  }
}

std::vector<std::size_t> as_they_are(std::size_t rows) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t(0));
  return order;
}

std::vector<std::size_t> shuffled(std::size_t rows) {
  std::vector<std::size_t> order = as_they_are(rows);
  std::stable_sort(order.begin(), order.end(),
                   [](std::size_t a, std::size_t b) { return bits(0, Draw::split, a) < bits(0, Draw::split, b); });
  return order;
}

// Missing cells become the median of their column.
void fill_missing(Matrix<float>& x) {
  for (std::size_t j = 0; j < x.cols(); ++j) {
    std::vector<float> known;
    for (std::size_t i = 0; i < x.rows(); ++i)
      if (!std::isnan(x(i, j))) known.push_back(x(i, j));
    if (known.size() == x.rows() || known.empty()) continue;
    std::nth_element(known.begin(), known.begin() + std::ptrdiff_t(known.size() / 2), known.end());
    for (std::size_t i = 0; i < x.rows(); ++i)
      if (std::isnan(x(i, j))) x(i, j) = known[known.size() / 2];
  }
}

}  // namespace

std::unique_ptr<Rows> DataSet::train() const {
  return memory_rows<float>(x.view().slice(0, train_rows), y.view().slice(0, train_rows), schema);
}

std::unique_ptr<Rows> DataSet::test() const {
  const std::size_t count = x.rows() - train_rows;
  return memory_rows<float>(x.view().slice(train_rows, count), y.view().slice(train_rows, count), schema);
}

DataSet computer_activity(const std::string& folder) {
  DataSet set{.train_rows = 6500};
  if (!all_there(folder, {"cpu-act/cpu_act.arff.xz"}, set)) return set;
  Cells cells;
  add_lines(cells, folder + "/cpu-act/cpu_act.arff.xz", "@data");
  fill(set, cells, shuffled(cells.rows()), cells.cols - 1);
  name_task(set, {});
  return set;
}

DataSet forest_cover(const std::string& folder) {
  DataSet set{.train_rows = 357'345};
  if (!all_there(folder, {"covtype/covtype.397050.data.xz"}, set)) return set;
  Cells cells;
  add_lines(cells, folder + "/covtype/covtype.397050.data.xz");
  fill(set, cells, shuffled(cells.rows()), cells.cols - 1);
  for (std::size_t i = 0; i < set.y.rows(); ++i) set.y(i, 0) = set.y(i, 0) == 2;
  name_task(set, {"rest", "class 2"});
  return set;
}

DataSet intrusions(const std::string& folder) {
  DataSet set;
  if (!all_there(folder, {"kddcup99/kddcup.data_10_percent.gz", "kddcup99/corrected.gz"}, set)) return set;
  Cells cells;
  add_lines(cells, folder + "/kddcup99/kddcup.data_10_percent.gz");
  set.train_rows = cells.rows();
  add_lines(cells, folder + "/kddcup99/corrected.gz");
  fill(set, cells, as_they_are(cells.rows()), cells.cols - 1);
  const double normal_label = cells.texts.back().at("normal.");
  for (std::size_t i = 0; i < set.y.rows(); ++i) set.y(i, 0) = set.y(i, 0) != normal_label;
  name_task(set, {"normal", "attack"});
  return set;
}

DataSet advertisements(const std::string& folder) {
  DataSet set;
  if (!all_there(folder, {"internet-ads/ad.data.xz"}, set)) return set;
  Cells cells;
  add_lines(cells, folder + "/internet-ads/ad.data.xz");
  fill(set, cells, shuffled(cells.rows()), cells.cols - 1);
  fill_missing(set.x);
  set.train_rows = cells.rows() * 7 / 10;
  name_task(set, {"0", "1"});
  return set;
}

DataSet postal_digits(const std::string& folder) {
  DataSet set;
  if (!all_there(folder, {"usps/usps.train.csv.xz", "usps/usps.test.csv.xz"}, set)) return set;
  Cells cells;
  add_lines(cells, folder + "/usps/usps.train.csv.xz");
  set.train_rows = cells.rows();
  add_lines(cells, folder + "/usps/usps.test.csv.xz");
  fill(set, cells, as_they_are(cells.rows()), 0);
  std::vector<std::string> labels;
  for (int digit = 0; digit < 10; ++digit) labels.push_back(fmt::format("{}", digit));
  name_task(set, std::move(labels));
  return set;
}

}  // namespace bochner
