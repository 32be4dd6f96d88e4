// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bochner/archive.h"
#include "rows/rows_over.h"

namespace bochner {

// 128 bits of SHA-256 of a salt, a row's identifier and its numbers.
struct RowMark {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const RowMark&) const = default;
};

// Which rows a sum is over: their marks with repetitions, ascending, so that the same rows give the same bytes.
class RowMarks {
 public:
  RowMarks(std::string column, std::string salt) : column_(std::move(column)), salt_(std::move(salt)) {}

  const std::string& column() const { return column_; }  // whose cells identify rows
  const std::string& salt() const { return salt_; }
  const std::vector<RowMark>& marks() const { return marks_; }
  RowMarks like() const { return {column_, salt_}; }  // the same over no rows

  void add(std::vector<RowMark> marks);
  // All of them, or none and the place in `marks` of the first that is not there.
  std::optional<std::size_t> remove(const std::vector<RowMark>& marks);

  void save(Archive& archive) const;
  static RowMarks from(const Archive& archive);  // Error::Kind::model

 private:
  std::string column_, salt_;
  std::vector<RowMark> marks_;
};

// Rows as they are, whose marks are taken as they pass. ids: a cell for each row in order, used up.
class MarkedRows final : public RowsOver {
 public:
  MarkedRows(Rows& rows, KeptCells& ids, std::string salt) : RowsOver(rows), ids_(ids), salt_(std::move(salt)) {}

  void rewind() override;
  bool seek(std::size_t) override { return false; }  // every row is marked
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return next_marked(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return next_marked(max_rows, block); }

  const std::vector<RowMark>& marks() const { return marks_; }  // one for each row so far, in order

 private:
  template <class T>
  bool next_marked(std::size_t max_rows, RowBlock<T>& block);

  KeptCells& ids_;
  std::string salt_;
  std::vector<RowMark> marks_;
};

}  // namespace bochner
