// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "rows/byte_source.h"
#include "rows/disk_file.h"

namespace bochner {

// A 2-D array in a .npy file (numpy format 1 to 3), read from its first row on. C order streams through any
// compression; Fortran order gathers its columns and needs the plain file.
class NpyFile {
 public:
  // memory: what decompression may take.
  explicit NpyFile(const std::string& path, std::size_t memory = std::size_t{1} << 30);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  double fraction_read() const { return rows_ ? double(next_) / double(rows_) : 1; }

  // The next rows, at most `most`, row-major as double in `out`; returns how many, 0 at the end.
  std::size_t read(std::size_t most, AlignedVector<double>& out);
  // Whether it holds float32 or bytes row by row, and the next rows of such a file as floats.
  bool holds_floats() const { return (type_ == "f4" || holds_bytes()) && !fortran_; }
  std::size_t read_floats(std::size_t most, float* out);
  // Whether that of any row can be read at once, and the bytes of `rows` from row `first` on; several threads may.
  bool holds_bytes_anywhere() const { return holds_bytes() && !fortran_ && plain_; }
  void read_bytes_at(std::size_t first, std::size_t rows, std::uint8_t* out) const;
  void rewind();
  void skip(std::size_t rows);  // converts none

 private:
  bool holds_bytes() const { return type_ == "u1" || type_ == "b1"; }
  void parse_header(const std::string& text);
  void read_bytes(std::size_t rows, char* out);  // the file is in C order
  void finish(std::size_t rows);
  [[noreturn]] void refuse_rest() const;
  [[noreturn]] void refuse_shorter() const;
  void check_first_row();

  std::string path_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<DiskFile> plain_;  // where it is no pipe and not compressed
  std::string type_;                 // kind and bytes: f4 f8 i1 .. i8 u1 .. u8 b1
  std::size_t element_bytes_ = 0;
  bool fortran_ = false;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t data_begin_ = 0;
  std::size_t next_ = 0;  // row
  AlignedVector<char> raw_;
};

}  // namespace bochner
