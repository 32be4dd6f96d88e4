// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "folds/gram.h"

namespace bochner {

// Refuses sums so large that more rows might leave 64 bits.
void check_room(const GramFold& gram);

// The sums of rows that join others or leave them: a fold. Refuses rows that the choices of the others do not suit.
struct RowSums {
  GramFold gram;
  std::vector<std::uint64_t> class_rows;  // classification: rows of each class

  template <class T>
  void add(const Workers& on, const RowBlock<T>& z) {
    check(z);
    if (gram.products() == GramFold::Products::by_row) check_features(z);
    gram.add(on, z);
    check_room(gram);
  }
  bool adds_unmapped() const { return gram.adds_unmapped(); }
  void add_unmapped(const Workers& on, const Map& map, const RowBlock<float>& x) {
    check(x);
    gram.add_unmapped(on, map, x);
    check_room(gram);
  }
  void merge(const RowSums& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const RowSums&) const = default;

 private:
  template <class T>
  void check(const RowBlock<T>& z);  // targets and weights; counts classes
  template <class T>
  void check_features(const RowBlock<T>& z) const;
};

}  // namespace bochner
