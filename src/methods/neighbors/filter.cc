// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "base/require.h"
#include "base/threads.h"
#include "methods/neighbors/index_parts.h"
#include "rows/shifted.h"
#include "run/compute.h"

namespace bochner {

namespace {

// Allowed rows are compared one by one if they are at most this share of all rows.
constexpr double kFewAllowed = 0.25;

// The places that stay, in their order, to the front of each query; how many.
std::vector<std::size_t> keep_allowed(const std::vector<bool>& allowed, std::size_t k, Neighbors& found) {
  const std::size_t queries = found.queries();
  Neighbors kept{
      .k = k, .rows = std::vector<std::int64_t>(queries * k, -1), .distances = std::vector<double>(queries * k)};
  std::vector<std::size_t> counts(queries);
  for (std::size_t i = 0; i < queries; ++i)
    for (std::size_t c = 0; c < found.k && counts[i] < k; ++c) {
      const std::int64_t place = found.rows[i * found.k + c];
      if (place < 0 || !allowed[std::size_t(place)]) continue;
      kept.rows[i * k + counts[i]] = place;
      kept.distances[i * k + counts[i]++] = found.distances[i * found.k + c];
    }
  found = std::move(kept);
  return counts;
}

// Queries that all places are compared with.
void search_places(const Workers& on, const PointSearch& search, std::span<const std::uint32_t> places,
                   std::span<const std::uint32_t> queries, Neighbors& found) {
  const Points some = search.points.at(places), asked = search.queries.at(queries);
  const Neighbors there = search_exact(on, {search.metric, asked, {}, some, std::min(search.k, places.size())});
  for (std::size_t i = 0; i < queries.size(); ++i)
    for (std::size_t c = 0; c < there.k; ++c) {
      const std::int64_t at = there.rows[i * there.k + c];
      found.rows[queries[i] * found.k + c] = at < 0 ? -1 : std::int64_t(places[std::size_t(at)]);
      found.distances[queries[i] * found.k + c] = there.distances[i * there.k + c];
    }
}

}  // namespace

Neighbors search_allowed(const Workers& on, const Searcher& searcher, const PointSearch& search,
                         const std::vector<bool>& allowed) {
  std::vector<std::uint32_t> places, lacking;
  for (std::size_t i = 0; i < allowed.size(); ++i)
    if (allowed[i]) places.push_back(std::uint32_t(i));
  const std::size_t queries = search.queries.size(), k = std::min(search.k, places.size());
  Neighbors found{
      .k = k, .rows = std::vector<std::int64_t>(queries * k, -1), .distances = std::vector<double>(queries * k)};
  if (k == 0 || queries == 0) return found;
  const double share = double(places.size()) / double(allowed.size());
  if (share > kFewAllowed) {
    PointSearch more = search;
    more.k = std::min(allowed.size(), std::size_t(double(k) / share * 1.5) + 8);
    found = searcher.query(on, more, {});
    const std::vector<std::size_t> counts = keep_allowed(allowed, k, found);
    for (std::size_t i = 0; i < queries; ++i)
      if (counts[i] < k) lacking.push_back(std::uint32_t(i));
  } else {
    for (std::size_t i = 0; i < queries; ++i) lacking.push_back(std::uint32_t(i));
  }
  PointSearch rest = search;
  rest.k = k;
  if (!lacking.empty()) search_places(on, rest, places, lacking, found);
  return found;
}

}  // namespace bochner
