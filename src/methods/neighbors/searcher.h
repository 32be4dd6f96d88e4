// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "methods/neighbors/forest_search.h"
#include "methods/neighbors/hash_tables.h"

namespace bochner {

// How an index searches its scaled points: by one of these, or by every pair where there is none.
struct Searcher {
  std::optional<Forest> forest;
  std::optional<Coordinates> projected;
  std::optional<HashTables> tables;
  double recall = 1;  // measured recall of `projected`

  bool compares_all() const { return !forest && !projected && !tables; }
  void look_at(const Points& points);  // the same points, stored in another way

  Neighbors query(const Workers& on, const PointSearch& search, const SearchProgress& progress) const;
  IndexReport report(const Points& points) const;

  void save(Archive& archive) const;
  // Loads the searcher of these points: tables are filled anew, by all threads.
  static Searcher load(const Workers& on, const Archive& archive, const Points& points, const IndexOptions& options);
};

// The method that the options name, or the one for such rows; checks that it suits the metric and the rows.
IndexOptions::Method chosen_method(const IndexOptions& options, const Points& points);

// Prepares the method. Where it would compare about as many rows as there are, nothing: every pair.
Searcher prepare(const Workers& on, const Points& scaled, const IndexOptions& options, IndexOptions::Method method,
                 const SearchProgress& progress);

}  // namespace bochner
