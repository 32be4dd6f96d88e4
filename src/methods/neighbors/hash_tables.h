// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "methods/neighbors/coordinates.h"
#include "methods/neighbors/hashes.h"

namespace bochner {

inline constexpr std::size_t kMostTables = 256, kMostHashes = 32;
inline constexpr std::size_t kMostHashedInputs = std::size_t(1) << 22;  // what directions of hashes are kept for

// Rows in tables by their keys: a query is compared in all inputs with the rows that share one with it.
class HashTables {
 public:
  HashTables(const HashPlan& plan, std::size_t inputs) : plan_(plan), inputs_(inputs) {}

  const HashPlan& plan() const { return plan_; }
  double recall = 1;                                                       // measured on the sample
  double candidates = 0;                                                   // mean over the queries of the sample
  void grow(const Workers& on, const Points& points, std::size_t tables);  // tables: the number after growing
  Neighbors query(const Workers& on, const PointSearch& search) const;
  // How many points the queries of a search are compared with, together.
  std::size_t compared(const Workers& on, const PointSearch& search) const;

 private:
  // Points in the order of their keys.
  struct Table {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> places;
  };
  // The candidates of a block of queries.
  class Lookup;

  HashPlan plan_;
  std::size_t inputs_;
  std::vector<HashGroup> groups_;
  std::vector<Table> tables_;
};

// Which family the metric has: options.hash where it is given, std::invalid_argument where that is for another.
HashFamily hash_family(const IndexOptions& options);

// Functions and tables by the model of collisions, from the distances of the sample's neighbours and of rows at random;
// then tables are added until the sample finds its neighbours. None where that takes too many.
std::optional<HashTables> choose_tables(const Workers& on, const Points& points, const RecallSample& sample,
                                        const IndexOptions& options, const SearchProgress& progress);

}  // namespace bochner
