// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/chunk_reader.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/option.h"
#include "base/require.h"

namespace bochner {

namespace {

const char* find(const char* begin, const char* end, char c) {
  return static_cast<const char*>(std::memchr(begin, c, std::size_t(end - begin)));
}

const char* find_last_newline(const char* begin, const char* end) {
  while (end > begin && end[-1] != '\n') --end;
  return end > begin ? end - 1 : nullptr;
}

// Counts in 64 bytes side by side, which 255 rounds cannot overflow: ten times the speed of std::count, which would
// take a third of the time of reading.
std::size_t count_newlines(const char* begin, const char* end) {
  constexpr std::size_t kLanes = 64, kRounds = 255;
  std::size_t total = 0;
  while (std::size_t(end - begin) >= kLanes) {
    const std::size_t rounds = std::min(kRounds, std::size_t(end - begin) / kLanes);
    std::uint8_t lanes[kLanes] = {};
    for (std::size_t round = 0; round < rounds; ++round, begin += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = std::uint8_t(lanes[k] + (begin[k] == '\n'));
    for (const std::uint8_t lane : lanes) total += lane;
  }
  return total + std::size_t(std::count(begin, end, '\n'));
}

// Whether nothing but spaces lies between the start of a cell and p.
bool starts_cell(const char* begin, const char* p, char delimiter) {
  while (p > begin && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r') && p[-1] != delimiter) --p;
  return p == begin || p[-1] == delimiter || p[-1] == '\n';
}

// The closing quote of the cell whose text begins at p; null when it is not in sight. Two quotes stand for one.
const char* closing_quote(const char* p, const char* end) {
  while ((p = find(p, end, '"')) && p + 1 < end && p[1] == '"') p += 2;
  return p;
}

// Row ends in [begin, end): cuts.front() == begin, then the first row end at least `piece` bytes behind the previous
// cut, and so on; cuts.back() is the last row end. A newline inside quotes ends no row; a quote opens only at the
// start of a cell. delimiter 0: no quotes in this format.
struct RowCuts {
  std::vector<const char*> cuts;
  const char* open_quote = nullptr;  // a quote in this text that is never closed
};
RowCuts cut_rows(const char* begin, const char* end, std::size_t piece, char delimiter) {
  RowCuts result{{begin}, nullptr};
  const char* last = nullptr;  // last row end so far

  // Newlines in [from, to) are row ends.
  const auto cut_span = [&](const char* from, const char* to) {
    while (true) {
      const char* const wanted = result.cuts.back() + piece - 1;
      if (wanted >= to) break;
      const char* const newline = find(std::max(from, wanted), to, '\n');
      if (!newline) break;
      result.cuts.push_back(newline + 1);
    }
    if (const char* newline = find_last_newline(from, to)) last = newline + 1;
  };

  const char* from = begin;
  const char* p = begin;
  while (delimiter && (p = find(p, end, '"'))) {
    if (!starts_cell(begin, p, delimiter)) {
      ++p;
      continue;
    }
    cut_span(from, p);
    const char* const close = closing_quote(p + 1, end);
    if (!close) {
      result.open_quote = p;
      from = end;
      break;
    }
    from = p = close + 1;
  }
  if (from < end) cut_span(from, end);
  if (last && last > result.cuts.back()) result.cuts.push_back(last);
  return result;
}

}  // namespace

ChunkReader::ChunkReader(const std::string& path, char delimiter, const ChunkSizes& sizes)
    : path_(path), delimiter_(delimiter), sizes_(sizes), source_(open_bytes(path, sizes.decompression)) {}

void ChunkReader::rewind() {
  source_->rewind();
  filled_ = consumed_ = 0;
  started_ = ended_ = found_row_ = false;
  chunk_ = {};
}

void ChunkReader::skip_byte_order_mark() {
  const std::string_view text(buffer_.data(), filled_);
  if (text.starts_with("\xef\xbb\xbf")) consumed_ = 3;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    fail(Error::Kind::data, "{}:1:1: text in UTF-16, expected UTF-8; convert it (iconv -f UTF-16 -t UTF-8)", path_);
}

bool ChunkReader::next() {
  while (read_chunk()) {
    found_row_ = found_row_ || std::any_of(chunk_.begin, chunk_.end, [this](char c) {
                   return (c != ' ' && c != '\t' && c != '\r' && c != '\n') || c == delimiter_;
                 });
    if (found_row_) return true;
  }
  return false;
}

// The buffer grows with what there is to read: a short text takes little memory, and little time to have it.
void ChunkReader::fill(std::size_t wanted) {
  constexpr std::size_t kFirst = std::size_t{16} << 10;
  while (filled_ < wanted && !ended_) {
    const std::size_t end = std::min(wanted, std::max(kFirst, 4 * filled_));
    if (buffer_.size() < end + 1) buffer_.resize(end + 1);  // one more for a newline that the file lacks
    const std::size_t got = source_->read(buffer_.data() + filled_, end - filled_);
    ended_ = got < end - filled_;
    filled_ += got;
  }
}

bool ChunkReader::read_chunk() {
  chunk_.first_line += count_newlines(chunk_.begin, chunk_.end);
  chunk_.begin = chunk_.end = nullptr;
  if (ended_) return false;
  if (consumed_ < filled_) std::memmove(buffer_.data(), buffer_.data() + consumed_, filled_ - consumed_);
  filled_ -= consumed_;
  consumed_ = 0;

  for (std::size_t wanted = sizes_.chunk;; wanted *= 2) {
    wanted = std::min(std::max(wanted, filled_ + 1), std::max(sizes_.longest_row, filled_) + 1);
    fill(filled_ + std::min(wanted - filled_, source_->ready()));
    if (!started_) skip_byte_order_mark();
    started_ = true;
    const bool whole = !source_->stopped();
    if (ended_ && whole && filled_ > consumed_ && buffer_[filled_ - 1] != '\n') buffer_[filled_++] = '\n';

    const char* const begin = buffer_.data() + consumed_;
    RowCuts rows = cut_rows(begin, buffer_.data() + filled_, sizes_.piece, delimiter_);
    if (rows.cuts.size() > 1 || ended_) {
      chunk_.begin = begin;
      chunk_.end = rows.cuts.back();
      if (ended_ && whole && rows.open_quote)
        fail(Error::Kind::data,
             "{}: a quote that is never closed, expected a second \" before the end of the file; "
             "close it, or remove it",
             place(rows.open_quote));
      cuts_ = std::move(rows.cuts);
      consumed_ = std::size_t(chunk_.end - buffer_.data());
      return chunk_.begin != chunk_.end;
    }
    if (filled_ > sizes_.longest_row) {
      chunk_.begin = begin;
      fail(Error::Kind::data, "{}: a row longer than {:.1f} MB{}", place(rows.open_quote ? rows.open_quote : begin),
           double(sizes_.longest_row) / 1e6,
           rows.open_quote
               ? std::string(", it begins with a quote that is never closed; close or remove it")
               : fmt::format(", too long for {0}; is this a text file of rows? otherwise raise {0}", Option::memory));
    }
  }
}

std::string ChunkReader::place(const char* at) const {
  const std::size_t line = chunk_.first_line + count_newlines(chunk_.begin, at);
  const char* start = at;
  while (start > chunk_.begin && start[-1] != '\n') --start;
  return fmt::format("{}:{}:{}", path_, line, at - start + 1);
}

}  // namespace bochner
