// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/backend.h"
#include "backend/radial.h"

namespace bochner {

namespace {

constexpr std::size_t kPackPoints = 512;    // packed by one thread, and met by all
constexpr std::size_t kPacks = 16;          // of those at a time
constexpr std::size_t kQueriesAtOnce = 96;  // of a thread: whole register tiles

struct Pack {
  PointPanels<float> panels;
  std::size_t first = 0;
};

// Copies of rows that lie anywhere, one after the other.
void gather(MatrixView<const float> from, std::span<const std::uint32_t> places, Matrix<float>& to) {
  if (to.rows() < places.size() || to.cols() != from.cols) to = Matrix<float>(places.size(), from.cols);
  for (std::size_t i = 0; i < places.size(); ++i) std::copy_n(from.row(places[i]), from.cols, &to(i, 0));
}

}  // namespace

void meet_all(const Workers& on, const Queries& queries, const Field& points, Best& best,
              const std::function<void(double)>& progress) {
  const MatrixView<const float> x = queries.rows, y = points.rows;
  if (x.rows == 0 || y.rows == 0 || y.cols == 0) return;
  std::vector<std::uint32_t> numbers(y.rows);
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::vector<Pack> packs(kPacks);
  const std::size_t pieces = (x.rows + kQueriesAtOnce - 1) / kQueriesAtOnce;
  for (std::size_t begin = 0; begin < y.rows; begin += kPacks * kPackPoints) {
    const std::size_t count = std::min(kPacks * kPackPoints, y.rows - begin);
    packs.resize((count + kPackPoints - 1) / kPackPoints);
    on.threads.run(packs.size(), [&](std::size_t p, int) {
      const std::size_t first = begin + p * kPackPoints;
      packs[p] = {pack_points(y.slice(first, std::min(kPackPoints, y.rows - first))), first};
    });
    on.threads.run(pieces, [&](std::size_t piece, int) {
      const std::size_t row = piece * kQueriesAtOnce, rows = std::min(kQueriesAtOnce, x.rows - row);
      for (const Pack& pack : packs)
        on.ops.nearest(x.slice(row, rows), pack.panels,
                       {points.half.data() + pack.first, numbers.data() + pack.first,
                        queries.self.empty() ? nullptr : queries.self.data() + row},
                       best.view(row));
    });
    if (progress) progress(double(begin + count) / double(y.rows));
  }
}

void meet_some(const Workers& on, const Queries& queries, const Field& points, std::span<const Meeting> meetings,
               Best& best) {
  on.threads.run(meetings.size(), [&](std::size_t m, int) {
    const Meeting& meeting = meetings[m];
    if (meeting.queries.empty() || meeting.points.empty()) return;
    thread_local Matrix<float> x, y;
    thread_local std::vector<float> halves;
    thread_local std::vector<std::uint32_t> selves;
    gather(queries.rows, meeting.queries, x);
    gather(points.rows, meeting.points, y);
    halves.resize(meeting.points.size());
    for (std::size_t c = 0; c < meeting.points.size(); ++c) halves[c] = points.half[meeting.points[c]];
    selves.clear();
    for (std::size_t i = 0; !queries.self.empty() && i < meeting.queries.size(); ++i)
      selves.push_back(queries.self[meeting.queries[i]]);
    // Their places lie apart: they are brought together, and put back.
    const std::size_t keep = best.keep();
    Best some(meeting.queries.size(), keep);
    for (std::size_t i = 0; i < meeting.queries.size(); ++i) {
      const NearestView from = best.view(meeting.queries[i]), to = some.view(i);
      std::copy_n(from.values, keep, to.values);
      std::copy_n(from.numbers, keep, to.numbers);
    }
    const PointPanels<float> panels = pack_points(MatrixView<const float>(y.view()).slice(0, meeting.points.size()));
    on.ops.nearest(MatrixView<const float>(x.view()).slice(0, meeting.queries.size()), panels,
                   {halves.data(), meeting.points.data(), queries.self.empty() ? nullptr : selves.data()}, some.view());
    for (std::size_t i = 0; i < meeting.queries.size(); ++i) {
      const NearestView from = some.view(i), to = best.view(meeting.queries[i]);
      std::copy_n(from.values, keep, to.values);
      std::copy_n(from.numbers, keep, to.numbers);
    }
  });
}

namespace {

double product(const float* x, const float* y, std::size_t inputs) {
  double sum = 0;
  for (std::size_t j = 0; j < inputs; ++j) sum += double(x[j]) * double(y[j]);
  return sum;
}

// In order of distance, then of place; of inner products the largest come first.
struct Ranked {
  double distance;
  std::uint32_t place;
};

void write_best(Metric metric, std::vector<Ranked>& ranked, std::size_t k, std::int64_t* rows, double* distances) {
  const auto before = [&](const Ranked& a, const Ranked& b) {
    if (a.distance != b.distance) return metric == Metric::inner ? a.distance > b.distance : a.distance < b.distance;
    return a.place < b.place;
  };
  const std::size_t count = std::min(k, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + std::ptrdiff_t(count), ranked.end(), before);
  for (std::size_t c = 0; c < k; ++c) {
    rows[c] = c < count ? std::int64_t(ranked[c].place) : -1;
    distances[c] = c < count ? ranked[c].distance : 0;
  }
}

bool is_zero(const float* x, std::size_t inputs) {
  return std::all_of(x, x + inputs, [](float value) { return value == 0; });
}

// From |x - y|^2: of rows of length 1 it is 2 (1 - cos). A row of length 0 has no angle: 1 to all others.
double distance_of(Metric metric, double squared, const float* x, const float* y, std::size_t inputs) {
  if (metric == Metric::euclidean) return std::sqrt(squared);
  const bool perhaps = squared == 0 || std::abs(squared - 1) < 1e-5;
  return perhaps && (is_zero(x, inputs) || is_zero(y, inputs)) ? 1 : squared / 2;
}

}  // namespace

namespace {

constexpr std::size_t kCandidatesAtOnce = 8;
constexpr double kRounded = 1e-5;  // of squared lengths, what a value in float may be wrong by

// One query, and its candidates among the points with their values, best first.
struct Candidates {
  const float* x;
  MatrixView<const float> points;
  std::span<const std::uint32_t> at;
  const float* values;
};

// |x - y|^2 of the candidates as far as one of them may be among the k nearest. Returns how many those are.
std::size_t compare_candidates(const Workers& on, const Ranking& ranking, const Candidates& candidates,
                               const double* origin, std::vector<double>& squared) {
  const auto& [x, points, at, values] = candidates;
  if (!origin) {
    on.ops.squared_distances(x, points, at, squared.data());
    return at.size();
  }
  std::vector<double> nearest;
  std::size_t done = 0;
  while (done < at.size()) {
    if (done >= ranking.k) {
      nearest.assign(squared.begin(), squared.begin() + std::ptrdiff_t(done));
      std::nth_element(nearest.begin(), nearest.begin() + std::ptrdiff_t(ranking.k - 1), nearest.end());
      const double kth = nearest[ranking.k - 1];
      if (2 * double(values[done]) + *origin - kRounded * (3 * *origin + 2 * kth) > kth) break;
    }
    const std::size_t count =
        std::min(std::max(kCandidatesAtOnce, ranking.k - std::min(done, ranking.k)), at.size() - done);
    on.ops.squared_distances(x, points, at.subspan(done, count), squared.data() + done);
    done += count;
  }
  return done;
}

}  // namespace

Neighbors rank_candidates(const Workers& on, const Ranking& ranking, MatrixView<const float> queries,
                          MatrixView<const float> points, const Best& best) {
  const Metric metric = ranking.metric;
  const std::size_t k = ranking.k;
  Neighbors found{.k = k,
                  .rows = std::vector<std::int64_t>(queries.rows * k, -1),
                  .distances = std::vector<double>(queries.rows * k)};
  const std::size_t pieces = (queries.rows + kQueriesAtOnce - 1) / kQueriesAtOnce;
  on.threads.run(pieces, [&](std::size_t piece, int) {
    std::vector<double> squared(best.keep());
    std::vector<Ranked> ranked;
    const std::size_t end = std::min(queries.rows, (piece + 1) * kQueriesAtOnce);
    for (std::size_t i = piece * kQueriesAtOnce; i < end; ++i) {
      const std::uint32_t* at = best.numbers(i);
      std::size_t count = std::size_t(std::find(at, at + best.keep(), kNoPoint) - at);
      ranked.clear();
      const float* x = queries.row(i);
      if (metric != Metric::inner)
        count = compare_candidates(on, ranking, {x, points, {at, count}, best.values(i)},
                                   ranking.origins.empty() ? nullptr : &ranking.origins[i], squared);
      for (std::size_t c = 0; c < count; ++c)
        ranked.push_back({metric == Metric::inner ? product(x, points.row(at[c]), points.cols)
                                                  : distance_of(metric, squared[c], x, points.row(at[c]), points.cols),
                          at[c]});
      write_best(metric, ranked, k, found.rows.data() + i * k, found.distances.data() + i * k);
    }
  });
  return found;
}

namespace {

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
    const double distance = metric == Metric::inner ? products[y]
                            : metric == Metric::cosine
                                ? 1 - products[y]
                                : std::sqrt(std::max(0.0, squared + lists.squared[y] - 2 * products[y]));
    ranked.push_back({distance, std::uint32_t(y)});
  }
}

}  // namespace

Neighbors rank_sparse(const Workers& on, const PointSearch& search, const std::function<void(double)>& progress) {
  const Points& queries = search.queries;
  const Points& points = search.points;
  const std::span<const std::uint32_t> self = search.self;
  const std::size_t k = search.k;
  Neighbors found{.k = k,
                  .rows = std::vector<std::int64_t>(queries.size() * k, -1),
                  .distances = std::vector<double>(queries.size() * k)};
  const ByColumn lists = by_column(points);
  constexpr std::size_t kRound = 64 * kQueriesAtOnce;
  for (std::size_t first = 0; first < queries.size(); first += kRound) {
    const std::size_t count = std::min(kRound, queries.size() - first);
    on.threads.run((count + kQueriesAtOnce - 1) / kQueriesAtOnce, [&](std::size_t piece, int) {
      std::vector<double> products(points.size());
      std::vector<Ranked> ranked;
      const std::size_t begin = first + piece * kQueriesAtOnce;
      for (std::size_t i = begin; i < std::min(first + count, begin + kQueriesAtOnce); ++i) {
        rank_query(search.metric, queries, i, lists, products, ranked);
        if (!self.empty()) std::erase_if(ranked, [&](const Ranked& r) { return r.place == self[i]; });
        write_best(search.metric, ranked, k, found.rows.data() + i * k, found.distances.data() + i * k);
      }
    });
    if (progress) progress(double(first + count) / double(queries.size()));
  }
  return found;
}

}  // namespace bochner
