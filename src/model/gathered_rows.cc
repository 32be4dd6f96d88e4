// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/gathered_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/require.h"
#include "rows/rows_over.h"

namespace bochner {

namespace {

constexpr std::size_t kBlock = 4096;

// Rows and their numbers, in any order.
struct Packed {
  std::vector<std::uint64_t> numbers = {};
  RowBuffer<double> rows = {};

  explicit Packed(const RowShape& shape) {
    rows.cols = shape.cols;
    rows.target_count = shape.targets;
    rows.sparse = shape.sparse;
  }

  void add(const RowBlock<double>& block) {
    rows.weighted = block.weights != nullptr;
    rows.append(block);
    for (std::size_t i = 0; i < block.rows; ++i) numbers.push_back(block.first + i);
  }
  void merge(const Packed& other) {
    if (other.rows.rows > 0) rows.weighted = other.rows.weighted;
    rows.append(other.rows);
    numbers.insert(numbers.end(), other.numbers.begin(), other.numbers.end());
  }
  void save(Archive& archive) const {
    const auto put = [&]<class T>(const char* name, const T& numbers) {
      archive.put<typename T::value_type>(name, numbers, {numbers.size()});
    };
    put("numbers", numbers);
    put("values", rows.values);
    put("targets", rows.targets);
    put("weights", rows.weights);
    if (!rows.sparse) return;
    const std::vector<std::uint64_t> ends(rows.offsets.begin() + 1, rows.offsets.end());
    put("ends", ends);
    put("columns", rows.columns);
  }
  void load(const Archive& archive) {
    numbers = archive.get<std::uint64_t>("numbers", {archive.length("numbers")});
    const std::size_t n = rows.rows = numbers.size();
    const std::size_t length = rows.sparse ? archive.length("values") : n * rows.cols;
    const auto values = archive.get<double>("values", {length});
    rows.values.assign(values.begin(), values.end());
    rows.targets = archive.get<double>("targets", {n * rows.target_count});
    rows.weighted = n > 0 && archive.length("weights") > 0;
    rows.weights = archive.get<double>("weights", {rows.weighted ? n : 0});
    if (!rows.sparse) return;
    const auto ends = archive.get<std::uint64_t>("ends", {n});
    if (!std::is_sorted(ends.begin(), ends.end()) || (n > 0 ? ends.back() : 0) != length)
      fail(Error::Kind::model, "rank: the ends of rows do not ascend to {}; the file was altered", length);
    rows.offsets.assign(1, 0);
    rows.offsets.insert(rows.offsets.end(), ends.begin(), ends.end());
    const auto columns = archive.get<std::uint32_t>("columns", {length});
    rows.columns.assign(columns.begin(), columns.end());
  }

  RowBuffer<double> in_order() const {
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    RowBuffer<double> sorted;
    sorted.cols = rows.cols;
    sorted.target_count = rows.target_count;
    sorted.sparse = rows.sparse;
    sorted.weighted = rows.weighted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && numbers[order[i]] == numbers[order[i - 1]])
        fail(Error::Kind::data, "ranks: row {} is one of two ranks; open the rows by open_on_ranks", numbers[order[i]]);
      sorted.append(rows.view(order[i], 1, 0));
    }
    return sorted;
  }
};

class GatheredRows final : public RowsOver {
 public:
  GatheredRows(std::unique_ptr<Rows> rows, CellCounts counts, std::vector<std::string> notes)
      : RowsOver(*rows), owned_(std::move(rows)), counts_(std::move(counts)), notes_(std::move(notes)) {}

  bool next(std::size_t max_rows, RowBlock<float>& block) override { return rows_.next(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return rows_.next(max_rows, block); }
  std::vector<std::string> notes() const override { return notes_; }
  CellCounts counts() const override { return counts_; }

 private:
  std::unique_ptr<Rows> owned_;
  CellCounts counts_;  // those of all rows, drawn or not
  std::vector<std::string> notes_;
};

}  // namespace

RowBuffer<double> gathered_blocks(const std::function<void(const VisitRows& visit)>& each, const RowShape& shape,
                                  double share, std::uint64_t seed, Ranks& ranks) {
  const Packed none(shape);
  return reduce(ranks, none,
                [&] {
                  Packed mine = none;
                  each([&](const RowBlock<double>& block) {
                    if (share >= 1) return mine.add(block);
                    for (std::size_t i = 0; i < block.rows; ++i)
                      if (is_test_row(seed, block.first + i, share)) mine.add(block.slice(i, 1));
                  });
                  return mine;
                })
      .in_order();
}

double gathered_share(const Rows& rows, double most_bytes) {
  const Schema& schema = rows.schema();
  const CellCounts counts = rows.counts();
  const double inputs = schema.sparse ? 12.0 * double(counts.cells) / double(counts.rows) : 8.0 * double(schema.inputs);
  return most_bytes / ((inputs + 8.0 * double(schema.targets + 2)) * double(counts.rows));
}

std::unique_ptr<Rows> gathered_rows(Rows& rows, std::uint64_t seed, Ranks& ranks, double most_bytes) {
  const Schema& schema = rows.schema();
  const auto each = [&](const VisitRows& visit) {
    RowBlock<double> block;
    for (rows.rewind(); rows.next(kBlock, block);) visit(block);
  };
  const RowBuffer<double> ordered = gathered_blocks(each, {schema.inputs, schema.targets, schema.sparse},
                                                    gathered_share(rows, most_bytes), seed, ranks);
  const auto seen = memory_rows(ordered.view(0, ordered.rows, 0), schema);
  return std::make_unique<GatheredRows>(cached_rows<double>(*seen), rows.counts(), rows.notes());
}

}  // namespace bochner
