// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const UnchangedFile file("cars.csv");
//   const std::uint64_t hash = file.hash();  // the bytes that the file had above

#include <cstdint>
#include <ctime>
#include <string>

namespace bochner {

// The hash of all bytes of a file: one pass over it, at the speed of reading. Error::Kind::io when it cannot be read.
std::uint64_t file_hash(const std::string& path);

// A file as it is when this is made, for a hash that is needed much later, or never: hash() refuses a file that was
// changed in between (Error::Kind::data), so the hash is that of the bytes there were. Any number of threads may ask.
class UnchangedFile {
 public:
  explicit UnchangedFile(std::string path);

  std::uint64_t hash() const;

 private:
  // What changes with the bytes of a file, and with the file behind a name.
  struct Stamp {
    std::uint64_t device, number, bytes;
    std::int64_t seconds, nanoseconds;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp(const std::string& path);

  std::string path_;
  Stamp first_;
};

}  // namespace bochner
