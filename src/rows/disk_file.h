// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace bochner {

// A regular file open for reading.
class DiskFile {
 public:
  explicit DiskFile(const std::string& path);
  ~DiskFile();
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;

  const std::string& path() const { return path_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  double fraction_read() const { return size_ == 0 ? 1 : std::min(1.0, double(position_) / double(size_)); }

  // Less than size only at the end of the file.
  std::size_t read(void* out, std::size_t size);
  void seek(std::size_t position) { position_ = position; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
  std::size_t position_ = 0;
};

}  // namespace bochner
