// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/online/row_marks.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/archive.h"
#include "base/require.h"
#include "base/sha256.h"

namespace bochner {

void RowMarks::add(std::vector<RowMark> marks) {
  std::sort(marks.begin(), marks.end());
  const auto middle = marks_.insert(marks_.end(), marks.begin(), marks.end());
  std::inplace_merge(marks_.begin(), middle, marks_.end());
}

std::optional<std::size_t> RowMarks::remove(const std::vector<RowMark>& marks) {
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return marks[a] < marks[b]; });
  std::vector<RowMark> rest;
  rest.reserve(marks_.size());
  std::optional<std::size_t> strange;
  auto at = marks_.begin();
  for (const std::size_t i : order) {
    const auto found = std::lower_bound(at, marks_.end(), marks[i]);
    if (found == marks_.end() || *found != marks[i]) {
      strange = std::min(i, strange.value_or(i));
      continue;
    }
    rest.insert(rest.end(), at, found);
    at = found + 1;
  }
  if (strange) return strange;
  rest.insert(rest.end(), at, marks_.end());
  marks_ = std::move(rest);
  return std::nullopt;
}

void RowMarks::save(Archive& archive) const {
  static_assert(sizeof(RowMark) == 2 * sizeof(std::uint64_t));
  archive.put_text("column", column_);
  archive.put_text("salt", salt_);
  archive.put_view("marks", std::span(reinterpret_cast<const std::uint64_t*>(marks_.data()), 2 * marks_.size()),
                   {marks_.size(), 2});
}

RowMarks RowMarks::from(const Archive& archive) {
  RowMarks marks(archive.get_text("column"), archive.get_text("salt"));
  const std::vector<std::size_t> shape = archive.shape("marks");
  if (shape.size() != 2 || shape[1] != 2)
    fail(Error::Kind::model, "marks: they have another shape than rows of two numbers; the file is damaged");
  const std::vector<std::uint64_t> numbers = archive.get<std::uint64_t>("marks", shape);
  for (std::size_t i = 0; i < numbers.size(); i += 2) marks.marks_.push_back({numbers[i], numbers[i + 1]});
  if (!std::is_sorted(marks.marks_.begin(), marks.marks_.end()))
    fail(Error::Kind::model, "marks: they do not ascend; the file is damaged");
  return marks;
}

void MarkedRows::rewind() {
  RowsOver::rewind();
  marks_.clear();
}

namespace {

// Lengths stand before what is of any length, so that no two rows give the same bytes.
template <class T>
RowMark mark_of(const Sha256& salted, const std::string& id, const RowBlock<T>& block, std::size_t i) {
  Sha256 hash = salted;
  const std::uint64_t length = id.size();
  hash.add_values(std::span(&length, 1));
  hash.add(id);
  if (block.targets) hash.add_values(std::span(block.targets + i * block.target_count, block.target_count));
  if (block.weights) hash.add_values(std::span(block.weights + i, 1));
  if (block.sparse()) {
    const std::size_t begin = block.offsets[i], count = block.offsets[i + 1] - begin;
    hash.add_values(std::span(block.columns + begin, count));
    hash.add_values(std::span(block.values + begin, count));
  } else {
    hash.add_values(std::span(block.values + i * block.stride, block.cols));
  }
  const Sha256::Value value = hash.value();
  return {std::uint64_t(value[0]) << 32 | value[1], std::uint64_t(value[2]) << 32 | value[3]};
}

}  // namespace

template <class T>
bool MarkedRows::next_marked(std::size_t max_rows, RowBlock<T>& block) {
  if (!rows_.next(max_rows, block)) return false;
  require(ids_.lines.size() >= block.rows, "ids: found {} for {} rows, expected one for each", ids_.lines.size(),
          block.rows);
  Sha256 salted;
  salted.add(salt_);
  for (std::size_t i = 0; i < block.rows; ++i) {
    if (ids_.lines.front().empty())
      fail(Error::Kind::data, "row {}: its identifier is empty, expected a text or a number; fill it in",
           block.first + i);
    marks_.push_back(mark_of(salted, ids_.lines.front(), block, i));
    ids_.lines.pop_front();
  }
  return true;
}

}  // namespace bochner
