// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "bochner/hashes.h"
#include "bochner/map.h"
#include "methods/neighbors/points.h"

namespace bochner {

// How rows are hashed: a key of a table is made of `hashes` functions, and a query looks at `probes` keys of each.
struct HashPlan {
  HashFamily family = HashFamily::stable;
  double width = 1;  // width of cells: stable, cauchy
  std::size_t hashes = 1, tables = 0, probes = 1;
  std::uint64_t seed = 0;
};

// The keys of rows in kTables tables that are computed together. All draws are functions of the seed and the group's
// number.
class HashGroup {
 public:
  HashGroup(const HashPlan& plan, std::size_t inputs, std::size_t number);
  static constexpr std::size_t kTables = 8;

  // keys: rows x tables x probes. The first of a row in a table is its own; the next are those of the cells that a near
  // row most likely has instead, by the distances to their borders (Lv, Josephson, Wang, Charikar & Li, VLDB 2007).
  std::vector<std::uint64_t> keys(const Workers& on, const RowBlock<float>& rows, std::size_t probes) const;
  // The values of all functions, rows x tables x hashes: for tests and checks.
  std::vector<std::uint32_t> values(const Workers& on, const RowBlock<float>& rows) const;

 private:
  struct Hashed;
  void hash(const float* z, std::size_t table, Hashed& hashed) const;
  void hash_set(const RowBlock<float>& rows, std::size_t row, std::size_t table, Hashed& hashed) const;
  void add_directions(const RowBlock<float>& rows, std::size_t row, std::vector<float>& sums) const;
  // use(row, table, its values and what they could be instead).
  void each(const Workers& on, const RowBlock<float>& rows,
            const std::function<void(std::size_t, std::size_t, Hashed&)>& use) const;

  HashPlan plan_;
  std::uint64_t seed_ = 0;
  MapPtr map_;
  float factor_ = 1;          // factor on the map's outputs
  Matrix<float> directions_;  // cauchy: inputs x functions
};

}  // namespace bochner
