// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/graph.h"

#include <algorithm>
#include <cmath>

#include "methods/neighbors/cells.h"

namespace bochner {

namespace {

constexpr std::size_t kFirstCells = 8, kKnownCells = 128, kKnownOfNearest = 4;

}  // namespace

Graph grow_graph(const Workers& on, const Points& all, const Codes* codes, const RecallSample& sample,
                 const IndexOptions& options, const SearchProgress& progress) {
  const Coordinates coordinates = choose_coordinates(on, all, sample, with_room(options.recall), options, codes);
  Cells cells(on, coordinates.field(all), options.seed);
  const std::size_t keep = coordinates.candidates;
  const auto measured = [&](Best best) {  // best: candidates numbered as in the cells
    for (std::size_t i = 0; i < sample.places.size(); ++i) cells.name(best.view(i).numbers, keep);
    return sample.recall(on, options.metric, all, codes, best);
  };

  // Bytes serve where they tell near points from far ones about as well as coordinates do.
  Best every(sample.places.size(), keep);
  cells.meet_every(on, sample.places, every);
  if (measured(every) < (options.recall + with_room(options.recall)) / 2) cells.leave_bytes(on);

  Graph graph{.dims = coordinates.dims, .cells = cells.count(), .candidates = keep};
  Best best(sample.places.size(), keep);
  std::vector<std::uint32_t> near;
  // Half of the rows as floats cost no less than all of them at once do; bytes may meet them all.
  const std::size_t most = cells.by_bytes() ? cells.count() : cells.count() / 2;
  const double wanted = sample.with_error(options.recall);
  for (std::size_t next = kFirstCells; graph.recall < wanted && graph.nearest < most;
       next += std::max<std::size_t>(1, next / 8)) {
    next = std::min(next, most);
    // The near cells are found again if more cells are known.
    if (2 * next > cells.known() && cells.known() < cells.count()) {
      cells.know(on, std::max(kKnownCells, kKnownOfNearest * next));
      near = cells.near(on, sample.places);
      best = Best(sample.places.size(), keep);
      graph.nearest = 0;
    }
    cells.meet(on, sample.places, near, graph.nearest, next, best);
    graph.nearest = next;
    graph.recall = measured(best);
    if (progress) progress("cells", std::min(0.99, graph.recall / options.recall));
  }
  if (graph.recall < options.recall) return graph;
  best = cells.meet_all(on, graph.nearest, keep);
  const Ranking ranking{.metric = options.metric, .k = sample.k, .codes = codes, .order = cells.order()};
  graph.neighbors = rank_candidates(on, ranking, all.dense, all.dense, best);
  return graph;
}

}  // namespace bochner
