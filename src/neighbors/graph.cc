// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "backend/backend.h"
#include "neighbors/forest_search.h"

namespace bochner {

namespace {

constexpr std::size_t kGraphLeaf = 200;
constexpr std::size_t kFirstTrees = 4, kMostGraphTrees = 40;
constexpr double kLittle = 0.003;  // of recall: a round that brings less is the last before more trees
constexpr std::size_t kRowsOfPiece = 64;

// Neighbours of neighbours (Dong, Moses & Li, WWW 2011), from a copy of the graph: the same for any threads. A row is
// joined with the neighbours of its `width` best and with those that have it among theirs.
class Join {
 public:
  Join(const Workers& on, const Field& coords, std::size_t width)
      : on_(on), coords_(coords.rows), half_(coords.half), width_(width) {}

  void round(Best& best) const {
    const std::size_t rows = coords_.rows;
    std::vector<std::uint32_t> near(rows * width_, kNoPoint), reverse(rows * width_, kNoPoint);
    std::vector<std::uint32_t> count(rows, 0);
    for (std::size_t i = 0; i < rows; ++i) std::copy_n(best.numbers(i), width_, near.data() + i * width_);
    for (std::size_t c = 0; c < width_; ++c)  // the nearest first, as far as there is room
      for (std::size_t i = 0; i < rows; ++i) {
        const std::uint32_t j = near[i * width_ + c];
        if (j != kNoPoint && count[j] < width_) reverse[j * width_ + count[j]++] = std::uint32_t(i);
      }
    on_.threads.run((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t piece, int) {
      std::vector<std::uint32_t> offered;
      std::vector<double> squared;
      for (std::size_t i = piece * kRowsOfPiece; i < std::min(rows, (piece + 1) * kRowsOfPiece); ++i) {
        gather(i, near, reverse, best, offered);
        squared.resize(offered.size());
        on_.ops.squared_distances(coords_.row(i), coords_, offered, squared.data());
        const NearestView to = best.view(i);
        // The value of a meeting: half |y|^2 - x.y = (|x - y|^2 - |x|^2) / 2.
        for (std::size_t c = 0; c < offered.size(); ++c)
          offer_point(float(squared[c] / 2 - double(half_[i])), offered[c], to.keep, to.values, to.numbers);
      }
    });
  }

 private:
  // Who has not met row i yet.
  void gather(std::size_t i, const std::vector<std::uint32_t>& near, const std::vector<std::uint32_t>& reverse,
              const Best& best, std::vector<std::uint32_t>& offered) const {
    offered.clear();
    const auto add = [&](const std::vector<std::uint32_t>& lists, std::size_t j) {
      for (std::size_t c = 0; c < width_ && lists[j * width_ + c] != kNoPoint; ++c)
        offered.push_back(lists[j * width_ + c]);
    };
    add(reverse, i);
    for (const auto* lists : {&near, &reverse})
      for (std::size_t c = 0; c < width_ && (*lists)[i * width_ + c] != kNoPoint; ++c)
        add(near, (*lists)[i * width_ + c]);
    std::sort(offered.begin(), offered.end());
    offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
    const std::uint32_t* known = best.numbers(i);
    std::erase_if(offered, [&](std::uint32_t j) {
      return j == i || std::find(known, known + best.keep(), j) != known + best.keep();
    });
  }

  const Workers& on_;
  MatrixView<const float> coords_;
  std::span<const float> half_;
  std::size_t width_;
};

// Rows of a leaf with each other.
void meet_within_leaves(const Workers& on, const Tree& tree, const Queries& all, const Field& coords, Best& best) {
  std::vector<Meeting> meetings;
  for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) meetings.push_back({tree.leaf(leaf), tree.leaf(leaf)});
  meet_some(on, all, coords, meetings, best);
}

double measured(const Workers& on, Metric metric, MatrixView<const float> points, const RecallSample& sample,
                Best& best) {
  Best some(sample.places.size(), best.keep());
  Matrix<float> queries(sample.places.size(), points.cols);
  for (std::size_t i = 0; i < sample.places.size(); ++i) {
    std::copy_n(best.view(sample.places[i]).numbers, best.keep(), some.view(i).numbers);
    std::copy_n(points.row(sample.places[i]), points.cols, &queries(i, 0));
  }
  return sample.recall(rank_candidates(on, metric, queries.view(), points, some, sample.k));
}

}  // namespace

Graph grow_graph(const Workers& on, MatrixView<const float> points, const RecallSample& sample,
                 const IndexOptions& options, const SearchProgress& progress) {
  const Coordinates coordinates = choose_coordinates(on, points, sample, options);
  const Field coords = coordinates.field(points);
  Graph graph{.neighbors = {},
              .dims = coordinates.dims,
              .trees = 0,
              .leaf = std::max(kGraphLeaf, 2 * coordinates.candidates),
              .candidates = coordinates.candidates,
              .recall = 0};
  std::vector<std::uint32_t> self(points.rows);
  for (std::size_t i = 0; i < self.size(); ++i) self[i] = std::uint32_t(i);
  Best best(points.rows, coordinates.candidates);
  const Join join(on, coords, sample.k);
  const auto said = [&](const char* step) {
    graph.recall = measured(on, options.metric, points, sample, best);
    if (progress) progress(step, std::min(0.99, graph.recall / options.recall));
    return graph.recall >= options.recall;
  };
  for (std::size_t wanted = kFirstTrees; graph.trees < kMostGraphTrees; wanted += 2) {
    for (; graph.trees < wanted; ++graph.trees)
      meet_within_leaves(on, Tree::grow(on, coords.rows, options.seed, graph.trees, graph.leaf), {coords.rows, self},
                         coords, best);
    bool enough = said("trees");
    for (double before = -1; !enough && graph.recall > before + kLittle;) {
      before = graph.recall;
      join.round(best);
      enough = said("neighbours of neighbours");
    }
    if (enough) break;
  }
  graph.neighbors = rank_candidates(on, options.metric, points, points, best, sample.k);
  return graph;
}

}  // namespace bochner
