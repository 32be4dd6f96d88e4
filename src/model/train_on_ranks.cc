// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/train_on_ranks.h"

#include <utility>

#include "base/require.h"
#include "bochner/map_kind.h"
#include "choose/map_parts.h"
#include "choose/plan.h"
#include "learn/newton/learner_on_ranks.h"
#include "model/gathered_rows.h"

namespace bochner {

using Solver = RidgeOptions::Solver;

std::string gathered_because(const TrainOptions& options) {
  if (options.automatic) return "the automatic machine makes many passes over rows that are no sums";
  if (options.calibrate) return "calibrate trains on shares of the rows";
  if (options.learner.learner != Learner::ridge) {
    if (const std::string reason = no_ranks(options.learner); !reason.empty()) return reason;
  } else if (options.ridge.solver != Solver::automatic && options.ridge.solver != Solver::cholesky) {
    return "its solver passes over the rows again and again";
  }
  const MapKind* const map = kind_without_sums(options.map);
  return map ? map->no_sums : "";
}

std::optional<Model> train_gathered(Rows& rows, TrainOptions options) {
  Ranks* const ranks = std::exchange(options.execution.ranks, nullptr);
  if (!ranks) return std::nullopt;
  require(!options.validation && options.groups.empty() && options.times.empty() && options.checkpoint.path.empty(),
          "ranks: found validation, groups, times or a checkpoint, expected none of them; leave it out");
  const std::string reason = gathered_because(options);
  if (reason.empty()) return std::nullopt;
  const std::unique_ptr<Rows> gathered = gathered_rows(rows, options.seed, *ranks);
  const std::size_t kept = *gathered->size(), of = rows.counts().rows;
  give_notice(options, fmt::format("ranks: {}, so rows meet on every rank: {} of {}", reason, kept, of));
  Model model = train(*gathered, options);
  if (kept == of) return model;
  Report report = model.report();
  report.notes.push_back(fmt::format("learnt from {} of {} rows, drawn", kept, of));
  model.set_report(std::move(report));
  return model;
}

TrainOptions learnt_on_ranks(TrainOptions options) {
  if (options.execution.ranks && options.ridge.solver == Solver::automatic) options.ridge.solver = Solver::cholesky;
  return options;
}

}  // namespace bochner
