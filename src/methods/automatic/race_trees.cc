// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_trees.h"

#include <fmt/format.h>

#include <algorithm>

#include "run/logged.h"

namespace bochner {

namespace {

// Rows of a tree x inputs x rounds, and a third more for each target behind the first.
constexpr double kMostSums = 6e8;
constexpr double kMostTreeRows = 30000, kLeastShare = 0.1;  // rows of a tree
constexpr double kMostBinBytes = 64e6;                      // bins of all leaves of a tree together
constexpr double kLeastBins = 16;
constexpr double kFarEnough = 28;  // rate x rounds
constexpr double kGreatestRate = 0.2;
constexpr std::size_t kLeastRounds = 100;

// Kinds of trees: by leaves, or symmetric by levels. Those are rigid, which few rows ask for; they have coarser bins
// and fewer, faster rounds, since all leaves of a level are looked over for their common split.
struct TreeKind {
  std::size_t leaves, levels, most_bins, most_rounds;
  double least_rate;
};
constexpr TreeKind kKinds[] = {{8, 0, 256, 100000, 0}, {31, 0, 256, 100000, 0}, {64, 6, 64, 600, 0.1}};
constexpr std::size_t kMostRowsOfSymmetric = 100000, kLeastLeaves = 31;  // that bins are counted for

// The first output of each column: its size, or 0 and 1; of a date also its places in cycles.
std::vector<std::uint32_t> each_once(std::span<const TwofoldColumn> columns) {
  std::vector<std::uint32_t> inputs;
  std::size_t at = 0;
  for (const TwofoldColumn& c : columns) {
    for (std::size_t k = 0; k < c.outputs(); ++k)
      if (k != 1 || c.kind == TwofoldColumn::Kind::levels) inputs.push_back(std::uint32_t(at + k));
    at += c.outputs();
  }
  return inputs;
}

// Bins of a number, so that the sums of all leaves of a tree stay small.
double affordable_bins(std::span<const TwofoldColumn> columns, std::size_t targets, std::size_t leaves) {
  const auto count = [&](TwofoldColumn::Kind kind) {
    return double(std::ranges::count(columns, kind, &TwofoldColumn::kind));
  };
  const double most = kMostBinBytes / ((double(targets) + 2) * 8 * double(leaves));
  const double of_numbers = std::max(0.0, most - 2 * count(TwofoldColumn::Kind::two_values));
  double numbers = count(TwofoldColumn::Kind::number);
  for (const TwofoldColumn& c : columns)
    if (c.kind == TwofoldColumn::Kind::date)
      numbers += double(c.outputs() - 1);
    else if (c.kind == TwofoldColumn::Kind::levels)
      numbers += double(c.width);
  return std::min(256.0, of_numbers / std::max(1.0, numbers));
}

constexpr std::uint64_t kNextSeed = 1000003;  // step from one fold's seed to the next

Candidate race(const Workers& on, const RaceRows& rows, const std::vector<std::uint32_t>& inputs,
               const BoostingOptions& options, Checkpoint* checkpoint) {
  const FlowRows& refitted = rows.machine().refit_rows();
  const MetricRows all{refitted.x, refitted.y, refitted.weights};
  const std::size_t targets = all.y.cols;
  const std::string kind = options.levels > 0 ? fmt::format("symmetric trees of {} levels", options.levels)
                                              : fmt::format("trees of {} leaves", options.leaves);
  std::vector<BoostingOptions> chosen;    // one per fold: its seed and rounds
  std::vector<std::size_t> places = {0};  // where each fold's rounds and predictions begin in `found`
  for (std::size_t f = 0; f < rows.folds(); ++f) {
    chosen.push_back(options);
    chosen.back().seed += f * kNextSeed;
    if (rows.folds() > 1) chosen.back().progress = {};  // folds go on beside each other
    places.push_back(places.back() + 1 + rows.fold(f).held.size() * targets);
  }
  const std::vector<double> found = logged(checkpoint, kind, places.back(), [&] {
    std::vector<double> out(places.back());
    on.threads.run(rows.folds(), [&](std::size_t f, int) {
      const RaceFold& fold = rows.fold(f);
      const std::vector<std::uint32_t> fitted = fold.machine.numbers(false);
      const FlowRows& own = fold.machine.rows;
      const BoostedTrees trees = boost_trees(on, {{own.x, own.y, own.weights}, fitted, fold.held, inputs}, chosen[f]);
      out[places[f]] = double(trees.trees.size());
      std::copy_n(trees.judged.data(), fold.held.size() * targets, out.data() + places[f] + 1);
    });
    return out;
  });
  std::vector<Matrix<double>> predictions;
  std::size_t most = 0;
  for (std::size_t f = 0; f < rows.folds(); ++f) {
    chosen[f].rounds = kept_count(found[places[f]], 0, double(options.rounds));
    most = std::max(most, chosen[f].rounds);
    predictions.emplace_back(rows.fold(f).held.size(), targets);
    std::copy_n(found.data() + places[f] + 1, rows.fold(f).held.size() * targets, predictions.back().data());
  }
  Candidate c;
  c.name = fmt::format("boosted {} ({} trees{})", kind, most,
                       rows.folds() > 1 ? fmt::format(", {} times", rows.folds()) : "");
  c.held = rows.together(predictions);
  c.error = rows.error(c.held);
  c.refit = [on, all, inputs, chosen] {
    std::vector<std::uint32_t> every(all.u.rows);
    for (std::size_t i = 0; i < every.size(); ++i) every[i] = std::uint32_t(i);
    std::vector<MapPtr> maps(chosen.size());
    on.threads.run(maps.size(), [&](std::size_t f, int) {
      maps[f] = boost_trees(on, {all, every, {}, inputs}, chosen[f]).map(all.u.cols);
    });
    return mean_of(std::move(maps));
  };
  return c;
}

}  // namespace

std::vector<Candidate> race_trees(const Workers& on, const RaceRows& rows, std::span<const TwofoldColumn> columns,
                                  const BoostingOptions& options, Checkpoint* checkpoint) {
  const std::vector<std::uint32_t> inputs = each_once(columns);
  const FlowRows& all = rows.machine().rows;
  const double per_input = double(inputs.size()) * (double(all.y.cols) + 2) / 3;
  BoostingOptions chosen = options;
  chosen.row_share = std::clamp(kMostTreeRows / double(all.x.rows), kLeastShare, options.row_share);
  std::vector<Candidate> found;
  for (const TreeKind& kind : kKinds) {
    if (kind.levels > 0 && all.x.rows > kMostRowsOfSymmetric) continue;
    const double affordable = affordable_bins(columns, all.y.cols, std::max(kind.leaves, kLeastLeaves));
    const double looked_over = kind.levels > 0 ? double(kind.leaves * kind.most_bins) : 0;
    const double sums = (chosen.row_share * double(all.x.rows) + looked_over) * per_input;
    chosen.rounds = std::min(kind.most_rounds, std::size_t(std::min(double(options.rounds), kMostSums / sums)));
    if (chosen.rounds < kLeastRounds || affordable < kLeastBins) continue;
    chosen.bins = std::min({options.bins, kind.most_bins, std::size_t(affordable)});
    chosen.rate =
        std::clamp(kFarEnough / double(chosen.rounds), std::max(options.rate, kind.least_rate), kGreatestRate);
    chosen.leaves = kind.leaves;
    chosen.levels = kind.levels;
    found.push_back(race(on, rows, inputs, chosen, checkpoint));
  }
  return found;
}

}  // namespace bochner
