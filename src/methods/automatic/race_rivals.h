// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bochner/train.h"
#include "methods/automatic/race.h"
#include "methods/automatic/race_plan.h"

namespace bochner {

// Where trainings by other maps race: rows as they are, those that race, how targets are coded; whether a refit takes
// the rows that race only.
struct RivalRows {
  Rows& all;
  const RaceSource& source;
  const RaceRows& race;
  const TargetCode& code;
  bool refit_on_raced = false;
  MapPtr inputs = nullptr;  // what the rows enter as, if they are not to be trained on as they are
};

// Trainings by the maps of the plan. A first race, on a sample of many rows or on one fold of few, leaves those that
// would add to the blend.
class RaceRivals {
 public:
  using Say = std::function<void(const std::string&)>;
  RaceRivals(const RivalRows& rows, const TrainOptions& options, const Execution& execution, Say say)
      : rows_(rows), options_(options), execution_(execution), say_(std::move(say)) {}

  // others: candidates that stand already. The candidates' refits need this object.
  std::vector<Candidate> race(const std::vector<Rival>& rivals, std::span<const Candidate> others);

 private:
  using Takes = std::function<bool(std::uint64_t)>;
  struct First {  // a rival that goes on
    Rival rival;
    std::optional<Matrix<double>> held;  // predictions of the first fold, if it was trained on all other rows
  };
  std::size_t columns() const { return rows_.code.columns(); }
  TrainOptions other_options(const MapOptions& map) const;
  MapPtr coded(const Model& model) const;
  std::optional<Matrix<double>> predictions(const Rival& rival, const RaceFold& fold, const Takes& takes);
  std::optional<Matrix<double>> raced(const Rival& rival, const RaceFold& fold, const char* on_rows,
                                      const Takes& takes);
  std::vector<First> first_race(const std::vector<Rival>& rivals, std::span<const Candidate> others);
  MapPtr refit(const Rival& rival) const;
  std::optional<Candidate> candidate(const First& first);

  RivalRows rows_;
  const TrainOptions& options_;
  Execution execution_;
  Say say_;
};

}  // namespace bochner
