// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/hash_index.h"

#include <algorithm>
#include <bit>

namespace bochner {

namespace {
constexpr std::size_t kAhead = 32;  // enough lookups to cover a miss to memory
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

std::uint32_t HashIndex::add(std::size_t at, std::uint64_t key) {
  const auto number = std::uint32_t(keys_.size());
  keys_.push_back(key);
  slots_[at] = rest(key) | std::uint64_t(number) << shift_;
  if (full()) rebuild(64 - shift_ + 1);
  return number;
}

std::uint32_t HashIndex::insert(std::uint64_t key) {
  std::uint32_t number;
  insert({&key, 1}, &number);
  return number;
}

std::uint32_t HashIndex::find(std::uint64_t key) const {
  std::uint32_t number;
  find({&key, 1}, &number);
  return number;
}

void HashIndex::insert(std::span<const std::uint64_t> keys, std::uint32_t* numbers) {
  for (std::size_t i = 0; i < keys.size();) {
    // Locals hold the table's members until it grows: the compiler must assume that writing a number changes members.
    const std::uint64_t* slots = slots_.data();
    const std::size_t mask = slots_.size() - 1, before = slots_.size();
    const int shift = shift_;
    const std::uint64_t low = (std::uint64_t(1) << shift) - 1;
    for (; i < keys.size(); ++i) {
      if (i + kAhead < keys.size()) __builtin_prefetch(slots + (keys[i + kAhead] >> shift), 1);
      const std::uint64_t key = keys[i];
      std::size_t at = key >> shift;
      while (slots[at] != kEmpty && ((slots[at] ^ key) & low) != 0) at = (at + 1) & mask;
      if (slots[at] != kEmpty) {
        numbers[i] = std::uint32_t(slots[at] >> shift);
        continue;
      }
      numbers[i] = add(at, key);
      if (slots_.size() != before) {
        ++i;
        break;
      }
    }
  }
}

void HashIndex::find(std::span<const std::uint64_t> keys, std::uint32_t* numbers) const {
  const std::uint64_t* slots = slots_.data();
  const std::size_t mask = slots_.size() - 1;
  const int shift = shift_;
  const std::uint64_t low = (std::uint64_t(1) << shift) - 1;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) __builtin_prefetch(slots + (keys[i + kAhead] >> shift));
    const std::uint64_t key = keys[i];
    std::size_t at = key >> shift;
    while (slots[at] != kEmpty && ((slots[at] ^ key) & low) != 0) at = (at + 1) & mask;
    numbers[i] = slots[at] == kEmpty ? kNone : std::uint32_t(slots[at] >> shift);
  }
}

}  // namespace bochner
