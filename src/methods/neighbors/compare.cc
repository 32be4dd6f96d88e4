// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/backend.h"
#include "backend/radial.h"
#include "base/pieces.h"
#include "methods/neighbors/ranked.h"

namespace bochner {

namespace {

constexpr std::size_t kComparedPoints = 512;  // packed by one thread, and met by all
constexpr std::size_t kComparedPacks = 16;    // packs at a time
constexpr std::size_t kComparedQueries = 96;  // queries of a thread: whole register tiles

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

void meet_all(const Workers& on, const Queries& queries, const DenseRows& y, std::span<const float> half, Best& best,
              const std::function<void(double)>& progress) {
  const MatrixView<const float> x = queries.rows;
  const std::size_t points = y.rows();
  if (x.rows == 0 || points == 0 || y.cols() == 0) return;
  std::vector<std::uint32_t> numbers(points);
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::vector<Pack> packs(kComparedPacks);
  for (std::size_t begin = 0; begin < points; begin += kComparedPacks * kComparedPoints) {
    const std::size_t count = std::min(kComparedPacks * kComparedPoints, points - begin);
    packs.resize((count + kComparedPoints - 1) / kComparedPoints);
    on.threads.run(packs.size(), [&](std::size_t p, int) {
      thread_local Matrix<float> made;
      const std::size_t first = begin + p * kComparedPoints;
      packs[p] = {pack_points(y.block(first, std::min(kComparedPoints, points - first), made)), first};
    });
    in_pieces(on.threads, x.rows, kComparedQueries, [&](std::size_t row, std::size_t rows) {
      for (const Pack& pack : packs)
        on.ops.nearest(x.slice(row, rows), pack.panels,
                       {half.data() + pack.first, numbers.data() + pack.first,
                        queries.self.empty() ? nullptr : queries.self.data() + row},
                       best.view(row));
    });
    if (progress) progress(double(begin + count) / double(points));
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

constexpr std::size_t kMostBits = std::size_t(1) << 24;  // distances are floats

double product(const float* x, const float* y, std::size_t inputs) {
  double sum = 0;
  for (std::size_t j = 0; j < inputs; ++j) sum += double(x[j]) * double(y[j]);
  return sum;
}

bool is_zero(const float* x, std::size_t inputs) {
  return std::all_of(x, x + inputs, [](float value) { return value == 0; });
}

// 1 - cos from |x - y|^2 = 2 (1 - cos) of rows of length 1. A row of length 0 has no angle: 1 to all others.
double angle_of(double squared, const float* x, const float* y, std::size_t inputs) {
  const bool perhaps = squared == 0 || std::abs(squared - 1) < 1e-5;
  return perhaps && (is_zero(x, inputs) || is_zero(y, inputs)) ? 1 : squared / 2;
}

// The points at some places with their distances, from |x - y|^2 where they are not compared by products.
void rank_squared(Metric metric, const float* x, const DenseRows& points, std::span<const std::uint32_t> at,
                  const double* squared, std::vector<Ranked>& ranked) {
  thread_local SomeRows some;
  const bool looked = metric == Metric::inner || metric == Metric::cosine;
  if (looked) some.look_at(points, at);
  const auto row = [&](std::size_t c) { return some.rows().row(some.at()[c]); };
  for (std::size_t c = 0; c < at.size(); ++c) {
    double distance = squared[c];  // hamming: of 0 and 1 the inputs that differ
    if (metric == Metric::euclidean) distance = std::sqrt(squared[c]);
    if (metric == Metric::inner) distance = product(x, row(c), points.cols());
    if (metric == Metric::cosine) distance = angle_of(squared[c], x, row(c), points.cols());
    ranked.push_back({distance, at[c]});
  }
}

constexpr std::size_t kCandidatesAtOnce = 8;
constexpr double kDistanceMargin = 1e-5;  // error of a value in float, relative to squared lengths

// One query, and its candidates among the points with their values, best first.
struct Candidates {
  const float* x;
  const DenseRows& points;
  std::span<const std::uint32_t> at;
  const float* values;
};

// |x - y|^2 of the rows at some places. Of rows of 0 and 1 that are the bits that differ.
void compare_rows(const Workers& on, const float* x, const DenseRows& points, std::span<const std::uint32_t> at,
                  double* squared) {
  if (points.holds_bits()) {
    thread_local std::vector<std::uint8_t> bits;
    thread_local std::vector<std::uint32_t> differ;
    bits.resize(BitRows::stride_of(points.cols()));
    differ.resize(at.size());
    pack_bits(x, points.cols(), bits.data());
    bit_distances(bits.data(), bit_rows(points), at, differ.data());
    std::copy(differ.begin(), differ.end(), squared);
    return;
  }
  thread_local SomeRows some;
  some.look_at(points, at);
  on.ops.squared_distances(x, some.rows(), some.at(), squared);
}

// |x - y|^2 of the candidates as far as one of them may be among the k nearest. Returns how many those are.
std::size_t compare_candidates(const Workers& on, const Ranking& ranking, const Candidates& candidates,
                               const double* origin, std::vector<double>& squared) {
  const auto& [x, points, at, values] = candidates;
  if (!origin) {
    compare_rows(on, x, points, at, squared.data());
    return at.size();
  }
  std::vector<double> nearest;
  std::size_t done = 0;
  while (done < at.size()) {
    if (done >= ranking.k) {
      nearest.assign(squared.begin(), squared.begin() + std::ptrdiff_t(done));
      std::nth_element(nearest.begin(), nearest.begin() + std::ptrdiff_t(ranking.k - 1), nearest.end());
      const double kth = nearest[ranking.k - 1];
      if (2 * double(values[done]) + *origin - kDistanceMargin * (3 * *origin + 2 * kth) > kth) break;
    }
    const std::size_t count =
        std::min(std::max(kCandidatesAtOnce, ranking.k - std::min(done, ranking.k)), at.size() - done);
    compare_rows(on, x, points, at.subspan(done, count), squared.data() + done);
    done += count;
  }
  return done;
}

// The k nearest of the candidates of point i where bytes are all that the rows are, and distances their own.
void rank_codes(const Codes& codes, std::uint32_t self, std::span<const std::uint32_t> at, std::size_t i,
                Neighbors& found) {
  thread_local std::vector<std::uint32_t> squared;
  thread_local std::vector<std::uint64_t> order;  // what is nearer is less, of equal ones the first
  squared.resize(at.size());
  order.resize(at.size());
  code_distances(codes.rows().row(self), codes.rows(), at, squared.data());
  for (std::size_t c = 0; c < at.size(); ++c) order[c] = std::uint64_t(squared[c]) << 32 | at[c];
  const std::size_t count = std::min(found.k, at.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(count), order.end());
  for (std::size_t c = 0; c < count; ++c) {
    found.rows[i * found.k + c] = std::int64_t(std::uint32_t(order[c]));
    found.distances[i * found.k + c] = std::sqrt(codes.step() * codes.step() * double(order[c] >> 32));
  }
}

// The candidates of point i that its bytes do not rule out: nearer, perhaps, than k others surely are. Where bytes are
// all that rows are (whole numbers of steps that are powers of two), |x - y|^2 is known as well: true.
bool rule_out(const Codes& codes, std::size_t k, std::uint32_t i, std::span<const std::uint32_t> at,
              std::vector<std::uint32_t>& left, std::vector<double>& known) {
  constexpr double kRoom = 1 + 1e-9;  // distances are roots
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
  double limit = std::numeric_limits<double>::infinity();
  if (at.size() > k) {
    std::nth_element(most.begin(), most.begin() + std::ptrdiff_t(k - 1), most.end());
    limit = most[k - 1] * kRoom;
  }
  left.clear();
  bool exact = codes.are_rows();
  for (std::size_t c = 0; c < at.size(); ++c)
    if (distance[c] - codes.slack(i, at[c]) <= limit) {
      exact = exact && codes.slack(i, at[c]) == 0;
      known[left.size()] = codes.step() * codes.step() * double(squared[c]);
      left.push_back(at[c]);
    }
  return exact;
}

}  // namespace

Neighbors rank_candidates(const Workers& on, const Ranking& ranking, const DenseRows& queries, const DenseRows& points,
                          const Best& best) {
  const Metric metric = ranking.metric;
  const std::size_t k = ranking.k;
  Neighbors found = no_neighbors(queries.rows(), k);
  in_pieces(on.threads, queries.rows(), kComparedQueries, [&](std::size_t begin, std::size_t rows) {
    std::vector<double> squared(best.keep());
    std::vector<Ranked> ranked;
    std::vector<std::uint32_t> left;
    Matrix<float> scratch;
    for (std::size_t next = begin; next < begin + rows; ++next) {
      const std::size_t i = ranking.order.empty() ? next : ranking.order[next];
      const std::uint32_t* at = best.numbers(i);
      std::size_t count = std::size_t(std::find(at, at + best.keep(), kNoPoint) - at);
      const std::uint32_t self = ranking.self.empty() ? std::uint32_t(i) : ranking.self[i];
      if (ranking.codes && metric == Metric::euclidean && ranking.codes->are_all()) {
        rank_codes(*ranking.codes, self, {at, count}, i, found);
        continue;
      }
      ranked.clear();
      // Where rows are made they are not for what bytes tell.
      const float* x = queries.is_plain() ? queries.view().row(i) : nullptr;
      const auto made = [&] { return x ? x : queries.block(i, 1, scratch).row(0); };
      if (ranking.codes && metric != Metric::inner) {
        const bool known = rule_out(*ranking.codes, k, self, {at, count}, left, squared);
        at = left.data();
        count = left.size();
        if (!known) compare_rows(on, made(), points, left, squared.data());
      } else if (metric != Metric::inner)
        count = compare_candidates(on, ranking, {made(), points, {at, count}, best.values(i)},
                                   ranking.origins.empty() ? nullptr : &ranking.origins[i], squared);
      rank_squared(metric, metric == Metric::euclidean ? x : made(), points, {at, count}, squared.data(), ranked);
      write_best(metric, ranked, i, found);
    }
  });
  return found;
}

Neighbors rank_lists(const Workers& on, const PointSearch& search, const CandidatesOf& candidates) {
  if (search.points.sparse) return rank_sparse_lists(on, search, candidates);
  const MatrixView<const float> queries = search.queries.dense.view();
  const DenseRows& points = search.points.dense;
  Neighbors found = no_neighbors(queries.rows, search.k);
  in_pieces(on.threads, queries.rows, kComparedQueries, [&](std::size_t begin, std::size_t rows, int thread) {
    std::vector<double> squared;
    std::vector<Ranked> ranked;
    for (std::size_t i = begin; i < begin + rows; ++i) {
      const std::span<const std::uint32_t> at = candidates(i, thread);
      squared.resize(at.size());
      compare_rows(on, queries.row(i), points, at, squared.data());
      ranked.clear();
      rank_squared(search.metric, queries.row(i), points, at, squared.data(), ranked);
      write_best(search.metric, ranked, i, found);
    }
  });
  return found;
}

Neighbors rank_candidates(const Workers& on, const PointSearch& search, const Best& best) {
  if (!search.points.sparse)
    return rank_candidates(on, {search.metric, search.k}, search.queries.dense, search.points.dense, best);
  return rank_lists(on, search, [&](std::size_t i, int) {
    const std::uint32_t* at = best.numbers(i);
    return std::span(at, std::size_t(std::find(at, at + best.keep(), kNoPoint) - at));
  });
}

namespace {

// Every pair of rows of 0 and 1: points go by once, a block of them for some queries at a time.
Neighbors search_bits(const Workers& on, const PointSearch& search, const std::function<void(double)>& progress) {
  constexpr std::size_t kBytes = 1 << 18, kRound = 64;
  const DenseRows asked = as_bits(on, search.queries.dense), known = as_bits(on, search.points.dense);
  const BitRows x = bit_rows(asked), y = bit_rows(known);
  const std::size_t block = std::max<std::size_t>(1, kBytes / std::max<std::size_t>(1, y.stride));
  Best best(x.rows, search.k);
  for (std::size_t begin = 0; begin < y.rows; begin += kRound * block) {
    const std::size_t end = std::min(y.rows, begin + kRound * block);
    in_pieces(on.threads, x.rows, kComparedQueries, [&](std::size_t row, std::size_t rows) {
      for (std::size_t first = begin; first < end; first += block)
        nearest_bits(x.slice(row, rows), y.slice(first, std::min(block, end - first)), std::uint32_t(first),
                     search.self.empty() ? nullptr : search.self.data() + row, best.view(row));
    });
    if (progress) progress(double(end) / double(y.rows));
  }
  Neighbors found = no_neighbors(x.rows, search.k);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t c = 0; c < search.k && best.numbers(i)[c] != kNoPoint; ++c) {
      found.rows[i * search.k + c] = std::int64_t(best.numbers(i)[c]);
      found.distances[i * search.k + c] = double(best.values(i)[c]);
    }
  return found;
}

}  // namespace

Neighbors search_exact(const Workers& on, const PointSearch& search, const std::function<void(double)>& progress) {
  const Points &queries = search.queries, &points = search.points;
  if (points.sparse) return rank_sparse(on, search, progress);
  if (search.metric == Metric::hamming && points.inputs < kMostBits) return search_bits(on, search, progress);
  Best best(queries.size(), search.k + std::max<std::size_t>(8, search.k / 4));
  std::vector<float> half;
  if (search.half.empty()) half = half_norms(on, search.metric, points.dense);
  meet_all(on, {queries.dense.view(), search.self}, points.dense, search.half.empty() ? half : search.half, best,
           progress);
  return rank_candidates(on, {search.metric, search.k}, queries.dense, points.dense, best);
}

}  // namespace bochner
