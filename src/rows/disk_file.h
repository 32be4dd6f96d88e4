// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "rows/pipe.h"

namespace bochner {

// A file open for reading: a regular one, or the pipe that is being opened under this path.
class DiskFile {
 public:
  explicit DiskFile(const std::string& path);
  ~DiskFile();
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;

  const std::string& path() const { return path_; }
  std::size_t size() const { return size_; }  // 0 for a pipe
  bool is_pipe() const { return pipe_ != nullptr; }
  double fraction_read() const {  // 0 for a pipe
    if (is_pipe()) return 0;
    return size_ == 0 ? 1 : std::min(1.0, double(position_) / double(size_));
  }

  // Less than size only at the end of the file.
  std::size_t read(void* out, std::size_t size);
  // The same from a place of a regular file; several threads may.
  std::size_t read_at(std::size_t position, void* out, std::size_t size) const;
  void seek(std::size_t position) { position_ = position; }
  // As ByteSource has them.
  std::size_t ready() const { return pipe_ && pipe_->live() ? pipe_->ready(position_) : std::size_t(-1); }
  bool stopped() const { return pipe_ && pipe_->stopped(); }

 private:
  std::string path_;
  std::shared_ptr<Pipe> pipe_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
  std::size_t position_ = 0;
};

}  // namespace bochner
