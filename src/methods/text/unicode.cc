// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/text/unicode.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "methods/text/unicode_tables.h"

namespace bochner {

namespace {

constexpr std::uint32_t kTabled = 0x3000;  // characters below have their answers in a table

template <class Run, std::size_t N>
const Run* find_run(const Run (&runs)[N], std::uint32_t c) {
  const Run* const run =
      std::lower_bound(std::begin(runs), std::end(runs), c, [](const Run& r, std::uint32_t x) { return r.last < x; });
  return run != std::end(runs) && run->first <= c ? run : nullptr;
}

CharacterKind find_kind(std::uint32_t c) {
  if (find_run(kWordRuns, c)) return CharacterKind::word;
  return find_run(kMarkRuns, c) ? CharacterKind::mark : CharacterKind::other;
}

std::uint32_t find_lower(std::uint32_t c) {
  const LowerRun* const run = find_run(kLowerRuns, c);
  if (!run || (c - run->first) % std::uint32_t(run->step) != 0) return c;
  return std::uint32_t(std::int64_t(c) + run->delta);
}

struct Tables {
  std::array<CharacterKind, kTabled> kind;
  std::array<std::uint32_t, kTabled> lower;

  Tables() {
    for (std::uint32_t c = 0; c < kTabled; ++c) {
      kind[c] = find_kind(c);
      lower[c] = find_lower(c);
    }
  }
};

const Tables& tables() {
  static const Tables all;
  return all;
}

unsigned byte_at(const char* p) { return static_cast<unsigned char>(*p); }
bool continues(const char* p) { return (byte_at(p) & 0xc0) == 0x80; }

}  // namespace

CharacterKind kind_of(std::uint32_t c) { return c < kTabled ? tables().kind[c] : find_kind(c); }
std::uint32_t lower(std::uint32_t c) { return c < kTabled ? tables().lower[c] : find_lower(c); }

bool is_utf8(std::string_view text) {
  const char *p = text.data(), *const end = p + text.size();
  while (p < end) {
    const unsigned lead = byte_at(p);
    if (lead < 0x80) {
      ++p;
      continue;
    }
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || end - p <= more) return false;
    for (int i = 1; i <= more; ++i)
      if (!continues(p + i)) return false;
    const char* at = p;
    const std::uint32_t c = next_character(at);
    if ((more == 2 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (more == 3 && (c < 0x10000 || c > 0x10ffff)))
      return false;
    p = at;
  }
  return true;
}

std::uint32_t next_character(const char*& p) {
  const unsigned lead = byte_at(p++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  std::uint32_t c = lead & (0x3fu >> more);
  for (int i = 0; i < more; ++i) c = (c << 6) | (byte_at(p++) & 0x3f);
  return c;
}

void append_utf8(std::string& text, std::uint32_t c) {
  if (c < 0x80) {
    text += char(c);
  } else if (c < 0x800) {
    text += {char(0xc0 | (c >> 6)), char(0x80 | (c & 0x3f))};
  } else if (c < 0x10000) {
    text += {char(0xe0 | (c >> 12)), char(0x80 | ((c >> 6) & 0x3f)), char(0x80 | (c & 0x3f))};
  } else {
    text += {char(0xf0 | (c >> 18)), char(0x80 | ((c >> 12) & 0x3f)), char(0x80 | ((c >> 6) & 0x3f)),
             char(0x80 | (c & 0x3f))};
  }
}

std::string from_latin1(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

}  // namespace bochner
