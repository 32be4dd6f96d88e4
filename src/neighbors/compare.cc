// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/backend.h"
#include "backend/radial.h"
#include "neighbors/ranked.h"

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

bool is_zero(const float* x, std::size_t inputs) {
  return std::all_of(x, x + inputs, [](float value) { return value == 0; });
}

// From |x - y|^2: of rows of length 1 it is 2 (1 - cos). A row of length 0 has no angle: 1 to all others.
double distance_of(Metric metric, double squared, const float* x, const float* y, std::size_t inputs) {
  if (metric == Metric::euclidean) return std::sqrt(squared);
  if (metric == Metric::hamming) return squared;  // of 0 and 1: the inputs that differ
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

// The candidates of point i that its bytes do not rule out: nearer, perhaps, than k others surely are.
void rule_out(const Codes& codes, std::size_t k, std::uint32_t i, std::span<const std::uint32_t> at,
              std::vector<std::uint32_t>& left) {
  constexpr double kRoom = 1 + 1e-9;  // distances are roots
  left.assign(at.begin(), at.end());
  if (at.size() <= k) return;
  thread_local std::vector<std::uint32_t> squared;
  thread_local std::vector<double> distance, most;
  squared.resize(at.size());
  distance.resize(at.size());
  most.resize(at.size());
  code_distances(codes.rows().row(i), codes.rows(), at, squared.data());
  for (std::size_t c = 0; c < at.size(); ++c) {
    distance[c] = codes.step() * std::sqrt(double(squared[c]));
    most[c] = distance[c] + codes.slack(i, at[c]);
  }
  std::nth_element(most.begin(), most.begin() + std::ptrdiff_t(k - 1), most.end());
  const double limit = most[k - 1] * kRoom;
  left.clear();
  for (std::size_t c = 0; c < at.size(); ++c)
    if (distance[c] - codes.slack(i, at[c]) <= limit) left.push_back(at[c]);
}

}  // namespace

Neighbors rank_candidates(const Workers& on, const Ranking& ranking, MatrixView<const float> queries,
                          MatrixView<const float> points, const Best& best) {
  const Metric metric = ranking.metric;
  const std::size_t k = ranking.k;
  Neighbors found = no_neighbors(queries.rows, k);
  const std::size_t pieces = (queries.rows + kQueriesAtOnce - 1) / kQueriesAtOnce;
  on.threads.run(pieces, [&](std::size_t piece, int) {
    std::vector<double> squared(best.keep());
    std::vector<Ranked> ranked;
    std::vector<std::uint32_t> left;
    const std::size_t end = std::min(queries.rows, (piece + 1) * kQueriesAtOnce);
    for (std::size_t next = piece * kQueriesAtOnce; next < end; ++next) {
      const std::size_t i = ranking.order.empty() ? next : ranking.order[next];
      const std::uint32_t* at = best.numbers(i);
      std::size_t count = std::size_t(std::find(at, at + best.keep(), kNoPoint) - at);
      ranked.clear();
      const float* x = queries.row(i);
      if (ranking.codes && metric != Metric::inner) {
        rule_out(*ranking.codes, k, std::uint32_t(i), {at, count}, left);
        at = left.data();
        count = left.size();
        on.ops.squared_distances(x, points, left, squared.data());
      } else if (metric != Metric::inner)
        count = compare_candidates(on, ranking, {x, points, {at, count}, best.values(i)},
                                   ranking.origins.empty() ? nullptr : &ranking.origins[i], squared);
      for (std::size_t c = 0; c < count; ++c)
        ranked.push_back({metric == Metric::inner ? product(x, points.row(at[c]), points.cols)
                                                  : distance_of(metric, squared[c], x, points.row(at[c]), points.cols),
                          at[c]});
      write_best(metric, ranked, i, found);
    }
  });
  return found;
}

Neighbors rank_lists(const Workers& on, const PointSearch& search, const CandidatesOf& candidates) {
  if (search.points.sparse) return rank_sparse_lists(on, search, candidates);
  const MatrixView<const float> queries = search.queries.dense.view(), points = search.points.dense.view();
  Neighbors found = no_neighbors(queries.rows, search.k);
  on.threads.run((queries.rows + kQueriesAtOnce - 1) / kQueriesAtOnce, [&](std::size_t piece, int thread) {
    std::vector<double> squared;
    std::vector<Ranked> ranked;
    const std::size_t end = std::min(queries.rows, (piece + 1) * kQueriesAtOnce);
    for (std::size_t i = piece * kQueriesAtOnce; i < end; ++i) {
      const std::span<const std::uint32_t> at = candidates(i, thread);
      squared.resize(at.size());
      on.ops.squared_distances(queries.row(i), points, at, squared.data());
      ranked.clear();
      for (std::size_t c = 0; c < at.size(); ++c)
        ranked.push_back(
            {distance_of(search.metric, squared[c], queries.row(i), points.row(at[c]), points.cols), at[c]});
      write_best(search.metric, ranked, i, found);
    }
  });
  return found;
}

Neighbors rank_candidates(const Workers& on, const PointSearch& search, const Best& best) {
  if (!search.points.sparse)
    return rank_candidates(on, {search.metric, search.k}, search.queries.dense.view(), search.points.dense.view(),
                           best);
  return rank_lists(on, search, [&](std::size_t i, int) {
    const std::uint32_t* at = best.numbers(i);
    return std::span(at, std::size_t(std::find(at, at + best.keep(), kNoPoint) - at));
  });
}

Neighbors search_exact(const Workers& on, const PointSearch& search, const std::function<void(double)>& progress) {
  const auto& [metric, queries, self, points, k] = search;
  if (points.sparse) return rank_sparse(on, search, progress);
  Best best(queries.size(), k + std::max<std::size_t>(8, k / 4));
  meet_all(on, {queries.dense.view(), self}, {points.dense.view(), half_norms(metric, points.dense.view())}, best,
           progress);
  return rank_candidates(on, {metric, k}, queries.dense.view(), points.dense.view(), best);
}

}  // namespace bochner
