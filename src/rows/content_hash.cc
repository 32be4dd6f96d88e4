// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/content_hash.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/hash64.h"
#include "rows/byte_source.h"

namespace bochner {

namespace {

constexpr std::string_view kNpy = "\x93NUMPY";  // its bytes are no lines
constexpr std::size_t kPiece = std::size_t(1) << 18;

class Lines {
 public:
  void add(std::string_view piece) {
    for (std::size_t end = 0; !piece.empty(); piece.remove_prefix(end + 1)) {
      end = piece.find('\n');
      add_within(piece.substr(0, end));
      if (end == piece.npos) return;
      end_line();
    }
  }
  void end_line() {
    if (line_) hash_.add("\n");
    line_ = carriage_return_ = false;
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  // A "\r" counts unless a "\n" follows, which may come with the next piece.
  void add_within(std::string_view part) {
    if (part.empty()) return;
    if (carriage_return_) put("\r");
    carriage_return_ = part.ends_with('\r');
    if (carriage_return_) part.remove_suffix(1);
    if (!part.empty()) put(part);
  }
  void put(std::string_view text) {
    hash_.add(text);
    line_ = true;
  }

  Hash64 hash_;
  bool line_ = false, carriage_return_ = false;  // the line has something; it may end with "\r"
};

}  // namespace

std::uint64_t content_hash(const std::string& path, std::size_t most) {
  const std::unique_ptr<ByteSource> source = open_bytes(path);
  std::vector<char> piece(kPiece);
  Hash64 bytes;
  Lines lines;
  bool binary = false;
  for (bool first = true;; first = false) {
    const std::string_view read(piece.data(), source->read(piece.data(), std::min(kPiece, most)));
    most -= read.size();
    if (first) binary = read.starts_with(kNpy);
    if (binary)
      bytes.add(read);
    else
      lines.add(read);
    if (read.size() < kPiece || most == 0) break;
  }
  lines.end_line();
  return binary ? bytes.value() : lines.value();
}

}  // namespace bochner
