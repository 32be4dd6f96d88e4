// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rows/byte_source.h"

namespace bochner {

// Text is read in chunks of this size and parsed in parallel by pieces of the chunk. Neither depends on the number of
// threads, so that sums over pieces do not either.
struct ChunkSizes {
  std::size_t chunk = std::size_t{4} << 20;
  std::size_t piece = std::size_t{256} << 10;
  std::size_t longest_row = std::size_t{1} << 30;    // a longer one is refused
  std::size_t decompression = std::size_t{1} << 30;  // bytes that it may take
};

// Whole rows of text: ends with a newline.
struct Chunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t first_line = 1;  // line number, from 1, of the first row
};

class ChunkReader {
 public:
  ChunkReader(const std::string& path, char delimiter, const ChunkSizes& sizes);

  // The next chunk, cut into pieces; false at the end. The first one has a line that is not blank. Valid until the
  // next call.
  bool next();
  void rewind();

  const Chunk& chunk() const { return chunk_; }
  const std::vector<const char*>& cuts() const { return cuts_; }
  const std::string& path() const { return path_; }
  double fraction_read() const { return source_->fraction_read(); }

  // "path:line:column" of a character of the chunk.
  std::string place(const char* at) const;

 private:
  bool read_chunk();
  void fill(std::size_t wanted);
  void skip_byte_order_mark();

  std::string path_;
  char delimiter_;
  ChunkSizes sizes_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;    // bytes of buffer_ in use
  std::size_t consumed_ = 0;  // bytes of buffer_ given out as the chunk
  bool started_ = false;
  bool ended_ = false;
  bool found_row_ = false;  // a line that is not blank
  Chunk chunk_;
  std::vector<const char*> cuts_;
};

}  // namespace bochner
