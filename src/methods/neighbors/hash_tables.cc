// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/hash_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kQueriesAtOnce = 4096;

}  // namespace

void HashTables::grow(const Workers& on, const Points& points, std::size_t tables) {
  while (tables_.size() < tables) {
    const std::size_t number = tables_.size() / HashGroup::kTables;
    if (number == groups_.size()) groups_.emplace_back(plan_, inputs_, number);
    const HashGroup& group = groups_[number];
    std::vector<std::uint64_t> keys;
    points.each_block([&](std::size_t, const RowBlock<float>& rows) {
      const std::vector<std::uint64_t> some = group.keys(on, rows, 1);
      keys.insert(keys.end(), some.begin(), some.end());
    });
    const std::size_t first = tables_.size();
    tables_.resize(first + HashGroup::kTables);
    on.threads.run(HashGroup::kTables, [&](std::size_t t, int) {
      Table& table = tables_[first + t];
      table.places.resize(points.size());
      std::iota(table.places.begin(), table.places.end(), 0u);
      const auto key = [&](std::uint32_t place) { return keys[place * HashGroup::kTables + t]; };
      std::sort(table.places.begin(), table.places.end(),
                [&](std::uint32_t a, std::uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
      for (const std::uint32_t place : table.places) table.keys.push_back(key(place));
    });
  }
  plan_.tables = tables;
}

class HashTables::Lookup {
 public:
  Lookup(const Workers& on, const HashTables& tables, const RowBlock<float>& queries, std::size_t points)
      : tables_(tables), met_(std::size_t(on.threads.count())), found_(met_.size()) {
    for (Met& met : met_) met.last.assign(points, 0);
    for (const HashGroup& group : tables.groups_) keys_.push_back(group.keys(on, queries, tables.plan_.probes));
  }

  // self: the place that the query is, or kNoPoint.
  std::span<const std::uint32_t> candidates(std::size_t query, std::uint32_t self, int thread) {
    Met& met = met_[std::size_t(thread)];
    std::vector<std::uint32_t>& found = found_[std::size_t(thread)];
    found.clear();
    ++met.round;
    if (self != kNoPoint) met.last[self] = met.round;
    const std::size_t probes = tables_.plan_.probes;
    for (std::size_t t = 0; t < tables_.plan_.tables; ++t) {
      const Table& table = tables_.tables_[t];
      const std::uint64_t* keys =
          keys_[t / HashGroup::kTables].data() + (query * HashGroup::kTables + t % HashGroup::kTables) * probes;
      for (std::size_t p = 0; p < probes; ++p) {
        if (p > 0 && keys[p] == keys[0]) continue;
        auto at = std::lower_bound(table.keys.begin(), table.keys.end(), keys[p]);
        for (; at != table.keys.end() && *at == keys[p]; ++at) {
          const std::uint32_t place = table.places[std::size_t(at - table.keys.begin())];
          if (met.last[place] == met.round) continue;
          met.last[place] = met.round;
          found.push_back(place);
        }
      }
    }
    return found;
  }

 private:
  struct Met {
    std::vector<std::uint64_t> last;  // round in which each point was last met
    std::uint64_t round = 0;
  };
  const HashTables& tables_;
  std::vector<Met> met_;
  std::vector<std::vector<std::uint32_t>> found_;
  std::vector<std::vector<std::uint64_t>> keys_;  // one list per group
};

Neighbors HashTables::query(const Workers& on, const PointSearch& search) const {
  Neighbors all{.k = search.k};
  std::vector<std::uint32_t> places;
  for (std::size_t first = 0; first < search.queries.size(); first += kQueriesAtOnce) {
    const std::size_t count = std::min(kQueriesAtOnce, search.queries.size() - first);
    places.resize(count);
    std::iota(places.begin(), places.end(), std::uint32_t(first));
    const Points some = search.queries.at(places);
    Lookup lookup(on, *this, some.block(), search.points.size());
    const Neighbors found =
        rank_lists(on, {search.metric, some, {}, search.points, search.k}, [&](std::size_t i, int thread) {
          return lookup.candidates(i, search.self.empty() ? kNoPoint : search.self[first + i], thread);
        });
    all.rows.insert(all.rows.end(), found.rows.begin(), found.rows.end());
    all.distances.insert(all.distances.end(), found.distances.begin(), found.distances.end());
  }
  return all;
}

std::size_t HashTables::compared(const Workers& on, const PointSearch& search) const {
  Lookup lookup(on, *this, search.queries.block(), search.points.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < search.queries.size(); ++i)
    count += lookup.candidates(i, search.self.empty() ? kNoPoint : search.self[i], 0).size();
  return count;
}

HashFamily hash_family(const IndexOptions& options) {
  const auto among = [&](std::initializer_list<HashFamily> families, const char* words) {
    if (!options.hash) return *families.begin();
    require(std::find(families.begin(), families.end(), *options.hash) != families.end(),
            "hash: {} does not keep {} near, expected {}", hash_name(*options.hash), metric_name(options.metric),
            words);
    return *options.hash;
  };
  switch (options.metric) {
    case Metric::euclidean:
      return among({HashFamily::stable}, "stable");
    case Metric::cosine:
      return among({HashFamily::crosspolytope, HashFamily::hyperplane}, "crosspolytope or hyperplane");
    case Metric::hamming:
      return among({HashFamily::stable, HashFamily::cauchy}, "stable or cauchy");
    case Metric::jaccard:
      return among({HashFamily::minhash}, "minhash");
    case Metric::inner:
      break;
  }
  mistake("method: lsh compares distances, expected exact for inner products");
}

namespace {

// Distances as collisions take them.
double hashed_distance(HashFamily family, Metric metric, double distance) {
  return metric == Metric::hamming && family == HashFamily::stable ? std::sqrt(distance) : distance;
}

// What is known of the rows: distances of true neighbours, and of rows that happen to meet.
struct Distances {
  std::vector<double> near, far;
};

Distances sample_distances(const Workers& on, const RecallSample& sample, HashFamily family, Metric metric) {
  Distances found;
  for (std::size_t i = 0; i < sample.truth.rows.size(); ++i)
    if (sample.truth.rows[i] >= 0) found.near.push_back(hashed_distance(family, metric, sample.truth.distances[i]));
  std::vector<std::uint32_t> self(sample.places.size());
  std::iota(self.begin(), self.end(), 0u);
  const std::size_t others = std::max<std::size_t>(sample.places.size(), 2) - 1;
  const Neighbors all = search_exact(on, {metric, sample.queries, self, sample.queries, others});
  constexpr std::size_t kFar = 4096;  // enough for a mean
  const std::size_t step = 1 + all.rows.size() / kFar;
  for (std::size_t i = 0; i < all.rows.size(); i += step)
    if (all.rows[i] >= 0) found.far.push_back(hashed_distance(family, metric, all.distances[i]));
  return found;
}

// The share of keys that two rows have in common within the probes, by the model: all functions agree, or all but one,
// which has the value that the probe tries in its stead.
double met_in_table(double p, const HashPlan& plan) {
  constexpr double kTried = 0.8;
  const double all = std::pow(p, double(plan.hashes));
  if (plan.probes == 1) return all;
  return std::min(1.0, all + kTried * double(plan.hashes) * std::pow(p, double(plan.hashes - 1)) * (1 - p));
}

// The fewest tables by which the model finds the share, and what a query then costs, in products of two numbers.
struct Forecast {
  std::size_t tables = 0;
  double cost = std::numeric_limits<double>::infinity();
};

Forecast forecast(const HashPlan& plan, const Distances& distances, double recall, double points, double inputs) {
  const auto share = [&](const std::vector<double>& at, double tables) {
    double sum = 0;
    for (const double distance : at) {
      const double met = met_in_table(collision_probability(plan.family, distance, plan.width), plan);
      sum += tables == 1 ? met : 1 - std::pow(1 - met, tables);
    }
    return at.empty() ? 1 : sum / double(at.size());
  };
  std::size_t tables = 1;
  while (tables <= kMostTables && share(distances.near, double(tables)) < recall) tables += 1 + tables / 8;
  if (tables > kMostTables) return {};
  constexpr double kLookup = 300;  // cost of a probe: a search in a sorted table
  const double compared = points * share(distances.far, double(tables));
  return {tables, compared * (inputs + 100) +
                      double(tables) * (double(plan.probes) * kLookup + 0.3 * double(plan.hashes) * inputs)};
}

HashPlan model_plan(const Distances& distances, const Points& points, const IndexOptions& options, HashFamily family) {
  const double inputs = points.sparse ? double(points.nonzeros()) / double(points.size()) : double(points.inputs);
  std::vector<double> near = distances.near;
  std::nth_element(near.begin(), near.begin() + std::ptrdiff_t(near.size() / 2), near.end());
  const double median = near[near.size() / 2];
  HashPlan best{.family = family, .width = median > 0 ? median : 1, .seed = options.seed};
  double least = std::numeric_limits<double>::infinity();
  const bool cells = family == HashFamily::stable || family == HashFamily::cauchy;
  for (const double width : cells ? std::vector<double>{0.5, 1, 2, 4, 8} : std::vector<double>{1})
    for (std::size_t hashes = 1; hashes <= kMostHashes; hashes += 1 + hashes / 8) {
      HashPlan plan = best;
      plan.width = (median > 0 ? median : 1) * width;
      plan.hashes = hashes;
      plan.probes = family == HashFamily::minhash ? 1 : 1 + hashes;
      const Forecast at = forecast(plan, distances, options.recall, double(points.size()), inputs);
      if (at.cost >= least) continue;
      least = at.cost;
      plan.tables = at.tables;
      best = plan;
    }
  return best;
}

}  // namespace

std::optional<HashTables> choose_tables(const Workers& on, const Points& points, const RecallSample& sample,
                                        const IndexOptions& options, const SearchProgress& progress) {
  const HashFamily family = hash_family(options);
  const Distances distances = sample_distances(on, sample, family, options.metric);
  if (distances.near.empty()) return {};
  const HashPlan plan = model_plan(distances, points, options, family);
  HashTables tables(plan, points.inputs);
  const double wanted = sample.with_error(options.recall);
  const PointSearch search{options.metric, sample.queries, sample.places, points, sample.k};
  for (std::size_t count = std::max<std::size_t>(plan.tables, 1); count <= kMostTables; count += 1 + count / 4) {
    tables.grow(on, points, count);
    tables.recall = sample.recall(tables.query(on, search));
    if (progress) progress("tables", std::min(0.99, tables.recall / wanted));
    if (tables.recall < wanted) continue;
    tables.candidates = double(tables.compared(on, search)) / double(sample.places.size());
    if (tables.candidates > double(points.size()) / 2) return {};
    return tables;
  }
  return {};
}

}  // namespace bochner
