// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/bits.h"
#include "backend/workers.h"
#include "bochner/matrix.h"
#include "bochner/neighbors.h"
#include "methods/neighbors/codes.h"

namespace bochner {

// Dense rows that lie somewhere as they were stored: in a mapped file, or in memory that `owner` keeps.
struct StoredRows {
  enum class Kind { floats, bytes, bits };
  Kind kind = Kind::floats;
  const std::byte* data = nullptr;
  std::size_t rows = 0, cols = 0;
  std::shared_ptr<const void> owner = {};
  ByteSteps steps = {};  // bytes only

  std::size_t row_bytes() const;
  std::span<const std::byte> all() const { return {data, rows * row_bytes()}; }
};

// What a search makes of stored numbers: rows of length 1 for cosines, otherwise times 2^exponent.
struct RowScale {
  bool unit = false;
  int exponent = 0;

  bool none() const { return !unit && exponent == 0; }
  void apply(float* row, std::size_t cols) const;
};

// Dense rows as a search takes them: a matrix in memory, or stored rows whose numbers are made when they are asked for,
// so that a file larger than the memory is searched where it lies.
class DenseRows {
 public:
  DenseRows() = default;
  DenseRows(Matrix<float> rows) : own_(std::move(rows)) {}  // NOLINT: a matrix is such rows
  explicit DenseRows(StoredRows stored, RowScale scale = {})
      : stored_(std::make_shared<const StoredRows>(std::move(stored))), scale_(scale) {}
  // A view: rows of someone else, which outlive it.
  static DenseRows of(MatrixView<const float> rows);

  std::size_t rows() const { return stored_ ? stored_->rows : own_.rows(); }
  std::size_t cols() const { return stored_ ? stored_->cols : own_.cols(); }
  const StoredRows* stored() const { return stored_.get(); }
  // Where they are whole numbers from 0 to 255, times a power of two: those, row by row; null otherwise.
  const std::uint8_t* whole_bytes() const;
  const RowScale& scale() const { return scale_; }
  bool holds_bits() const { return stored_ && stored_->kind == StoredRows::Kind::bits; }

  // Whether the numbers lie in memory as they are searched; then view() is all of them.
  bool is_plain() const { return !stored_ || (stored_->kind == StoredRows::Kind::floats && scale_.none()); }
  MatrixView<const float> view() const;

  // The rows in memory, which may change.
  Matrix<float>& matrix() { return own_; }

  // The numbers of row i.
  void copy(std::size_t i, float* to) const;
  // Rows first .. first + count, in `scratch` where they are not plain.
  MatrixView<const float> block(std::size_t first, std::size_t count, Matrix<float>& scratch) const;
  // The rows at some places, in a matrix of their own.
  Matrix<float> at(std::span<const std::uint32_t> places) const;
  Matrix<float> all() const;
  // The same rows where they are kept, in another scale: nothing is computed.
  DenseRows scaled(RowScale scale) const { return DenseRows(*stored_, scale); }
  // Some of them stored as these are, in memory of their own.
  DenseRows kept(std::span<const std::uint32_t> places) const;

 private:
  Matrix<float> own_;
  std::shared_ptr<const StoredRows> stored_;
  RowScale scale_;
};

// Whole numbers from 0 to 255 as rows of bytes.
DenseRows of_bytes(std::shared_ptr<const std::uint8_t[]> bytes, std::size_t rows, std::size_t cols);
DenseRows of_bytes(AlignedVector<std::uint8_t> bytes, std::size_t cols);
// The least and the largest of each input.
struct ByteRanges {
  std::vector<std::uint8_t> low, high;
  int widest() const;
};
ByteRanges byte_ranges(Threads& threads, const std::uint8_t* bytes, std::size_t rows, std::size_t cols);

// Rows of 0 and 1 as bits, and where those lie.
DenseRows as_bits(const Workers& on, const DenseRows& rows);
inline BitRows bit_rows(const DenseRows& rows) {
  return {reinterpret_cast<const std::uint8_t*>(rows.stored()->data), rows.rows(), rows.stored()->row_bytes()};
}

// Numbers of some rows, to be read many times: where rows are not plain they are made once, and `at` counts them.
class SomeRows {
 public:
  void look_at(const DenseRows& rows, std::span<const std::uint32_t> at);
  MatrixView<const float> rows() const { return view_; }
  std::span<const std::uint32_t> at() const { return at_; }

 private:
  Matrix<float> made_;
  std::vector<std::uint32_t> counted_;
  MatrixView<const float> view_;
  std::span<const std::uint32_t> at_;
};

}  // namespace bochner
