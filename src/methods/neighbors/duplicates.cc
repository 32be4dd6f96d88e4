// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/duplicates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/require.h"
#include "base/threads.h"
#include "methods/neighbors/coordinates.h"
#include "methods/neighbors/equal_rows.h"
#include "methods/neighbors/prefix_join.h"
#include "methods/neighbors/read_points.h"
#include "run/compute.h"

namespace bochner {

namespace {

constexpr double kUsualThreshold = 0.8;

// Rows that are equal meet once: rows of equal content by the first of them.
struct Distinct {
  std::vector<std::uint32_t> first;                 // one per row: the first row that equals it
  std::vector<std::uint32_t> places;                // rows that are the first of their kind
  std::vector<std::vector<std::uint32_t>> of = {};  // one list per place: all rows that equal it
};

std::uint64_t content_hash(const Points& rows, std::size_t i) {
  std::uint64_t hash = 0;
  for (std::size_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
    std::uint32_t bits = 0;
    static_assert(sizeof(bits) == sizeof(float));
    std::copy_n(reinterpret_cast<const char*>(&rows.values[p]), sizeof(bits), reinterpret_cast<char*>(&bits));
    hash = (hash ^ (std::uint64_t(rows.columns[p]) << 32 | bits)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 31;
  }
  return hash;
}

bool equal_rows(const Points& rows, std::size_t a, std::size_t b) {
  const std::size_t count = rows.offsets[a + 1] - rows.offsets[a];
  if (rows.offsets[b + 1] - rows.offsets[b] != count) return false;
  const auto same = [&](const auto& all) {
    return std::equal(all.begin() + std::ptrdiff_t(rows.offsets[a]), all.begin() + std::ptrdiff_t(rows.offsets[a + 1]),
                      all.begin() + std::ptrdiff_t(rows.offsets[b]));
  };
  return same(rows.columns) && same(rows.values);
}

Distinct distinct_rows(const Points& rows) {
  Distinct found;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known;  // places in found.places by hash
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::uint32_t>& same = known[content_hash(rows, i)];
    const auto at =
        std::find_if(same.begin(), same.end(), [&](std::uint32_t d) { return equal_rows(rows, found.places[d], i); });
    if (at == same.end()) {
      same.push_back(std::uint32_t(found.places.size()));
      found.places.push_back(std::uint32_t(i));
      found.of.push_back({std::uint32_t(i)});
      found.first.push_back(std::uint32_t(i));
    } else {
      found.of[*at].push_back(std::uint32_t(i));
      found.first.push_back(found.places[*at]);
    }
  }
  return found;
}

// The pairs of rows that pairs of distinct rows stand for.
std::vector<Duplicate> all_pairs(const Distinct& distinct, const std::vector<Duplicate>& pairs) {
  std::vector<Duplicate> all;
  for (const auto& same : distinct.of)
    for (std::size_t i = 1; i < same.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) all.push_back({same[i], same[j], 1});
  for (const Duplicate& pair : pairs)
    for (const std::uint32_t a : distinct.of[pair.row])
      for (const std::uint32_t b : distinct.of[pair.of])
        all.push_back({std::max(a, b), std::min(a, b), pair.similarity});
  return all;
}

// The most similar earlier row of each that has one.
std::vector<Duplicate> best_pairs(const Distinct& distinct, const std::vector<Duplicate>& pairs) {
  std::map<std::uint64_t, Duplicate> best;
  const auto offer = [&](std::uint64_t row, std::uint64_t of, double similarity) {
    const auto [at, fresh] = best.try_emplace(row, Duplicate{row, of, similarity});
    if (!fresh && (similarity > at->second.similarity || (similarity == at->second.similarity && of < at->second.of)))
      at->second = {row, of, similarity};
  };
  for (std::size_t i = 0; i < distinct.first.size(); ++i)
    if (distinct.first[i] != i) offer(i, distinct.first[i], 1);
  for (const Duplicate& pair : pairs) {  // later rows of the same content have an equal one already
    const std::uint64_t a = distinct.places[pair.row], b = distinct.places[pair.of];
    offer(std::max(a, b), std::min(a, b), pair.similarity);
  }
  std::vector<Duplicate> found;
  for (const auto& [row, each] : best) found.push_back(each);
  return found;
}

// Cosines of dense rows: as many of the nearest as there are duplicates, and one more.
std::vector<Duplicate> dense_pairs(const Workers& on, const Points& points, double threshold) {
  std::vector<Duplicate> pairs;
  std::vector<std::uint32_t> open(points.size());
  std::iota(open.begin(), open.end(), 0u);
  for (std::size_t k = 16; !open.empty(); k *= 4) {
    const std::size_t places = std::min(k, points.size());
    const Points queries = points.at(open);
    const Neighbors found = search_exact(on, {Metric::cosine, queries, open, points, places});
    std::vector<std::uint32_t> more;
    for (std::size_t i = 0; i < open.size(); ++i) {
      std::size_t count = 0;
      while (count < places && found.rows[i * places + count] >= 0 &&
             1 - found.distances[i * places + count] >= threshold - kSimilarityRounding)
        ++count;
      if (count == places && places < points.size()) {
        more.push_back(open[i]);
        continue;
      }
      for (std::size_t c = 0; c < count; ++c) {
        const auto other = std::uint64_t(found.rows[i * places + c]);
        if (other < open[i]) pairs.push_back({open[i], other, 1 - found.distances[i * places + c]});
      }
    }
    open = std::move(more);
  }
  return pairs;
}

std::vector<Duplicate> similar_rows(Rows& rows, Metric metric, double threshold, const DuplicateOptions& options) {
  Threads threads(options.execution);
  const Workers on = workers_on(threads);
  Points points = scaled_for(on, metric, read_points(rows, options.execution), 0);
  std::vector<Duplicate> found;
  if (!points.sparse) {
    Distinct distinct;
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      distinct.first.push_back(i);
      distinct.places.push_back(i);
      distinct.of.push_back({i});
    }
    const std::vector<Duplicate> pairs = dense_pairs(on, points, threshold);
    found = options.pairs ? pairs : best_pairs(distinct, pairs);
  } else {
    const Distinct distinct = distinct_rows(points);
    const std::vector<Duplicate> pairs = prefix_join(on, metric, points.at(distinct.places), threshold);
    found = options.pairs ? all_pairs(distinct, pairs) : best_pairs(distinct, pairs);
  }
  return found;
}

}  // namespace

std::vector<Duplicate> find_duplicates(Rows& rows, const DuplicateOptions& options) {
  const bool equality = !options.metric && !rows.schema().sparse;
  require(!options.threshold || !equality,
          "threshold: dense rows are compared for equality of their cells, which has none; leave it out, or choose the "
          "metric cosine or jaccard");
  const double threshold = options.threshold.value_or(kUsualThreshold);
  require(threshold > 0 && threshold <= 1, "threshold: found {}, expected more than 0, at most 1", threshold);
  const Metric metric = options.metric.value_or(Metric::jaccard);
  require(metric == Metric::jaccard || metric == Metric::cosine,
          "metric: duplicates are found by jaccard or cosine, found {}", metric_name(metric));
  std::vector<Duplicate> found = equality ? equal_rows(rows, options) : similar_rows(rows, metric, threshold, options);
  std::sort(found.begin(), found.end(),
            [](const Duplicate& a, const Duplicate& b) { return a.row != b.row ? a.row < b.row : a.of < b.of; });
  return found;
}

std::size_t duplicate_groups(const std::vector<Duplicate>& duplicates) {
  std::unordered_map<std::uint64_t, std::uint64_t> parent;
  const auto root = [&](std::uint64_t row) {
    while (true) {
      std::uint64_t& above = parent.try_emplace(row, row).first->second;
      if (above == row) return row;
      above = parent[above];
      row = above;
    }
  };
  for (const Duplicate& each : duplicates) parent[root(each.row)] = root(each.of);
  return std::size_t(std::count_if(parent.begin(), parent.end(), [](const auto& p) { return p.first == p.second; }));
}

}  // namespace bochner
