// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"

namespace bochner {

// Numbers 64-bit hashes 0, 1, 2 ... in the order they first appear. Open addressing, 8 bytes a slot: the top
// bits of a hash choose its slot, so the slot keeps the other bits and uses the room of the top bits for the
// number. Two hashes are confused with probability about 2^-45 a lookup, no more than hashing itself confuses
// among a hundred thousand bins. Keys must be hashes already: their top bits choose the slot.
class HashIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  HashIndex() : HashIndex(0) {}
  explicit HashIndex(std::size_t expected);
  explicit HashIndex(std::vector<std::uint64_t> keys);  // keys[i] has number i; duplicates keep the first

  std::size_t size() const { return keys_.size(); }
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  std::size_t bytes() const { return keys_.size() * 8 + slots_.size() * 8; }

  std::uint32_t insert(std::uint64_t key);
  std::uint32_t find(std::uint64_t key) const;

  void clear();  // keeps the memory
  // Makes room for so many keys in all.
  void reserve(std::size_t expected);

  // The same for many keys, with the slots fetched ahead.
  void insert(std::span<const std::uint64_t> keys, std::uint32_t* numbers);
  void find(std::span<const std::uint64_t> keys, std::uint32_t* numbers) const;

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t(0);
  static int bits_for(std::size_t count);

  std::uint64_t rest(std::uint64_t key) const { return key & ((std::uint64_t(1) << shift_) - 1); }
  bool full() const { return keys_.size() * 3 >= slots_.size() * 2; }
  void place(std::uint64_t key, std::uint32_t number);
  std::uint32_t add(std::size_t at, std::uint64_t key);
  void rebuild(int bits);

  int shift_ = 0;  // 64 - log2(slots)
  AlignedVector<std::uint64_t> slots_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace bochner
