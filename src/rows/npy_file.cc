// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/npy_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/require.h"
#include "rows/labels.h"

namespace bochner {

namespace {

constexpr std::size_t kMostHeader = std::size_t{1} << 20, kPiece = std::size_t{1} << 16;

// raw[0, count) to out[0], out[step], ...
template <class S, class T>
void widen(const char* raw, std::size_t count, T* out, std::size_t step) {
  for (std::size_t i = 0; i < count; ++i) {
    S value;
    std::memcpy(&value, raw + i * sizeof(S), sizeof(S));
    out[i * step] = static_cast<T>(value);
  }
}

using Widen = void (*)(const char*, std::size_t, double*, std::size_t);

Widen find_widen(std::string_view type) {
  if (type == "f4") return widen<float, double>;
  if (type == "f8") return widen<double, double>;
  if (type == "i1") return widen<std::int8_t, double>;
  if (type == "i2") return widen<std::int16_t, double>;
  if (type == "i4") return widen<std::int32_t, double>;
  if (type == "i8") return widen<std::int64_t, double>;
  if (type == "u1" || type == "b1") return widen<std::uint8_t, double>;
  if (type == "u2") return widen<std::uint16_t, double>;
  if (type == "u4") return widen<std::uint32_t, double>;
  if (type == "u8") return widen<std::uint64_t, double>;
  return nullptr;
}

// What follows 'key': in the Python dict of the header, spaces skipped; empty when the key is absent.
std::string_view entry(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    std::size_t at = header.find(quoted);
    if (at == header.npos) continue;
    at = header.find_first_not_of(" ", at + quoted.size());
    if (at == header.npos || header[at] != ':') return {};
    at = header.find_first_not_of(" ", at + 1);
    return at == header.npos ? std::string_view{} : header.substr(at);
  }
  return {};
}

}  // namespace

NpyFile::NpyFile(const std::string& path, std::size_t memory) : path_(path), source_(open_bytes(path, memory)) {
  unsigned char head[12] = {};
  const std::size_t got = source_->read(reinterpret_cast<char*>(head), 10);
  if (got < 10 || std::memcmp(head, "\x93NUMPY", 6) != 0)
    fail(Error::Kind::data, "{}: does not begin as a .npy file does; save it with numpy.save", path);
  if (head[6] < 1 || head[6] > 3)
    fail(Error::Kind::data, "{}: .npy format {}, expected 1 to 3; save it with numpy.save", path, head[6]);
  std::size_t length = head[8] + 256u * head[9];
  data_begin_ = 10;
  if (head[6] >= 2) {
    source_->read(reinterpret_cast<char*>(head) + 10, 2);
    length += 65536u * head[10] + (std::size_t(head[11]) << 24);
    data_begin_ = 12;
  }
  if (length > kMostHeader)
    fail(Error::Kind::data, "{}: a .npy header of {} bytes; the file is damaged, save it again", path, length);
  std::string text(length, '\0');
  if (source_->read(text.data(), length) != length)
    fail(Error::Kind::data, "{}: ends within the .npy header, the file is truncated; save or fetch it again", path);
  data_begin_ += length;
  parse_header(text);

  std::size_t elements = 0, bytes = 0;
  if (__builtin_mul_overflow(rows_, cols_, &elements) || __builtin_mul_overflow(elements, element_bytes_, &bytes) ||
      __builtin_mul_overflow(elements, sizeof(double), &elements))
    fail(Error::Kind::data, "{}: shape ({}, {}) is too large; the file is damaged, save it again", path, rows_, cols_);
  const bool packed = reads_in_order_only(path);
  if (fortran_ && packed)
    fail(Error::Kind::data,
         "{}: Fortran order in a compressed file or a pipe cannot be read by rows; store it plain, or save it "
         "as numpy.ascontiguousarray(x)",
         path);
  if (packed) {
    check_first_row();
  } else {
    plain_ = std::make_unique<DiskFile>(path);
    if (plain_->size() - data_begin_ < bytes)
      fail(Error::Kind::data,
           "{}: {} bytes of data, expected {} for shape ({}, {}); the file is truncated, save or "
           "fetch it again",
           path, plain_->size() - data_begin_, bytes, rows_, cols_);
    if (plain_->size() - data_begin_ > bytes) refuse_rest();
  }
}

// How much a compressed file holds shows only as it is read. One row is sure to be there, so a buffer may have its
// size.
void NpyFile::check_first_row() {
  std::vector<char> piece(std::min(kPiece, cols_ * element_bytes_));
  for (std::size_t left = cols_ * element_bytes_; left > 0;) {
    const std::size_t wanted = std::min(left, piece.size());
    if (source_->read(piece.data(), wanted) != wanted)
      fail(Error::Kind::data, "{}: ends within row 0 of {} columns, the file is truncated; save or fetch it again",
           path_, cols_);
    left -= wanted;
  }
  rewind();
}

void NpyFile::parse_header(const std::string& text) {
  const auto damaged = [&](const char* what) {
    fail(Error::Kind::data, "{}: the .npy header has no valid {}; the file is damaged, save it again", path_, what);
  };
  std::string_view type = entry(text, "descr");
  if (type.size() < 4) damaged("descr");
  if (type[0] != '\'' && type[0] != '"')
    fail(Error::Kind::data, "{}: an array of records, expected numbers; save one plain 2-D array", path_);
  type = type.substr(1, type.find(type[0], 1) - 1);
  const std::string_view bare = type.substr(type.find_first_not_of("<|=") == 1 ? 1 : 0);
  if (!find_widen(bare))
    fail(Error::Kind::data,
         "{}: elements of type '{}', expected float32, float64, integers or bool in little-endian "
         "order; convert with x.astype('float32')",
         path_, shown(type));
  type_ = bare;
  element_bytes_ = std::size_t(bare[1] - '0');

  const std::string_view order = entry(text, "fortran_order");
  if (!order.starts_with("True") && !order.starts_with("False")) damaged("fortran_order");
  fortran_ = order.starts_with("True");

  std::string_view shape = entry(text, "shape");
  if (!shape.starts_with('(') || shape.find(')') == shape.npos) damaged("shape");
  shape = shape.substr(1, shape.find(')') - 1);
  std::vector<std::size_t> sizes;
  for (const char* p = shape.data(); p < shape.data() + shape.size();) {
    if (*p == ' ' || *p == ',') {
      ++p;
      continue;
    }
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(p, shape.data() + shape.size(), size);
    if (error != std::errc{}) damaged("shape");
    sizes.push_back(size);
    p = end;
  }
  if (sizes.size() != 2)
    fail(Error::Kind::data, "{}: an array of {} dimensions, expected 2 (rows x columns); reshape it", path_,
         sizes.size());
  if (sizes[0] == 0 || sizes[1] == 0)
    fail(Error::Kind::data, "{}: shape ({}, {}) holds no rows, expected some; check how it was written", path_,
         sizes[0], sizes[1]);
  rows_ = sizes[0];
  cols_ = sizes[1];
}

std::size_t NpyFile::read(std::size_t most, AlignedVector<double>& out) {
  const std::size_t count = std::min(most, rows_ - next_);
  const Widen widen = find_widen(type_);
  out.resize(count * cols_);
  if (fortran_) {
    raw_.resize(count * element_bytes_);
    for (std::size_t j = 0; j < cols_; ++j) {
      plain_->seek(data_begin_ + (j * rows_ + next_) * element_bytes_);
      if (plain_->read(raw_.data(), raw_.size()) != raw_.size()) refuse_shorter();
      widen(raw_.data(), count, out.data() + j, cols_);
    }
  } else {
    raw_.resize(count * cols_ * element_bytes_);
    read_bytes(count, raw_.data());
    widen(raw_.data(), count * cols_, out.data(), 1);
  }
  finish(count);
  return count;
}

std::size_t NpyFile::read_floats(std::size_t most, float* out) {
  const std::size_t count = std::min(most, rows_ - next_);
  if (holds_bytes()) {
    raw_.resize(count * cols_);
    read_bytes(count, raw_.data());
    widen<std::uint8_t>(raw_.data(), count * cols_, out, 1);
  } else
    read_bytes(count, reinterpret_cast<char*>(out));
  finish(count);
  return count;
}

void NpyFile::read_bytes(std::size_t rows, char* out) {
  const std::size_t bytes = rows * cols_ * element_bytes_;
  if (source_->read(out, bytes) != bytes)
    fail(Error::Kind::data, "{}: ends before row {} of {}, the file is truncated; save or fetch it again", path_,
         next_ + rows, rows_);
}

void NpyFile::read_bytes_at(std::size_t first, std::size_t rows, std::uint8_t* out) const {
  const std::size_t bytes = rows * cols_;
  if (plain_->read_at(data_begin_ + first * cols_, out, bytes) != bytes) refuse_shorter();
}

void NpyFile::refuse_shorter() const {
  fail(Error::Kind::data, "{}: became shorter while it was read; save or fetch it again", path_);
}

void NpyFile::finish(std::size_t rows) {
  next_ += rows;
  if (char rest = 0; !plain_ && next_ == rows_ && source_->read(&rest, 1) > 0) refuse_rest();
}

void NpyFile::refuse_rest() const {
  fail(Error::Kind::data,
       "{}: bytes behind the data of shape ({}, {}), expected the end of the file; save one array per file", path_,
       rows_, cols_);
}

void NpyFile::skip(std::size_t rows) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  const std::size_t count = std::min(rows, rows_ - next_);
  for (std::size_t bytes = fortran_ ? 0 : count * cols_ * element_bytes_; bytes > 0;) {
    raw_.resize(std::min(bytes, kAtOnce));
    if (source_->read(raw_.data(), raw_.size()) != raw_.size())
      fail(Error::Kind::data, "{}: ends before row {} of {}, the file is truncated; save or fetch it again", path_,
           next_ + count, rows_);
    bytes -= raw_.size();
  }
  next_ += count;
}

void NpyFile::rewind() {
  next_ = 0;
  source_->rewind();
  std::string skipped(data_begin_, '\0');
  source_->read(skipped.data(), skipped.size());
}

}  // namespace bochner
