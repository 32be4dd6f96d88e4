// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <numeric>

#include "base/pieces.h"
#include "methods/neighbors/compare.h"
#include "methods/neighbors/ranked.h"

namespace bochner {

namespace {

constexpr std::size_t kQueriesAtOnce = 96;

// The distance from |x|^2, |y|^2 and x.y. Empty sets are equal.
double distance_from(Metric metric, double xx, double yy, double xy) {
  const double squared = std::max(0.0, xx + yy - 2 * xy);
  switch (metric) {
    case Metric::euclidean:
      return std::sqrt(squared);
    case Metric::cosine:
      return 1 - xy;
    case Metric::inner:
      return xy;
    case Metric::hamming:
      return squared;
    case Metric::jaccard:
      return squared > 0 ? squared / (xx + yy - xy) : 0;
  }
  return 0;
}

// The points by their columns.
struct ByColumn {
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> points;
  std::vector<float> values;
  std::vector<double> squared;  // |y|^2 of each point
};

ByColumn by_column(const Points& points) {
  ByColumn lists;
  lists.offsets.assign(points.inputs + 1, 0);
  for (const std::uint32_t column : points.columns) ++lists.offsets[column + 1];
  std::partial_sum(lists.offsets.begin(), lists.offsets.end(), lists.offsets.begin());
  lists.points.resize(points.nonzeros());
  lists.values.resize(points.nonzeros());
  lists.squared.assign(points.size(), 0);
  std::vector<std::size_t> next(lists.offsets.begin(), lists.offsets.end() - 1);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t p = points.offsets[i]; p < points.offsets[i + 1]; ++p) {
      const std::size_t to = next[points.columns[p]]++;
      lists.points[to] = std::uint32_t(i);
      lists.values[to] = points.values[p];
      lists.squared[i] += double(points.values[p]) * double(points.values[p]);
    }
  return lists;
}

// Distances of one query: products with all points it shares a column with, 0 with the others.
void rank_query(Metric metric, const Points& queries, std::size_t i, const ByColumn& lists,
                std::vector<double>& products, std::vector<Ranked>& ranked) {
  std::fill(products.begin(), products.end(), 0.0);
  double squared = 0;
  for (std::size_t p = queries.offsets[i]; p < queries.offsets[i + 1]; ++p) {
    const double value = double(queries.values[p]);
    squared += value * value;
    const std::uint32_t column = queries.columns[p];
    for (std::size_t at = lists.offsets[column]; at < lists.offsets[column + 1]; ++at)
      products[lists.points[at]] += value * double(lists.values[at]);
  }
  ranked.clear();
  for (std::size_t y = 0; y < products.size(); ++y) {
    ranked.push_back({distance_from(metric, squared, lists.squared[y], products[y]), std::uint32_t(y)});
  }
}

}  // namespace

Neighbors rank_sparse(const Workers& on, const PointSearch& search, const std::function<void(double)>& progress) {
  const Points& queries = search.queries;
  const Points& points = search.points;
  const std::span<const std::uint32_t> self = search.self;
  Neighbors found = no_neighbors(queries.size(), search.k);
  const ByColumn lists = by_column(points);
  constexpr std::size_t kRound = 64 * kQueriesAtOnce;
  for (std::size_t first = 0; first < queries.size(); first += kRound) {
    const std::size_t count = std::min(kRound, queries.size() - first);
    in_pieces(on.threads, count, kQueriesAtOnce, [&](std::size_t at, std::size_t rows) {
      std::vector<double> products(points.size());
      std::vector<Ranked> ranked;
      for (std::size_t i = first + at; i < first + at + rows; ++i) {
        rank_query(search.metric, queries, i, lists, products, ranked);
        if (!self.empty()) std::erase_if(ranked, [&](const Ranked& r) { return r.place == self[i]; });
        write_best(search.metric, ranked, i, found);
      }
    });
    if (progress) progress(double(first + count) / double(queries.size()));
  }
  return found;
}

Neighbors rank_sparse_lists(const Workers& on, const PointSearch& search, const CandidatesOf& candidates) {
  const Points& queries = search.queries;
  const Points& points = search.points;
  Neighbors found = no_neighbors(queries.size(), search.k);
  in_pieces(on.threads, queries.size(), kQueriesAtOnce, [&](std::size_t begin, std::size_t rows, int thread) {
    std::vector<double> spread(points.inputs);  // the query, and 0 elsewhere
    std::vector<Ranked> ranked;
    for (std::size_t i = begin; i < begin + rows; ++i) {
      double xx = 0;
      for (std::size_t p = queries.offsets[i]; p < queries.offsets[i + 1]; ++p) {
        spread[queries.columns[p]] = double(queries.values[p]);
        xx += double(queries.values[p]) * double(queries.values[p]);
      }
      ranked.clear();
      for (const std::uint32_t place : candidates(i, thread)) {
        double yy = 0, xy = 0;
        for (std::size_t p = points.offsets[place]; p < points.offsets[place + 1]; ++p) {
          const double value = double(points.values[p]);
          yy += value * value;
          xy += value * spread[points.columns[p]];
        }
        ranked.push_back({distance_from(search.metric, xx, yy, xy), place});
      }
      write_best(search.metric, ranked, i, found);
      for (std::size_t p = queries.offsets[i]; p < queries.offsets[i + 1]; ++p) spread[queries.columns[p]] = 0;
    }
  });
  return found;
}

}  // namespace bochner
