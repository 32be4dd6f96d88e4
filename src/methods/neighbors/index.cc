// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "base/threads.h"
#include "methods/neighbors/code_search.h"
#include "methods/neighbors/graph.h"
#include "methods/neighbors/index_parts.h"
#include "methods/neighbors/read_points.h"
#include "methods/neighbors/scaled_rows.h"
#include "run/compute.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

constexpr std::array<const char*, 5> kMetrics{"euclidean", "cosine", "inner", "hamming", "jaccard"};

void check(const IndexOptions& options) {
  require(options.recall > 0 && options.recall <= 1, "recall: found {}, expected more than 0, at most 1",
          options.recall);
  require(options.k >= 1, "k: found 0, expected 1 or more");
  require(options.spill >= 0 && options.spill <= kMostSpill, "spill: found {}, expected 0 to {}", options.spill,
          kMostSpill);
  using Method = IndexOptions::Method;
  require(options.spill == 0 || options.method == Method::forest || options.method == Method::automatic,
          "spill: is for the method forest; leave it out");
  require(!options.scaling || options.metric == Metric::euclidean || options.metric == Metric::cosine ||
              options.metric == Metric::inner,
          "scale: {} compares inputs as they are, expected euclidean, cosine or inner; leave the scaling out",
          metric_name(options.metric));
}

// Turns distances of scaled points into the rows' own units.
void unscale(Metric metric, int exponent, Neighbors& found) {
  const int of = metric == Metric::euclidean ? -exponent : metric == Metric::inner ? -2 * exponent : 0;
  const double unit = std::ldexp(1.0, of);
  for (double& distance : found.distances) distance *= unit;
}

// Rows become what their bytes say.
ByteSteps round_to_bytes(const Workers& on, Points& points) {
  require(!points.sparse, "bytes: the rows are sparse, expected dense ones; project them first");
  Matrix<float>& rows = points.dense.matrix();
  ByteSteps steps = byte_steps(on, rows.view());
  if (steps.step == 0) steps.step = 1;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < points.inputs; ++j) rows(i, j) = steps.value(j, steps.code(j, rows(i, j)));
  return steps;
}

void refuse_bytes(bool bytes, const char* what) {
  require(!bytes, "{}: the index keeps rows as bytes, whose steps are those of its rows; build it from all rows", what);
}

}  // namespace

std::string metric_name(Metric metric) { return kMetrics[std::size_t(metric)]; }

Metric parse_metric(const std::string& text) {
  const auto at = std::find(kMetrics.begin(), kMetrics.end(), text);
  require(at != kMetrics.end(), "metric: found {}, expected euclidean, cosine, inner, hamming or jaccard", text);
  return Metric(at - kMetrics.begin());
}

void NeighborIndex::Parts::scale(const Workers& on) {
  exponent = scale_exponent(points);
  scaled = scaled_for(on, options.metric, points, exponent);
}

void NeighborIndex::Parts::keep_what_serves(const Workers& on) {
  half.clear();
  if (points.sparse || scaled.sparse) return;
  if (options.metric == Metric::hamming) {
    points.dense = as_bits(on, points.dense);
    scaled = points;
    searcher.look_at(scaled);
  } else if (searcher.compares_all()) {
    half = half_norms(on, options.metric, scaled.dense);
  }
}

void NeighborIndex::Parts::settle(const Execution& execution) {
  check_inputs(options.metric, points);
  if (!points.sparse && points.dense.stored()) points.dense = points.dense.all();  // methods are made in memory
  Threads threads(execution);
  scale(workers_on(threads));
  const IndexOptions::Method method = chosen_method(options, points);
  searcher = prepare(workers_on(threads), scaled, options, method, execution.progress);
  report = searcher.report(points);
  keep_what_serves(workers_on(threads));
}

NeighborIndex::NeighborIndex(Rows& rows, const IndexOptions& options) : parts_(std::make_unique<Parts>()) {
  check(options);
  std::unique_ptr<Rows> shifted;
  Rows& near = as_compared(rows, options, shifted);
  parts_->points = read_points(near, options.execution);
  parts_->schema = near.schema();
  require(parts_->points.size() > 0 && parts_->points.inputs > 0, "neighbours: no rows with inputs, expected some");
  if (options.bytes) {
    Threads threads(options.execution);
    parts_->bytes = round_to_bytes(workers_on(threads), parts_->points);
  }
  parts_->options = options;
  parts_->options.execution = {};
  parts_->numbers.resize(parts_->points.size());
  std::iota(parts_->numbers.begin(), parts_->numbers.end(), options.first);
  parts_->next = options.first + parts_->points.size();
  parts_->settle(options.execution);
}

NeighborIndex::NeighborIndex(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
NeighborIndex::NeighborIndex(NeighborIndex&&) noexcept = default;
NeighborIndex& NeighborIndex::operator=(NeighborIndex&&) noexcept = default;
NeighborIndex::~NeighborIndex() = default;

std::size_t NeighborIndex::size() const { return parts_->points.size(); }
const Schema& NeighborIndex::schema() const { return parts_->schema; }
Metric NeighborIndex::metric() const { return parts_->options.metric; }
const IndexReport& NeighborIndex::report() const { return parts_->report; }

Neighbors NeighborIndex::query(Rows& queries, std::size_t k, const Execution& execution) const {
  return query(queries, k, RowFilter(), execution);
}

Neighbors NeighborIndex::query(Rows& queries, std::size_t k, const RowFilter& allowed,
                               const Execution& execution) const {
  const Parts& p = *parts_;
  require(k >= 1, "k: found 0, expected 1 or more");
  const auto form = [](bool sparse) { return sparse ? "sparse" : "dense"; };
  const bool sparse = queries.schema().sparse;
  require(queries.schema().inputs == p.points.inputs && sparse == p.points.sparse,
          "queries: {} rows of {} inputs, expected {} rows of {} as in the index", form(sparse),
          queries.schema().inputs, form(p.points.sparse), p.points.inputs);
  Threads threads(execution);
  const Workers on = workers_on(threads);
  std::unique_ptr<Rows> shifted;
  const Points asked = scaled_for(
      on, p.options.metric, read_points(asked_like(queries, p.schema, p.options, shifted), execution), p.exponent);
  check_inputs(p.options.metric, asked);
  const PointSearch search{p.options.metric, asked, {}, p.scaled, std::min(k, p.points.size()), p.half};
  Neighbors found;
  if (allowed) {
    std::vector<bool> may(p.numbers.size());
    for (std::size_t i = 0; i < may.size(); ++i) may[i] = allowed(p.numbers[i]);
    found = search_allowed(on, p.searcher, search, may);
  } else {
    found = p.searcher.query(on, search, execution.progress);
  }
  unscale(p.options.metric, p.exponent, found);
  for (std::int64_t& row : found.rows)
    if (row >= 0) row = std::int64_t(p.numbers[std::size_t(row)]);
  return found;
}

void NeighborIndex::add(Rows& rows, const Execution& execution) {
  refuse_bytes(parts_->bytes.has_value(), "add");
  std::unique_ptr<Rows> shifted;
  const Points more = read_points(asked_like(rows, parts_->schema, parts_->options, shifted), execution);
  parts_->points.append(more);
  for (std::size_t i = 0; i < more.size(); ++i) parts_->numbers.push_back(parts_->next++);
  parts_->settle(execution);
}

void NeighborIndex::remove(std::span<const std::uint64_t> numbers, const Execution& execution) {
  Parts& p = *parts_;
  std::vector<bool> removed(p.numbers.size());
  for (const std::uint64_t number : numbers) {
    const auto at = std::lower_bound(p.numbers.begin(), p.numbers.end(), number);
    require(at != p.numbers.end() && *at == number, "remove: there is no row {} in the index", number);
    removed[std::size_t(at - p.numbers.begin())] = true;
  }
  require(std::count(removed.begin(), removed.end(), false) > 0, "remove: no row would be left");
  p.points = p.points.without(removed);
  std::vector<std::uint64_t> left;
  for (std::size_t i = 0; i < removed.size(); ++i)
    if (!removed[i]) left.push_back(p.numbers[i]);
  p.numbers = std::move(left);
  p.settle(execution);
}

void NeighborIndex::merge(const NeighborIndex& other, const Execution& execution) {
  Parts& p = *parts_;
  const Parts& q = *other.parts_;
  refuse_bytes(p.bytes || q.bytes, "merge");
  require(p.schema == q.schema, "merge: the columns of the two indexes differ, expected the same");
  require(p.options.metric == q.options.metric && p.options.method == q.options.method &&
              p.options.hash == q.options.hash && p.options.recall == q.options.recall && p.options.k == q.options.k &&
              p.options.seed == q.options.seed && p.options.spill == q.options.spill,
          "merge: the options of the two indexes differ, expected the same metric, method, hash, recall, k, seed and "
          "spill");
  require(same_scaling(p.options.scaling, q.options.scaling),
          "merge: the two indexes scale their inputs by rows of their own; build one of all rows, or leave the scaling "
          "out");
  Points all = p.points;
  all.append(q.points);
  std::vector<std::uint64_t> numbers = p.numbers;
  numbers.insert(numbers.end(), q.numbers.begin(), q.numbers.end());
  std::vector<std::uint32_t> order(numbers.size());  // rows of one part may lie between those of the other
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return numbers[a] < numbers[b]; });
  std::sort(numbers.begin(), numbers.end());
  const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
  require(twice == numbers.end(),
          "merge: both have a row {}, expected numbers of their own: give each part the number of its first row",
          twice == numbers.end() ? 0 : *twice);
  p.points = std::is_sorted(order.begin(), order.end()) ? std::move(all) : all.at(order);
  p.numbers = std::move(numbers);
  p.next = std::max(p.next, q.next);
  p.options.first = std::min(p.options.first, q.options.first);
  p.settle(execution);
}

namespace {

std::optional<Codes> codes_of(const Workers& on, const Points& points, const IndexOptions& options) {
  if (points.sparse || !by_distance(options.metric)) return std::nullopt;
  const std::uint8_t* bytes = points.dense.whole_bytes();
  if (!bytes) return Codes::of(on, points.dense.view());
  return Codes::of_bytes(on, bytes, points.size(), byte_ranges(on.threads, bytes, points.size(), points.inputs).low,
                         std::ldexp(1.0, points.dense.scale().exponent));
}

// Whether a search asks only for what bytes of the rows tell.
bool by_bytes_alone(const Rows& rows, const IndexOptions& options) {
  using Method = IndexOptions::Method;
  return !rows.schema().sparse && options.metric == Metric::euclidean && options.method != Method::project &&
         options.method != Method::lsh && Codes::can_hold(rows.schema().inputs) && can_search(rows.schema().inputs);
}

// The neighbours of scaled points among each other.
Neighbors search_graph(const Workers& on, const Points& points, std::size_t places, IndexOptions::Method method,
                       const IndexOptions& options, IndexReport& said) {
  const Execution& execution = options.execution;
  const std::optional<Codes> codes = codes_of(on, points, options);
  const Codes* known = codes ? &*codes : nullptr;
  std::vector<std::uint32_t> self(points.size());
  std::iota(self.begin(), self.end(), 0u);
  const PointSearch search{options.metric, points, self, points, places};
  if (method == IndexOptions::Method::forest && points.size() > 1) {
    const RecallSample sample = recall_sample(on, options.metric, points, places, options.seed, known);
    Graph graph = grow_graph(on, points, known, sample, options, execution.progress);
    if (graph.recall >= options.recall) {
      said = {.method = "forest",
              .rows = points.size(),
              .inputs = points.inputs,
              .dims = graph.dims,
              .cells = graph.cells,
              .nearest = graph.nearest,
              .candidates = graph.candidates,
              .recall = graph.recall};
      return std::move(graph.neighbors);
    }
  }
  const bool every_pair = method == IndexOptions::Method::exact || method == IndexOptions::Method::forest;
  const bool whole = known && known->are_rows() && can_search(*known) && options.metric != Metric::hamming;
  if (every_pair && whole) {
    said = {.method = "exact", .rows = points.size(), .inputs = points.inputs};
    return search_by_codes(on, search, *known, [&](double done) {
      if (execution.progress) execution.progress("comparing", done);
    });
  }
  IndexOptions asked = options;
  asked.k = places;
  const Searcher searcher =
      prepare(on, points, asked, method == IndexOptions::Method::forest ? IndexOptions::Method::exact : method,
              execution.progress);
  said = searcher.report(points);
  return searcher.query(on, search, execution.progress);
}

}  // namespace

Neighbors neighbor_graph(Rows& rows, std::size_t k, const IndexOptions& options, IndexReport* report) {
  check(options);
  require(k >= 1, "k: found 0, expected 1 or more");
  const Execution& execution = options.execution;
  // Rows lie in memory twice while they are read and scaled.
  if (options.method == IndexOptions::Method::exact &&
      2 * double(rows.memory_bytes(sizeof(float))) >= double(memory_limit(execution))) {
    Neighbors found = streamed_graph(rows, k, options);
    if (report) *report = {"exact", found.queries(), rows.schema().inputs};
    return found;
  }
  std::unique_ptr<Rows> shifted;
  Points points = read_points(as_compared(rows, options, shifted), execution, by_bytes_alone(rows, options));
  require(points.size() > 0 && points.inputs > 0, "neighbours: no rows with inputs, expected some");
  check_inputs(options.metric, points);
  const IndexOptions::Method method = chosen_method(options, points);
  const int exponent = scale_exponent(points);
  Threads threads(execution);
  const Workers on = workers_on(threads);
  points = scaled_for(on, options.metric, std::move(points), exponent);
  const std::size_t places = std::min(k, std::max<std::size_t>(points.size(), 2) - 1);
  IndexReport said;
  Neighbors found = search_graph(on, points, places, method, options, said);
  unscale(options.metric, exponent, found);
  for (std::int64_t& row : found.rows)
    if (row >= 0) row += std::int64_t(options.first);
  if (report) *report = said;
  return found;
}

}  // namespace bochner
