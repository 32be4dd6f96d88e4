// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/inside_leaves.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "random/powers.h"

namespace bochner {

namespace {

constexpr std::size_t kLeastLeaves = 2 * kGroupsOfStep;
constexpr std::size_t kJudgedLeaves = 64;
// Leaves that are judged at once: with the rows held out each takes up to twice what a batch of a step takes, and the
// plan of memory has kGroupsOfStep of those.
constexpr std::size_t kJudgedAtOnce = kGroupsOfStep / 2;
constexpr double kScaleRate = 0.1, kDirectionRate = 0.05;

// A leaf's rows, then those held out that lie in it.
struct Judged {
  std::vector<std::uint32_t> rows;
  FlowBatch batch;
  double held_weight = 0;
};

std::vector<Judged> judged_leaves(const LeafTree& tree, const MachineRows& rows, MatrixView<const float> u,
                                  std::uint64_t seed) {
  std::vector<std::vector<std::uint32_t>> held(tree.leaves.size());
  for (const std::uint32_t row : rows.numbers(true)) held[tree.leaf_of(u.row(row))].push_back(row);
  std::vector<Judged> out;
  for (const std::uint32_t leaf : draw_rows(held.size(), kJudgedLeaves, seed, 0)) {
    if (held[leaf].empty()) continue;
    Judged judged{tree.leaves[leaf], {tree.leaves[leaf].size(), held[leaf].size()}};
    judged.rows.insert(judged.rows.end(), held[leaf].begin(), held[leaf].end());
    for (const std::uint32_t row : held[leaf])
      judged.held_weight += rows.rows.weights.empty() ? 1 : rows.rows.weights[row];
    if (judged.held_weight > 0) out.push_back(std::move(judged));
  }
  return out;
}

// The least of three lambdas, that of the metric in the middle.
double held_error(const Workers& on, const FlowRows& rows, const std::vector<Judged>& leaves, Metric metric) {
  double least = std::numeric_limits<double>::infinity();
  metric.lambda /= 100;
  for (int trial = 0; trial < 3; ++trial) {
    metric.lambda *= 10;
    std::vector<double> errors(leaves.size());
    for (std::size_t first = 0; first < leaves.size(); first += kJudgedAtOnce)
      on.threads.run(std::min(kJudgedAtOnce, leaves.size() - first), [&](std::size_t at, int) {
        const Judged& leaf = leaves[first + at];
        errors[first + at] = leaf.held_weight * portable_exp(flow_loss(on, rows, leaf.rows, leaf.batch, metric));
      });
    least = std::min(least, std::accumulate(errors.begin(), errors.end(), 0.0));
  }
  return least;
}

}  // namespace

bool learns_inside_leaves(const InsideEffort& effort, double rows) {
  const auto [fitted, scored] = effort.batch;
  return effort.steps > 0 && fitted > 0 && scored > 0 && rows >= double(kLeastLeaves * (fitted + scored));
}

std::optional<Metric> learn_inside_leaves(const Workers& on, const MachineRows& rows, MatrixView<const float> u,
                                          const Metric& start, const InsideEffort& effort, std::uint64_t seed) {
  LeafOptions options;
  options.trees = 1;
  options.leaf_rows = effort.batch.fitted + effort.batch.scored;
  options.seed = seed;
  const std::vector<std::uint32_t> taught = rows.numbers(false);
  if (!learns_inside_leaves(effort, double(taught.size()))) return std::nullopt;
  const LeafTree tree = grow_leaves(on, u, taught, options)[0];
  if (tree.leaves.size() < kLeastLeaves) return std::nullopt;  // rows are equal
  const bool full = start.diagonal.empty();
  const Metric learnt = flow(on, rows.rows, start,
                             {effort.steps, full ? kDirectionRate : kScaleRate, effort.batch, full, tree.leaves}, seed);
  const std::vector<Judged> judged = judged_leaves(tree, rows, u, seed);
  if (!(held_error(on, rows.rows, judged, learnt) < held_error(on, rows.rows, judged, start))) return std::nullopt;
  return learnt;
}

}  // namespace bochner
