// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/hash_index.h"

#include <algorithm>
#include <bit>

namespace bochner {

namespace {
constexpr std::size_t kAhead = 24;  // enough lookups to cover a miss to memory
}

// At most two slots in three are taken, and the largest number, all ones, is never given out: it marks a slot empty.
int HashIndex::bits_for(std::size_t count) { return std::max(6, int(std::bit_width(count + count / 2))); }

HashIndex::HashIndex(std::size_t expected) { rebuild(bits_for(expected)); }

HashIndex::HashIndex(std::vector<std::uint64_t> keys) : keys_(std::move(keys)) { rebuild(bits_for(keys_.size())); }

void HashIndex::place(std::uint64_t key, std::uint32_t number) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = key >> shift_;
  while (slots_[at] != kEmpty) at = (at + 1) & mask;
  slots_[at] = rest(key) | std::uint64_t(number) << shift_;
}

void HashIndex::rebuild(int bits) {
  shift_ = 64 - bits;
  slots_.assign(std::size_t(1) << bits, kEmpty);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (i + kAhead < keys_.size()) __builtin_prefetch(&slots_[keys_[i + kAhead] >> shift_], 1);
    place(keys_[i], std::uint32_t(i));
  }
}

void HashIndex::clear() {
  keys_.clear();
  rebuild(bits_for(0));
}

void HashIndex::reserve(std::size_t expected) {
  if (bits_for(expected) > 64 - shift_) rebuild(bits_for(expected));
}

std::uint32_t HashIndex::insert(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t wanted = rest(key);
  for (std::size_t at = key >> shift_;; at = (at + 1) & mask) {
    const std::uint64_t slot = slots_[at];
    if (slot == kEmpty) {
      const auto number = std::uint32_t(keys_.size());
      keys_.push_back(key);
      slots_[at] = wanted | std::uint64_t(number) << shift_;
      if (full()) rebuild(64 - shift_ + 1);
      return number;
    }
    if (rest(slot) == wanted) return std::uint32_t(slot >> shift_);
  }
}

std::uint32_t HashIndex::find(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t wanted = rest(key);
  for (std::size_t at = key >> shift_;; at = (at + 1) & mask) {
    const std::uint64_t slot = slots_[at];
    if (slot == kEmpty) return kNone;
    if (rest(slot) == wanted) return std::uint32_t(slot >> shift_);
  }
}

void HashIndex::insert(std::span<const std::uint64_t> keys, std::uint32_t* numbers) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) prefetch(keys[i + kAhead]);
    numbers[i] = insert(keys[i]);
  }
}

void HashIndex::find(std::span<const std::uint64_t> keys, std::uint32_t* numbers) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) prefetch(keys[i + kAhead]);
    numbers[i] = find(keys[i]);
  }
}

}  // namespace bochner
