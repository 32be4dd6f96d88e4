// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backend/workers.h"
#include "base/aligned.h"
#include "bochner/archive.h"
#include "bochner/map.h"
#include "bochner/row_block.h"

namespace bochner {

// Keeps the mapped rows that are held out: row i is when its draw falls below the fraction. In memory, in row order.
class HeldOut {
 public:
  // n: how many rows there will be. Growing by and by would need three times the room.
  HeldOut(std::size_t features, std::size_t targets, double fraction, std::uint64_t seed, std::size_t n = 0);

  template <class T>
  void add(const Workers& on, const RowBlock<T>& z);

  // add() by and by: first room for those of x that are held out, and then, on any thread, the features of the rows
  // from `first` on. at: what make_room gave.
  template <class T>
  std::size_t make_room(const RowBlock<T>& x);
  template <class T>
  void keep(std::size_t at, std::uint64_t first, MatrixView<const T> z);

  // keep() of the rows that are held out alone, mapped.
  void keep_mapped(const Workers& on, const Map& map, std::size_t at, const RowBlock<float>& x);

  void merge(const HeldOut& other);

  // Views: write the archive before more rows come.
  void save(Archive& archive) const;
  void load(const Archive& archive);

  bool holds(std::uint64_t row) const;
  std::size_t rows() const { return rows_.size(); }
  bool operator==(const HeldOut&) const = default;

  // The kept rows as one block. float rows are widened only where double rows were added.
  template <class T>
  RowBlock<T> block() const;

 private:
  template <class T>
  const AlignedVector<T>& values() const;
  template <class T>
  AlignedVector<T>& values() {
    return const_cast<AlignedVector<T>&>(std::as_const(*this).values<T>());
  }

  std::size_t features_, target_count_;
  double fraction_;
  std::size_t expected_;  // rows, rather a few more
  std::uint64_t seed_;
  std::vector<std::uint64_t> rows_;
  AlignedVector<float> floats_;
  AlignedVector<double> doubles_;
  std::vector<double> targets_, weights_;
};

}  // namespace bochner
