// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/file_hash.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/require.h"

namespace bochner {

std::uint64_t text_hash(std::string_view text, std::uint64_t start) {
  std::uint64_t hash = start;
  for (const char c : text) hash = (hash ^ std::uint8_t(c)) * 0x100000001b3u;
  return hash;
}

std::uint64_t file_hash(const std::string& path) {
  constexpr std::streamoff kPiece = 1 << 20;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : -1;
  if (size < 0) fail(Error::Kind::io, "{}: cannot read: {}; check the path", path, std::strerror(errno));
  std::uint64_t hash = text_hash(fmt::format("{} ", size));
  const auto add = [&](std::streamoff begin, std::streamoff end) {
    std::string piece(std::size_t(end - begin), '\0');
    file.seekg(begin);
    if (!file.read(piece.data(), end - begin)) fail(Error::Kind::io, "{}: cannot read: {}", path, std::strerror(errno));
    hash = text_hash(piece, hash);
  };
  const std::streamoff first = std::min(size, kPiece);
  if (first > 0) add(0, first);
  if (size > first) add(std::max(first, size - kPiece), size);
  return hash;
}

}  // namespace bochner
