// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bochner {

// A regular file that is read: Error::Kind::io if it cannot be, Error::Kind::model if it shrinks meanwhile. Or bytes in
// memory in place of one, which must stay.
class ModelFile {
 public:
  explicit ModelFile(const std::string& path);
  ModelFile(const std::string& name, std::string_view bytes) : path_(name), bytes_(bytes) {}
  ~ModelFile();
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;

  std::uint64_t size() const;
  int number() const { return file_; }
  void read(void* to, std::uint64_t bytes, std::uint64_t from) const;

 private:
  std::string path_;
  std::string_view bytes_;
  int file_ = -1;  // none: bytes
};

// A whole file in memory, as far as it is looked at.
class FileMapping {
 public:
  FileMapping(const ModelFile& file, std::uint64_t size);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  const std::byte* data() const { return data_; }  // null: it cannot be mapped
  void reads_through(bool now) const;              // true: the file is read from its first byte to its last

 private:
  const std::byte* data_ = nullptr;
  std::uint64_t size_;
};

}  // namespace bochner
