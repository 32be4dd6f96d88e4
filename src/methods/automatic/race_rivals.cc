// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_rivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bochner/error.h"
#include "run/logged.h"

namespace bochner {

namespace {

constexpr std::size_t kSampledFrom = 4000;  // rows, of which rivals race on a sample first

bool any_row(std::uint64_t) { return true; }

}  // namespace

TrainOptions RaceRivals::other_options(const MapOptions& map) const {
  TrainOptions other;
  other.map = map;
  other.seed = other.ridge.seed = options_.seed;
  other.execution = execution_;
  other.execution.checkpoint = nullptr;
  return other;
}

// Coded again, where a model's own maps decode.
MapPtr RaceRivals::coded(const Model& model) const {
  if (rows_.code.task == Task::classification) return model.map();
  Matrix<double> unit(columns(), columns());
  std::vector<double> shift(columns());
  for (std::size_t k = 0; k < columns(); ++k) {
    unit(k, k) = 1 / rows_.code.unit[k];
    shift[k] = -rows_.code.center[k] / rows_.code.unit[k];
  }
  return chain({model.map(), linear(std::move(unit), std::move(shift))});
}

// What a training on some of the rows predicts for those held out, coded; nothing where it does not suit the rows.
std::optional<Matrix<double>> RaceRivals::predictions(const Rival& rival, const RaceFold& fold, const Takes& takes) {
  std::unique_ptr<Rows> own;
  if (rows_.inputs) own = rows_.race.encoded(fold.machine.rows, rows_.all.schema());
  Rows& source = own ? *own : rows_.source.rows();
  try {
    const auto fitted = [&](std::uint64_t row) { return !fold.machine.held[row] && takes(row); };
    const Model model = train(*subset_rows(source, fitted), other_options(rival.map));
    if (model.schema().offsets != (own ? *own : rows_.all).schema().offsets || model.outputs() != columns()) return {};
    Matrix<double> values = model.predict(
        *subset_rows(source, [&](std::uint64_t row) { return fold.machine.held[row] == MachineRows::kHeld; }),
        execution_);
    for (std::size_t i = 0; i < values.rows() && rows_.code.task == Task::regression; ++i)
      for (std::size_t k = 0; k < columns(); ++k)
        values(i, k) = (values(i, k) - rows_.code.center[k]) / rows_.code.unit[k];
    return values;
  } catch (const std::invalid_argument& e) {
    say_(fmt::format("{} left out: {}", rival.name, e.what()));
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::data) throw;
    say_(fmt::format("{} left out: {}", rival.name, e.what()));
  }
  return {};
}

// The same, once: a training that is resumed takes it from the checkpoint.
std::optional<Matrix<double>> RaceRivals::raced(const Rival& rival, const RaceFold& fold, const char* on_rows,
                                                const Takes& takes) {
  const std::size_t size = fold.held.size() * columns();
  const auto find = [&]() -> std::vector<double> {
    const auto held = predictions(rival, fold, takes);
    if (!held) return {};
    return {held->data(), held->data() + size};
  };
  const std::vector<double> found = logged(execution_.checkpoint, rival.name + std::string(on_rows), size, find);
  if (found.empty()) return {};
  Matrix<double> held(fold.held.size(), columns());
  std::copy(found.begin(), found.end(), held.data());
  return held;
}

// Rivals that would add nothing to the blend of the first fold drop out, as go_on() says.
std::vector<RaceRivals::First> RaceRivals::first_race(const std::vector<Rival>& rivals,
                                                      std::span<const Candidate> others) {
  const RaceRows& race = rows_.race;
  const std::size_t n = rows_.source.count();
  const bool by_sample = n >= kSampledFrom;
  std::vector<First> left;
  if (!by_sample && race.folds() == 1) {
    for (const Rival& rival : rivals) left.push_back({rival, {}});
    return left;
  }
  const std::size_t count = rival_sample_rows(double(n), double(rows_.all.schema().inputs));
  std::vector<char> sampled(n, 0);
  for (const std::uint32_t row : draw_rows(n, count, options_.seed, 3000000)) sampled[row] = 1;
  FirstRace first{n, by_sample, std::numeric_limits<double>::infinity(), race.first_blended_error(others),
                  double(race.fold(0).held.size() * columns())};
  for (const Candidate& c : others) first.best_error = std::min(first.best_error, c.error);
  std::vector<RivalStanding> standings;
  std::vector<std::optional<Matrix<double>>> found;
  const auto waits_in_vain = [&](const Rival& rival) {
    for (std::size_t j = 0; rival.after && j < standings.size(); ++j)
      if (rivals[j].name == std::string(rival.after) && !adds_to_blend(first, standings[j])) return true;
    return false;
  };
  for (const Rival& rival : rivals) {
    if (waits_in_vain(rival)) {
      found.emplace_back();
      standings.push_back({std::numeric_limits<double>::infinity(), first.blended, rival.gains_with_rows});
      continue;
    }
    found.push_back(by_sample ? raced(rival, race.fold(0), " on a sample", [&](auto row) { return sampled[row]; })
                              : raced(rival, race.fold(0), "", any_row));
    const auto& held = found.back();
    standings.push_back({std::numeric_limits<double>::infinity(), first.blended, rival.gains_with_rows});
    if (!held) continue;
    standings.back().error = race.first_error(*held);
    std::vector<Candidate> with(others.begin(), others.end());
    Matrix<double> padded(race.held().size(), columns());  // the rows of other folds are not looked at
    std::copy_n(held->data(), held->rows() * held->cols(), padded.data());
    with.push_back({rival.name, std::move(padded), standings.back().error, {}});
    standings.back().blended = race.first_blended_error(with);
  }
  const std::vector<char> on = go_on(first, standings);
  std::string dropped;
  for (std::size_t j = 0; j < rivals.size(); ++j)
    if (on[j])
      left.push_back({rivals[j], by_sample ? std::nullopt : std::move(found[j])});
    else if (found[j])
      dropped += fmt::format("{}{}", dropped.empty() ? "" : ", ", rivals[j].name);
  if (!dropped.empty() && by_sample)
    say_(fmt::format("trained on {} rows they added nothing, dropped: {}", count, dropped));
  else if (!dropped.empty())
    say_(fmt::format("they added nothing in the first fold, dropped: {}", dropped));
  return left;
}

// Fits on all rows or, if they take more memory than there is, on those that it raced with.
MapPtr RaceRivals::refit(const Rival& rival) const {
  std::unique_ptr<Rows> own;
  if (rows_.inputs) own = rows_.race.encoded(rows_.race.machine().refit_rows(), rows_.all.schema());
  Rows& source = own ? *own : rows_.source.rows();
  try {
    const MapPtr map = coded(train(own || rows_.refit_on_raced ? source : rows_.all, other_options(rival.map)));
    return own ? chain({rows_.inputs, map}) : map;
  } catch (const std::invalid_argument& e) {
    say_(fmt::format("{} learnt from the rows that raced alone: {}", rival.name, e.what()));
    const std::vector<char>& held = rows_.race.fold(0).machine.held;
    const auto raced = subset_rows(source, [&](std::uint64_t row) { return !held[row]; });
    const MapPtr map = coded(train(*raced, other_options(rival.map)));
    return own ? chain({rows_.inputs, map}) : map;
  }
}

std::optional<Candidate> RaceRivals::candidate(const First& first) {
  const RaceRows& race = rows_.race;
  std::vector<Matrix<double>> of_folds;
  for (std::size_t f = 0; f < race.folds(); ++f) {
    auto held = f == 0 && first.held ? first.held : raced(first.rival, race.fold(f), "", any_row);
    if (!held) return {};
    of_folds.push_back(std::move(*held));
  }
  Candidate c{first.rival.name, race.together(of_folds), 0, [this, rival = first.rival] { return refit(rival); }};
  c.error = race.error(c.held);
  return c;
}

std::vector<Candidate> RaceRivals::race(const std::vector<Rival>& rivals, std::span<const Candidate> others) {
  std::vector<Candidate> all;
  for (const First& first : first_race(rivals, others))
    if (auto found = candidate(first)) all.push_back(std::move(*found));
  return all;
}

}  // namespace bochner
