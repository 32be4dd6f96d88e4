// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "backend/backend.h"
#include "backend/place_point.h"
#include "backend/some_values.h"
#include "neighbors/codes.h"

namespace bochner {

namespace {

constexpr std::size_t kGraphLeaf = 200;
constexpr std::size_t kFirstTrees = 4, kMostGraphTrees = 40;
constexpr double kLittle = 0.02;  // of recall: a round that brings less is the last before more trees
constexpr std::size_t kRowsOfPiece = 64;
constexpr double kRounded = 1e-5;  // of squared lengths, what a value in float may be wrong by

// Neighbours of neighbours (Dong, Moses & Li, WWW 2011), from a copy of the graph: the same for any threads. A row is
// joined with the neighbours of its `width` best and with those that have it among theirs; of two steps at least one is
// new since the last round, or the row has met the other before.
class Join {
 public:
  Join(const Workers& on, const Field& coords, std::size_t width)
      : on_(on),
        coords_(coords.rows),
        half_(coords.half),
        width_(width),
        codes_(Codes::of(on, coords.rows)),
        near_(coords.rows.rows * width, Step{}),
        reverse_(near_.size()),
        met_(std::size_t(on.threads.count()), std::vector<std::uint32_t>(coords.rows.rows, kNoPoint)) {}

  void round(Best& best) {
    copy(best);
    const std::size_t rows = coords_.rows;
    for (std::vector<std::uint32_t>& met : met_) std::fill(met.begin(), met.end(), kNoPoint);
    on_.threads.run((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t piece, int thread) {
      std::vector<std::uint32_t> offered, apart;
      std::vector<float> values;
      for (std::size_t i = piece * kRowsOfPiece; i < std::min(rows, (piece + 1) * kRowsOfPiece); ++i) {
        const NearestView to = best.view(i);
        gather(std::uint32_t(i), to, met_[std::size_t(thread)], offered);
        leave_far_out(std::uint32_t(i), to, offered, apart);
        values.resize(offered.size());
        some_values(coords_.row(i), coords_, half_.data(), offered, values.data());
        for (std::size_t c = 0; c < offered.size(); ++c)
          place_point(values[c], offered[c], to.keep, to.values, to.numbers);
      }
    });
  }

 private:
  struct Step {
    std::uint32_t to = kNoPoint;
    bool fresh = false;
  };

  // The best of each row, and who has it among its own: the nearest first, as far as there is room.
  void copy(const Best& best) {
    const std::size_t rows = coords_.rows;
    on_.threads.run((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t piece, int) {
      std::vector<std::uint32_t> before(width_);
      for (std::size_t i = piece * kRowsOfPiece; i < std::min(rows, (piece + 1) * kRowsOfPiece); ++i) {
        Step* steps = &near_[i * width_];
        for (std::size_t c = 0; c < width_; ++c) before[c] = steps[c].to;
        for (std::size_t c = 0; c < width_; ++c) {
          const std::uint32_t to = best.numbers(i)[c];
          steps[c] = {to, std::find(before.begin(), before.end(), to) == before.end()};
        }
      }
    });
    // A part of the rows each: all steps are looked at in one order, those to other rows passed over.
    const std::size_t parts = std::size_t(on_.threads.count());
    on_.threads.run(parts, [&](std::size_t part, int) {
      const std::size_t begin = rows * part / parts, end = rows * (part + 1) / parts;
      std::fill(reverse_.begin() + std::ptrdiff_t(begin * width_), reverse_.begin() + std::ptrdiff_t(end * width_),
                Step{});
      std::vector<std::uint32_t> count(end - begin, 0);
      for (std::size_t c = 0; c < width_; ++c)
        for (std::size_t i = 0; i < rows; ++i) {
          const Step& step = near_[i * width_ + c];
          if (step.to >= begin && step.to < end && count[step.to - begin] < width_)
            reverse_[step.to * width_ + count[step.to - begin]++] = {std::uint32_t(i), step.fresh};
        }
    });
  }

  // Who has not met row i yet. met: the row that each point met last.
  void gather(std::uint32_t i, const NearestView& known, std::vector<std::uint32_t>& met,
              std::vector<std::uint32_t>& offered) const {
    offered.clear();
    met[i] = i;
    for (std::size_t c = 0; c < known.keep && known.numbers[c] != kNoPoint; ++c) met[known.numbers[c]] = i;
    const auto add = [&](const std::vector<Step>& lists, std::size_t of, bool all) {
      for (std::size_t c = 0; c < width_; ++c) {
        const Step& step = lists[of * width_ + c];
        if (step.to == kNoPoint) return;
        if ((all || step.fresh) && met[step.to] != i) {
          met[step.to] = i;
          offered.push_back(step.to);
        }
      }
    };
    add(reverse_, i, false);
    for (const std::vector<Step>* lists : {&near_, &reverse_})
      for (std::size_t c = 0; c < width_; ++c) {
        const Step step = (*lists)[i * width_ + c];
        if (step.to == kNoPoint) break;
        add(near_, step.to, step.fresh);
      }
  }

  // Those whose bytes are farther away than the worst that row i has: a value is half |y|^2 - x.y = (|x - y|^2 -
  // |x|^2) / 2.
  void leave_far_out(std::uint32_t i, const NearestView& known, std::vector<std::uint32_t>& offered,
                     std::vector<std::uint32_t>& apart) const {
    const float worst = known.values[known.keep - 1];
    if (!codes_ || !(worst < std::numeric_limits<float>::infinity())) return;
    const double origin = 2 * double(half_[i]), squared = std::max(0.0, 2 * double(worst) + origin);
    const double most = std::sqrt(squared + kRounded * (3 * origin + 2 * squared));
    apart.resize(offered.size());
    code_distances(codes_->rows().row(i), codes_->rows(), offered, apart.data());
    std::size_t left = 0;
    for (std::size_t c = 0; c < offered.size(); ++c)
      if (codes_->step() * std::sqrt(double(apart[c])) - codes_->slack(i, offered[c]) <= most)
        offered[left++] = offered[c];
    offered.resize(left);
  }

  const Workers& on_;
  MatrixView<const float> coords_;
  std::span<const float> half_;
  std::size_t width_;
  std::optional<Codes> codes_;                   // of the coordinates
  std::vector<Step> near_, reverse_;             // rows x width
  std::vector<std::vector<std::uint32_t>> met_;  // of each thread
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
  return sample.recall(rank_candidates(on, {metric, sample.k}, queries.view(), DenseRows::of(points), some));
}

}  // namespace

Graph grow_graph(const Workers& on, const Points& all, const RecallSample& sample, const IndexOptions& options,
                 const SearchProgress& progress) {
  const MatrixView<const float> points = all.dense.view();
  const Coordinates coordinates = choose_coordinates(on, all, sample, with_room(options.recall), options);
  const Field coords = coordinates.field(all);
  Graph graph{.neighbors = {},
              .dims = coordinates.dims,
              .trees = 0,
              .leaf = std::max(kGraphLeaf, 2 * coordinates.candidates),
              .candidates = coordinates.candidates,
              .recall = 0};
  std::vector<std::uint32_t> self(points.rows);
  for (std::size_t i = 0; i < self.size(); ++i) self[i] = std::uint32_t(i);
  Best best(points.rows, coordinates.candidates);
  Tree last;
  const std::vector<double> spread = spreads(coords.rows);
  Join join(on, coords, sample.k);
  const auto said = [&](const char* step) {
    graph.recall = measured(on, options.metric, points, sample, best);
    if (progress) progress(step, std::min(0.99, graph.recall / options.recall));
    return graph.recall >= options.recall;
  };
  for (std::size_t wanted = kFirstTrees; graph.trees < kMostGraphTrees; wanted += 2) {
    for (; graph.trees < wanted; ++graph.trees) {
      last = Tree::grow(on, coords.rows, spread, options.seed, graph.trees, graph.leaf);
      meet_within_leaves(on, last, {coords.rows, self}, coords, best);
    }
    bool enough = said("trees");
    for (double before = -1; !enough && graph.recall > before + kLittle;) {
      before = graph.recall;
      join.round(best);
      enough = said("neighbours of neighbours");
    }
    if (enough) break;
  }
  const std::optional<Codes> codes = Codes::of(on, points);
  const std::vector<double> origins = squared_lengths(on, DenseRows::of(coords.rows));
  graph.neighbors = rank_candidates(on, {options.metric, sample.k, origins, codes ? &*codes : nullptr, last.order()},
                                    points, all.dense, best);
  return graph;
}

}  // namespace bochner
