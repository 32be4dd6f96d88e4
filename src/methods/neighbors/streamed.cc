// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/threads.h"
#include "bochner/neighbors.h"
#include "methods/neighbors/compare.h"
#include "methods/neighbors/ranked.h"
#include "methods/neighbors/read_points.h"
#include "methods/neighbors/scaled_rows.h"
#include "run/compute.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

// Shares of the memory: queries; rows, which lie there twice while they are scaled, and once more as panels.
constexpr double kOfQueries = 0.2, kOfRows = 0.15;

// Consecutive rows in memory, a block at a time.
class Blocks {
 public:
  Blocks(Rows& rows, Metric metric, double bytes, const Execution& execution)
      : rows_(rows), metric_(metric), bytes_(bytes), execution_(execution) {}

  void rewind() {
    rows_.rewind();
    next_ = 0;
  }
  // The next rows as they are; false: there are none. first(): the number of the first of them.
  bool read(Points& points) {
    points = {};
    points.sparse = rows_.schema().sparse;
    points.inputs = rows_.schema().inputs;
    if (points.sparse) points.offsets.push_back(0);
    std::vector<float> dense;
    RowBlock<float> block;
    first_ = next_;
    // A row of CSR is as long as it is: at most a chunk too much.
    while (double(dense.size() + 2 * points.values.size()) * sizeof(float) < bytes_ && rows_.next(step(), block)) {
      if (execution_.cancel && execution_.cancel()) throw Stopped();
      append_block(block, points, dense);
      next_ += block.rows;
    }
    if (!points.sparse) points.dense = as_matrix(dense, points.inputs);
    check_inputs(metric_, points);
    return next_ > first_;
  }
  std::size_t first() const { return first_; }
  double done() const { return rows_.fraction_read(); }

 private:
  std::size_t step() const {
    const double row =
        double(std::max<std::size_t>(1, rows_.schema().sparse ? 64 : rows_.schema().inputs)) * sizeof(float);
    return std::size_t(std::clamp(bytes_ / row, 1.0, double(kChunkRows)));
  }
  Rows& rows_;
  Metric metric_;
  double bytes_;
  const Execution& execution_;
  std::size_t first_ = 0, next_ = 0;
};

// Lists of two blocks become one: by distance, then by number.
void merge(Metric metric, const Neighbors& more, std::int64_t first, Neighbors& best) {
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < best.queries(); ++i) {
    ranked.clear();
    for (std::size_t c = 0; c < best.k && best.rows[i * best.k + c] >= 0; ++c)
      ranked.push_back({best.distances[i * best.k + c], std::uint32_t(best.rows[i * best.k + c])});
    for (std::size_t c = 0; c < more.k && more.rows[i * more.k + c] >= 0; ++c)
      ranked.push_back({more.distances[i * more.k + c], std::uint32_t(more.rows[i * more.k + c] + first)});
    write_best(metric, ranked, i, best);
  }
}

class Streaming {
 public:
  Streaming(Rows& rows, Rows* queries, std::size_t k, const IndexOptions& options)
      : options_(options),
        threads_(options.execution),
        near_(as_compared(rows, options, shifted_)),
        asked_(queries ? asked_like(*queries, near_.schema(), options, shifted_queries_) : near_),
        graph_(queries == nullptr),
        k_(k) {
    require(k >= 1, "k: found 0, expected 1 or more");
    require(asked_.schema().inputs == near_.schema().inputs && asked_.schema().sparse == near_.schema().sparse,
            "queries: rows of {} inputs, expected {}", asked_.schema().inputs, near_.schema().inputs);
  }

  Neighbors run() {
    look();
    require(rows_ > (graph_ ? 1u : 0u), "neighbours: found {} rows, expected more", rows_);
    const std::size_t k = std::min(k_, rows_ - (graph_ ? 1 : 0));
    const double memory = double(memory_limit(options_.execution));
    Neighbors all{.k = k};
    // A graph asks its own rows, which are read from where the last block ended.
    for (std::size_t asked = 0;;) {
      Blocks queries(asked_, options_.metric, kOfQueries * memory, options_.execution);
      queries.rewind();
      Points block;
      if (!skip(queries, asked, block)) break;
      asked += block.size();
      const Points scaled = scaled_for(workers_on(threads_), options_.metric, std::move(block), exponent_);
      const Neighbors found = nearest(scaled, asked - scaled.size(), k, kOfRows * memory);
      all.rows.insert(all.rows.end(), found.rows.begin(), found.rows.end());
      all.distances.insert(all.distances.end(), found.distances.begin(), found.distances.end());
    }
    const int of = options_.metric == Metric::euclidean ? -exponent_
                   : options_.metric == Metric::inner   ? -2 * exponent_
                                                        : 0;
    for (double& distance : all.distances) distance = std::ldexp(distance, of);
    for (std::int64_t& row : all.rows)
      if (row >= 0) row += std::int64_t(options_.first);
    return all;
  }

 private:
  // Blocks up to the one that begins at row `asked`; false: there is none.
  static bool skip(Blocks& queries, std::size_t asked, Points& block) {
    while (queries.read(block))
      if (queries.first() >= asked) return true;
    return false;
  }

  // How many rows there are, and their scale.
  void look() {
    Blocks blocks(near_, options_.metric, kOfRows * double(memory_limit(options_.execution)), options_.execution);
    blocks.rewind();
    float largest = 0;
    for (Points points; blocks.read(points); rows_ += points.size())
      largest = std::max(largest, largest_number(points));
    exponent_ = scale_exponent(largest);
    if (rows_ >= kNoPoint) fail(Error::Kind::data, "neighbours: {} rows, expected fewer than 2^32", rows_);
  }

  Neighbors nearest(const Points& queries, std::size_t first_query, std::size_t k, double bytes) {
    Neighbors best = no_neighbors(queries.size(), k);
    const Workers on = workers_on(threads_);
    Blocks blocks(near_, options_.metric, bytes, options_.execution);
    blocks.rewind();
    for (Points block; blocks.read(block);) {
      const Points points = scaled_for(workers_on(threads_), options_.metric, std::move(block), exponent_);
      std::vector<std::uint32_t> self;
      for (std::size_t i = 0; graph_ && i < queries.size(); ++i) {
        const std::size_t row = first_query + i;
        const bool here = row >= blocks.first() && row < blocks.first() + points.size();
        self.push_back(here ? std::uint32_t(row - blocks.first()) : kNoPoint);
      }
      merge(options_.metric, search_exact(on, {options_.metric, queries, self, points, std::min(k, points.size())}),
            std::int64_t(blocks.first()), best);
      if (options_.execution.progress) options_.execution.progress("comparing", blocks.done());
    }
    return best;
  }

  const IndexOptions& options_;
  Threads threads_;
  std::unique_ptr<Rows> shifted_, shifted_queries_;
  Rows& near_;
  Rows& asked_;
  bool graph_;
  std::size_t k_;
  std::size_t rows_ = 0;
  int exponent_ = 0;
};

}  // namespace

Neighbors streamed_neighbors(Rows& rows, Rows& queries, std::size_t k, const IndexOptions& options) {
  return Streaming(rows, &queries, k, options).run();
}

Neighbors streamed_graph(Rows& rows, std::size_t k, const IndexOptions& options) {
  return Streaming(rows, nullptr, k, options).run();
}

}  // namespace bochner
