// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "folds/gram.h"
#include "folds/held_out.h"

namespace bochner {

// The sums of all rows, and the rows among them that choose lambda.
struct GramAndHeld {
  GramFold gram;
  HeldOut held;

  template <class T>
  void add(const Workers& on, const RowBlock<T>& z) {
    gram.add(on, z);
    held.add(on, z);
  }
  bool adds_unmapped() const { return gram.adds_unmapped(); }
  void add_unmapped(const Workers& on, const Map& map, const RowBlock<float>& x) {
    const std::size_t at = held.make_room(x);
    if (gram.add_on_device(on, x)) return held.keep_mapped(on, map, at, x);
    gram.add_unmapped(on, map, x,
                      [&](std::size_t begin, MatrixView<const float> z) { held.keep(at, x.first + begin, z); });
  }
  bool begin_on_device(const Workers& on, const MapPtr& map) { return gram.begin_on_device(on, map); }
  void settle(const Workers& on) { gram.settle(on); }
  void merge(const GramAndHeld& other) {
    gram.merge(other.gram);
    held.merge(other.held);
  }
  bool operator==(const GramAndHeld&) const = default;
  void save(Archive& archive) const {
    Archive sums, rows;
    gram.save(sums);
    held.save(rows);
    archive.put_child("gram", std::move(sums));
    archive.put_child("held", std::move(rows));
  }
  void load(const Archive& archive) {
    gram.load(archive.child("gram"));
    held.load(archive.child("held"));
  }
};

}  // namespace bochner
