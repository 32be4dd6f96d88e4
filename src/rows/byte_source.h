// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace bochner {

// The bytes of a file from its beginning, decompressed where its first bytes say gzip, xz or zstd.
// Memory is a fixed buffer whatever the file's size.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills out[0, size) and returns how much it wrote: less than size only at the end of the data.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  virtual void rewind() = 0;
  // Bytes that can be read without waiting for whoever writes them, at least 1. All, but for a live pipe.
  virtual std::size_t ready() const { return std::size_t(-1); }
  // Whether a live pipe was told to end, perhaps within a row.
  virtual bool stopped() const { return false; }
  // Part of the file on disk that has been taken in so far, 0 .. 1.
  virtual double fraction_read() const = 0;
};

// Error::Kind::io when the file cannot be opened; Error::Kind::data later, on damaged or cut compressed data, and where
// decompression would take more than `memory` bytes.
std::unique_ptr<ByteSource> open_bytes(const std::string& path, std::size_t memory = std::size_t{1} << 30);

// Whether the bytes come one after the other only: compressed, or from a pipe.
bool reads_in_order_only(const std::string& path);

}  // namespace bochner
