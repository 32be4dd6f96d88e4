// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "bochner/row_block.h"

namespace bochner {

// One random grid: bin number of input j is floor((x_j - shift_j) * per_pitch_j), and a bin's hash is two
// multilinear sums of bin numbers, sum_j bin_j * low_j and sum_j bin_j * high_j mod 2^32. Two different bins
// collide with probability about 2^-64. An input the grid does not look at has keys 0.
template <class T>
struct Grid {
  std::vector<T> shift, per_pitch;
  std::vector<std::uint32_t> low, high;
  std::vector<std::uint32_t> inputs;  // those it looks at, ascending

  std::size_t size() const { return shift.size(); }
  bool looks_at(std::uint32_t j) const { return (low[j] | high[j]) != 0; }

  // Saturates where the bin number leaves 32 bits. Subtract before multiplying: no compiler can fuse that, so
  // every path finds the same bin. Values are finite.
  std::int32_t bin(std::uint32_t j, T x) const {
    const T at = std::floor((x - shift[j]) * per_pitch[j]);
    if (at >= T(2147483648.0)) return std::numeric_limits<std::int32_t>::max();
    if (at < T(-2147483648.0)) return std::numeric_limits<std::int32_t>::min();
    return std::int32_t(at);
  }

  // The summand of bin number b of input j.
  std::uint64_t term(std::uint32_t j, std::int32_t b) const {
    return std::uint64_t(std::uint32_t(b) * high[j]) << 32 | std::uint32_t(std::uint32_t(b) * low[j]);
  }
};

// Adds both halves without a carry between them.
inline std::uint64_t add_halves(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t top = 0x8000000080000000u;
  return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}

// Rows as the bin kernel reads them. Columns of many values lie column by column. Columns that mostly hold
// one value, or only a few, say little: the rows of a block share few different patterns of them, and a grid
// bins each pattern once. What is coded and what is dense changes the speed only, never a hash.
template <class T>
struct PackedRows {
  struct Entry {
    std::uint32_t input;
    T value;
  };
  // The coded inputs of one group and their patterns.
  struct Part {
    std::vector<std::uint32_t> inputs;   // ascending
    std::vector<T> base;                 // the usual value of each
    std::vector<std::uint32_t> pattern;  // each row's pattern
    std::vector<std::size_t> offsets;    // where each pattern's entries begin: its values that are not the usual one
    std::vector<std::uint32_t> entries;  // index into codes
    std::vector<Entry> codes;
  };

  // A column's rows are padded to whole pairs of vectors of any machine.
  static std::size_t padded(std::size_t rows) { return (rows + 127) / 128 * 128; }

  std::size_t first = 0, rows = 0, cols = 0;
  std::size_t stride = 0;            // padded(rows)
  std::vector<std::uint32_t> dense;  // inputs, ascending
  AlignedVector<T> values;           // [dense][stride]
  std::vector<Part> parts;
};

// Packs a block. group[j] says which inputs a grid takes or leaves together; empty: one group.
template <class T>
PackedRows<T> pack_rows(const RowBlock<T>& block, std::span<const std::uint32_t> group = {});

// The given rows of a packed block, in the order given.
template <class T>
PackedRows<T> select_rows(const PackedRows<T>& block, std::span<const std::uint32_t> rows);

// hashes[i] of every row, by the definition in plain loops: for few rows, which packing would not help, and for tests.
template <class T>
void plain_bin_hashes(const RowBlock<T>& block, const Grid<T>& grid, std::uint64_t* hashes);

}  // namespace bochner
