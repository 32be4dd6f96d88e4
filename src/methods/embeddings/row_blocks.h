// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "random/draw.h"

namespace bochner {

// A random order of 0 .. count - 1 as a pure function: a Feistel network of six rounds over the next power of four,
// walked until it is back in range (Black & Rogaway, CT-RSA 2002). No table, so any number of rows.
class Shuffle {
 public:
  Shuffle(std::uint64_t count, std::uint64_t seed, std::uint64_t stream) : count_(count) {
    while (half_ < 31 && (std::uint64_t(1) << (2 * half_)) < count) ++half_;
    for (std::size_t r = 0; r < keys_.size(); ++r) keys_[r] = bits(seed, Draw::visit, stream, r);
  }

  std::uint64_t operator()(std::uint64_t i) const {
    if (count_ < 2) return i;
    do i = once(i);
    while (i >= count_);
    return i;
  }

 private:
  std::uint64_t once(std::uint64_t i) const {
    const std::uint64_t mask = (std::uint64_t(1) << half_) - 1;
    std::uint64_t left = i >> half_, right = i & mask;
    for (const std::uint64_t key : keys_) {
      std::uint64_t x = right ^ key;  // splitmix64's finalizer
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
      const std::uint64_t next = left ^ ((x ^ (x >> 31)) & mask);
      left = right;
      right = next;
    }
    return (left << half_) | right;
  }

  std::uint64_t count_;
  unsigned half_ = 1;
  std::array<std::uint64_t, 6> keys_;
};

// Rows dealt at random into blocks of equal size; those left over are in none. A row's block is a function of its
// number.
class RowBlocks {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Place {
    std::uint32_t block;
    std::uint64_t place;  // position in the block
  };

  // stream: another deal of the same seed.
  RowBlocks(std::uint64_t rows, std::size_t blocks, std::size_t block_rows, std::uint64_t seed, std::uint64_t stream)
      : rows_(rows), blocks_(blocks), block_rows_(block_rows), shuffle_(rows, seed, stream) {}

  std::uint64_t rows() const { return rows_; }
  std::size_t blocks() const { return blocks_; }
  std::size_t block_rows() const { return block_rows_; }
  Place of(std::uint64_t row) const {
    const std::uint64_t at = shuffle_(row);
    if (at >= std::uint64_t(blocks_) * block_rows_) return {kNone, at};
    return {std::uint32_t(at % blocks_), at / blocks_};
  }

 private:
  std::uint64_t rows_;
  std::size_t blocks_, block_rows_;
  Shuffle shuffle_;
};

}  // namespace bochner
