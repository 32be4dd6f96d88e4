// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "methods/automatic/race_plan.h"
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

// Trees of one kind in the race: how they are grown in each fold, and what they predicted for the rows held out.
class RacedTrees {
 public:
  RacedTrees(const Workers& on, const RaceRows& rows, std::span<const std::uint32_t> inputs,
             const BoostingOptions& options)
      : on_(&on), rows_(&rows), inputs_(inputs.begin(), inputs.end()) {
    kind_ = options.levels > 0 ? fmt::format("symmetric trees of {} levels", options.levels)
                               : fmt::format("trees of {} leaves", options.leaves);
    for (std::size_t f = 0; f < rows.folds(); ++f) {
      chosen_.push_back(options);
      chosen_.back().seed += f * kNextSeed;
      if (rows.folds() > 1) chosen_.back().progress = {};  // folds go on beside each other
      predictions_.emplace_back(rows.fold(f).held.size(), rows.outputs());
    }
  }

  const std::string& kind() const { return kind_; }

  // Grows in a fold: the rounds kept and the predictions, row after row.
  std::vector<double> grown(std::size_t f) const {
    const RaceFold& fold = rows_->fold(f);
    const std::vector<std::uint32_t> fitted = fold.machine.numbers(false);
    const FlowRows& own = fold.machine.rows;
    const BoostedTrees trees = boost_trees(*on_, {{own.x, own.y, own.weights}, fitted, fold.held, inputs_}, chosen_[f]);
    std::vector<double> out = {double(trees.trees.size())};
    out.insert(out.end(), trees.judged.data(), trees.judged.data() + fold.held.size() * rows_->outputs());
    return out;
  }

  void keep(std::size_t f, std::span<const double> found) {
    chosen_[f].rounds = kept_count(found[0], 0, double(chosen_[f].rounds));
    std::copy_n(found.data() + 1, predictions_[f].rows() * predictions_[f].cols(), predictions_[f].data());
  }

  // As it stands; folds that it was not grown in predict 0.
  Candidate candidate() const {
    Candidate c;
    std::size_t most = 0;
    for (const BoostingOptions& of_fold : chosen_) most = std::max(most, of_fold.rounds);
    c.name = fmt::format("boosted {} ({} trees{})", kind_, most,
                         rows_->folds() > 1 ? fmt::format(", {} times", rows_->folds()) : "");
    c.held = rows_->together(predictions_);
    c.error = rows_->error(c.held);
    const FlowRows& refitted = rows_->machine().refit_rows();
    const MetricRows all{refitted.x, refitted.y, refitted.weights};
    c.refit = [on = *on_, all, inputs = inputs_, chosen = chosen_] {
      std::vector<std::uint32_t> every(all.u.rows);
      std::iota(every.begin(), every.end(), 0u);
      std::vector<MapPtr> maps(chosen.size());
      on.threads.run(maps.size(), [&](std::size_t f, int) {
        maps[f] = boost_trees(on, {all, every, {}, inputs}, chosen[f]).map(all.u.cols);
      });
      return mean_of(std::move(maps));
    };
    return c;
  }

 private:
  const Workers* on_;
  const RaceRows* rows_;
  std::vector<std::uint32_t> inputs_;
  std::string kind_;
  std::vector<BoostingOptions> chosen_;  // one per fold: its seed and rounds
  std::vector<Matrix<double>> predictions_;
};

// Grows all kinds in the folds begin .. end - 1, beside each other.
void grow(const Workers& on, const RaceRows& rows, std::span<RacedTrees> kinds, std::size_t begin, std::size_t end,
          Checkpoint* checkpoint) {
  if (begin == end || kinds.empty()) return;
  const auto size_of = [&](std::size_t f) { return 1 + rows.fold(f).held.size() * rows.outputs(); };
  std::string name = begin > 0 ? "trees of later folds:" : "trees:";
  std::vector<std::size_t> places = {0};
  for (const RacedTrees& kind : kinds) {
    name += ' ' + kind.kind();
    for (std::size_t f = begin; f < end; ++f) places.push_back(places.back() + size_of(f));
  }
  const std::size_t folds = end - begin;
  const std::vector<double> found = logged(checkpoint, name, places.back(), [&] {
    std::vector<double> out(places.back());
    on.threads.run(kinds.size() * folds, [&](std::size_t piece, int) {
      const std::vector<double> grown = kinds[piece / folds].grown(begin + piece % folds);
      std::copy(grown.begin(), grown.end(), out.begin() + std::ptrdiff_t(places[piece]));
    });
    return out;
  });
  for (std::size_t piece = 0; piece < kinds.size() * folds; ++piece)
    kinds[piece / folds].keep(begin + piece % folds, std::span(found).subspan(places[piece]));
}

// Drops kinds that the blend of the first fold hardly misses, the one that it misses least first.
void drop_idle(const RaceRows& rows, std::vector<RacedTrees>& kinds, std::span<const Candidate> others,
               const MachineTalk& talk) {
  const double least = least_gain(double(rows.fold(0).held.size() * rows.outputs()));
  const auto blended = [&](std::size_t without) {
    std::vector<Candidate> raced(others.begin(), others.end());
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (k != without) raced.push_back(kinds[k].candidate());
    return rows.first_blended_error(raced);
  };
  const double whole = blended(kinds.size());
  std::string dropped;
  while (!kinds.empty()) {
    std::vector<double> errors;
    for (std::size_t k = 0; k < kinds.size(); ++k) errors.push_back(blended(k));
    const auto idle = std::min_element(errors.begin(), errors.end());
    if (*idle * (1 - least) > whole) break;
    const auto kind = kinds.begin() + (idle - errors.begin());
    dropped += fmt::format("{}boosted {}", dropped.empty() ? "" : ", ", kind->kind());
    kinds.erase(kind);
  }
  if (!dropped.empty() && talk.tell) talk.tell("they added nothing in the first fold, dropped: " + dropped);
}

}  // namespace

std::vector<Candidate> race_trees(const Workers& on, const RaceRows& rows, std::span<const TwofoldColumn> columns,
                                  const BoostingOptions& options, std::span<const Candidate> others,
                                  const MachineTalk& talk) {
  const std::vector<std::uint32_t> inputs = each_once(columns);
  const FlowRows& all = rows.machine().rows;
  const double per_input = double(inputs.size()) * (double(all.y.cols) + 2) / 3;
  BoostingOptions chosen = options;
  chosen.row_share = std::clamp(kMostTreeRows / double(all.x.rows), kLeastShare, options.row_share);
  std::vector<RacedTrees> raced;
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
    raced.emplace_back(on, rows, inputs, chosen);
  }
  if (rows.folds() > 1) {
    grow(on, rows, raced, 0, 1, talk.checkpoint);
    drop_idle(rows, raced, others, talk);
    grow(on, rows, raced, 1, rows.folds(), talk.checkpoint);
  } else {
    for (RacedTrees& trees : raced) grow(on, rows, {&trees, 1}, 0, 1, talk.checkpoint);  // threads share a tree
  }
  std::vector<Candidate> found;
  for (const RacedTrees& trees : raced) found.push_back(trees.candidate());
  return found;
}

}  // namespace bochner
