// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/text_index.h"

#include <cstring>

namespace bochner {

namespace {

// Eight bytes at a time, mixed by a multiplication and a fold (as in wyhash). Never leaves the process.
std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u ^ text.size();
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0xd6e8feb86659fd93u;
    hash ^= hash >> 32;
  };
  const char* p = text.data();
  std::size_t left = text.size();
  for (std::uint64_t word; left >= 8; p += 8, left -= 8) {
    std::memcpy(&word, p, 8);
    mix(word);
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < left; ++i) word |= std::uint64_t(static_cast<unsigned char>(p[i])) << (8 * i);
  mix(word);
  return hash;
}

}  // namespace

std::size_t TextIndex::slot(std::string_view wanted, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = hash & mask;
  while (slots_[s] != kNone && (hashes_[slots_[s]] != hash || text(slots_[s]) != wanted)) s = (s + 1) & mask;
  return s;
}

std::uint32_t TextIndex::find(std::string_view text) const {
  return slots_.empty() ? kNone : slots_[slot(text, hash_text(text))];
}

std::uint32_t TextIndex::insert(std::string_view text) {
  if (slots_.size() < 2 * (hashes_.size() + 1)) grow();
  const std::uint64_t hash = hash_text(text);
  std::uint32_t& found = slots_[slot(text, hash)];
  if (found == kNone) {
    found = std::uint32_t(hashes_.size());
    arena_.append(text);
    starts_.push_back(arena_.size());
    hashes_.push_back(hash);
  }
  return found;
}

void TextIndex::grow() {
  slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), kNone);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < hashes_.size(); ++i) {
    std::size_t s = hashes_[i] & mask;
    while (slots_[s] != kNone) s = (s + 1) & mask;
    slots_[s] = i;
  }
}

}  // namespace bochner
