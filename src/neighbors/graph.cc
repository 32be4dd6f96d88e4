// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/graph.h"

#include <algorithm>
#include <cmath>

#include "neighbors/cells.h"

namespace bochner {

namespace {

constexpr std::size_t kFirstCells = 8, kKnownCells = 256;

// What the sample's rows find, by candidates that are numbered as in the cells.
class Measure {
 public:
  Measure(const Workers& on, Metric metric, const Points& points, const RecallSample& sample)
      : on_(on), metric_(metric), points_(points), sample_(sample) {}

  double recall(const Cells& cells, Best best) const {
    for (std::size_t i = 0; i < sample_.places.size(); ++i) cells.name(best.view(i).numbers, best.keep());
    const PointSearch search{metric_, sample_.queries, {}, points_, sample_.k};
    return sample_.recall(rank_candidates(on_, search, best));
  }

 private:
  const Workers& on_;
  Metric metric_;
  const Points& points_;
  const RecallSample& sample_;
};

// What the sample must show, since other rows find a little more or less: the standard error of a share that each of
// its rows counts for as four neighbours, the others of a row being found or missed with them.
double with_error(double recall, std::size_t rows) {
  return recall + 0.5 * std::sqrt(recall * (1 - recall) / double(rows));
}

}  // namespace

Graph grow_graph(const Workers& on, const Points& all, const Codes* codes, const RecallSample& sample,
                 const IndexOptions& options, const SearchProgress& progress) {
  const Coordinates coordinates = choose_coordinates(on, all, sample, with_room(options.recall), options);
  Cells cells(on, coordinates.field(all), options.seed);
  const Measure measure(on, options.metric, all, sample);
  const std::size_t keep = coordinates.candidates;

  // Bytes serve where they tell near points from far ones about as well as coordinates do.
  Best every(sample.places.size(), keep);
  cells.meet_every(on, sample.places, every);
  if (measure.recall(cells, every) < (options.recall + with_room(options.recall)) / 2) cells.leave_bytes(on);

  Graph graph{.dims = coordinates.dims, .cells = cells.count(), .candidates = keep};
  Best best(sample.places.size(), keep);
  // Half of the rows as floats cost no less than all of them at once do; bytes may meet them all.
  const std::size_t most = cells.by_bytes() ? cells.count() : cells.count() / 2;
  const double wanted = with_error(options.recall, sample.places.size());
  for (std::size_t next = std::max(kFirstCells, cells.count() / 64); graph.recall < wanted && graph.nearest < most;
       next += std::max<std::size_t>(1, next / 4)) {
    next = std::min(next, most);
    if (next > cells.known()) cells.know(on, std::max(kKnownCells, 2 * next));
    cells.meet(on, sample.places, graph.nearest, next, best);
    graph.nearest = next;
    graph.recall = measure.recall(cells, best);
    if (progress) progress("cells", std::min(0.99, graph.recall / options.recall));
  }
  if (graph.recall < options.recall) return graph;
  best = cells.meet_all(on, graph.nearest, keep);
  const Ranking ranking{.metric = options.metric, .k = sample.k, .codes = codes, .order = cells.order()};
  graph.neighbors = rank_candidates(on, ranking, all.dense.view(), all.dense, best);
  return graph;
}

}  // namespace bochner
