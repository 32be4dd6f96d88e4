// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/dense_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/pieces.h"

namespace bochner {

std::size_t StoredRows::row_bytes() const {
  switch (kind) {
    case Kind::floats:
      return cols * sizeof(float);
    case Kind::bytes:
      return cols;
    case Kind::bits:
      return BitRows::stride_of(cols);
  }
  return 0;
}

void RowScale::apply(float* row, std::size_t cols) const {
  double factor = std::ldexp(1.0, exponent);
  if (unit) {
    double squared = 0;
    for (std::size_t j = 0; j < cols; ++j) squared += double(row[j]) * double(row[j]);
    factor = squared > 0 ? 1 / std::sqrt(squared) : 1;
  }
  for (std::size_t j = 0; j < cols; ++j) row[j] = float(double(row[j]) * factor);
}

DenseRows DenseRows::of(MatrixView<const float> rows) {
  // Rows that lie apart would be no stored ones: none of ours do.
  return DenseRows(
      StoredRows{.data = reinterpret_cast<const std::byte*>(rows.data), .rows = rows.rows, .cols = rows.cols});
}

MatrixView<const float> DenseRows::view() const {
  if (!stored_) return own_.view();
  return {reinterpret_cast<const float*>(stored_->data), stored_->rows, stored_->cols, stored_->cols};
}

const std::uint8_t* DenseRows::whole_bytes() const {
  const bool whole = stored_ && stored_->kind == StoredRows::Kind::bytes && stored_->steps.step == 1 && !scale_.unit &&
                     std::all_of(stored_->steps.low.begin(), stored_->steps.low.end(), [](float x) { return x == 0; });
  return whole ? reinterpret_cast<const std::uint8_t*>(stored_->data) : nullptr;
}

void DenseRows::copy(std::size_t i, float* to) const {
  if (!stored_) {
    std::copy_n(&own_(i, 0), own_.cols(), to);
    return;
  }
  const std::byte* from = stored_->data + i * stored_->row_bytes();
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  switch (stored_->kind) {
    case StoredRows::Kind::floats:
      std::memcpy(to, from, stored_->cols * sizeof(float));
      break;
    case StoredRows::Kind::bytes:
      for (std::size_t j = 0; j < stored_->cols; ++j) to[j] = stored_->steps.value(j, bytes[j]);
      break;
    case StoredRows::Kind::bits:
      for (std::size_t j = 0; j < stored_->cols; ++j) to[j] = float(bytes[j / 8] >> (j % 8) & 1);
      break;
  }
  if (!scale_.none()) scale_.apply(to, stored_->cols);
}

MatrixView<const float> DenseRows::block(std::size_t first, std::size_t count, Matrix<float>& scratch) const {
  if (is_plain()) return view().slice(first, count);
  if (scratch.rows() < count || scratch.cols() != cols()) scratch = Matrix<float>(count, cols());
  for (std::size_t i = 0; i < count; ++i) copy(first + i, &scratch(i, 0));
  return MatrixView<const float>(scratch.view()).slice(0, count);
}

Matrix<float> DenseRows::at(std::span<const std::uint32_t> places) const {
  Matrix<float> some(places.size(), cols());
  for (std::size_t i = 0; i < places.size(); ++i) copy(places[i], some.data() + i * cols());
  return some;
}

Matrix<float> DenseRows::all() const {
  if (!stored_) return own_;
  Matrix<float> all(rows(), cols());
  for (std::size_t i = 0; i < rows(); ++i) copy(i, all.data() + i * cols());
  return all;
}

namespace {

constexpr std::size_t kStoredRows = 1024;

// Memory for stored rows.
struct Memory {
  explicit Memory(std::size_t bytes) : bytes(std::make_shared<std::vector<std::byte>>(bytes)) {}
  std::shared_ptr<std::vector<std::byte>> bytes;

  StoredRows as(StoredRows rows) const {
    rows.data = bytes->data();
    rows.owner = bytes;
    return rows;
  }
};

}  // namespace

DenseRows DenseRows::kept(std::span<const std::uint32_t> places) const {
  const std::size_t size = stored_->row_bytes();
  const Memory memory(places.size() * size);
  for (std::size_t i = 0; i < places.size(); ++i)
    std::memcpy(memory.bytes->data() + i * size, stored_->data + places[i] * size, size);
  StoredRows some = *stored_;
  some.rows = places.size();
  return DenseRows(memory.as(std::move(some)), scale_);
}

DenseRows of_bytes(std::shared_ptr<const std::uint8_t[]> bytes, std::size_t rows, std::size_t cols) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.get());
  return DenseRows(StoredRows{.kind = StoredRows::Kind::bytes,
                              .data = data,
                              .rows = rows,
                              .cols = cols,
                              .owner = std::move(bytes),
                              .steps = {std::vector<float>(cols), 1}});
}
DenseRows of_bytes(AlignedVector<std::uint8_t> bytes, std::size_t cols) {
  const std::size_t rows = cols ? bytes.size() / cols : 0;
  const auto owner = std::make_shared<const AlignedVector<std::uint8_t>>(std::move(bytes));
  return of_bytes(std::shared_ptr<const std::uint8_t[]>(owner, owner->data()), rows, cols);
}

namespace {

void widen(const std::uint8_t* __restrict bytes, std::size_t rows, std::size_t cols, std::uint8_t* __restrict low,
           std::uint8_t* __restrict high) {
  for (std::size_t i = 0; i < rows; ++i, bytes += cols)
    for (std::size_t j = 0; j < cols; ++j) {
      low[j] = std::min(low[j], bytes[j]);
      high[j] = std::max(high[j], bytes[j]);
    }
}

}  // namespace

ByteRanges byte_ranges(Threads& threads, const std::uint8_t* bytes, std::size_t rows, std::size_t cols) {
  const ByteRanges none{std::vector<std::uint8_t>(cols, 255), std::vector<std::uint8_t>(cols, 0)};
  std::vector<ByteRanges> ranges(std::max<std::size_t>(1, (rows + kStoredRows - 1) / kStoredRows), none);
  threads.run(ranges.size(), [&](std::size_t piece, int) {
    const std::size_t begin = std::min(rows, piece * kStoredRows);
    widen(bytes + begin * cols, std::min(rows - begin, kStoredRows), cols, ranges[piece].low.data(),
          ranges[piece].high.data());
  });
  ByteRanges all = none;
  for (const ByteRanges& some : ranges) {
    widen(some.low.data(), 1, cols, all.low.data(), all.high.data());
    widen(some.high.data(), 1, cols, all.low.data(), all.high.data());
  }
  return all;
}
int ByteRanges::widest() const {
  int widest = 0;
  for (std::size_t j = 0; j < low.size(); ++j) widest = std::max(widest, int(high[j]) - int(low[j]));
  return widest;
}

DenseRows as_bits(const Workers& on, const DenseRows& rows) {
  if (rows.holds_bits()) return rows;
  const std::size_t stride = BitRows::stride_of(rows.cols());
  const Memory memory(rows.rows() * stride);
  in_pieces(on.threads, rows.rows(), kStoredRows, [&](std::size_t begin, std::size_t count) {
    Matrix<float> scratch;
    for (std::size_t i = begin; i < begin + count; ++i)
      pack_bits(rows.block(i, 1, scratch).row(0), rows.cols(),
                reinterpret_cast<std::uint8_t*>(memory.bytes->data()) + i * stride);
  });
  return DenseRows(memory.as({.kind = StoredRows::Kind::bits, .rows = rows.rows(), .cols = rows.cols()}));
}

void SomeRows::look_at(const DenseRows& rows, std::span<const std::uint32_t> at) {
  at_ = at;
  if (rows.is_plain()) {
    view_ = rows.view();
    return;
  }
  if (made_.rows() < at.size() || made_.cols() != rows.cols()) made_ = Matrix<float>(at.size(), rows.cols());
  for (std::size_t i = 0; i < at.size(); ++i) rows.copy(at[i], made_.data() + i * rows.cols());
  while (counted_.size() < at.size()) counted_.push_back(std::uint32_t(counted_.size()));
  view_ = made_.view();
  at_ = std::span(counted_).first(at.size());
}

}  // namespace bochner
