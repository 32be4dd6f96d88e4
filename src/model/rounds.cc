// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/rounds.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "base/archive.h"
#include "base/hash64.h"
#include "base/require.h"
#include "model/rounds_plan.h"
#include "run/reduced.h"

namespace bochner {

struct Rounds::State {
  RoundsPlan plan;
  RoundsTraining training;
  // One for each partition: a hash of its rows, a glance at them, a hash of its result if that has come.
  std::vector<std::uint64_t> numbers, glances, results;
  std::vector<std::uint8_t> came;
  std::optional<Brought> brought = {};  // what has come of this round
  std::exception_ptr failure = {};      // what ended the training

  State(RoundsPlan given, const Learn& learn, const Execution& execution)
      : plan(std::move(given)),
        training(plan.partitions(), learn, execution),
        numbers(plan.partitions()),
        glances(plan.partitions()),
        results(plan.partitions()),
        came(plan.partitions()) {
    for (const std::string& sum : plan.log()) training.go_on(sum);
  }

  void check(const RoundsResult& result) const;
  void check_rows(const RoundsResult& result) const;
  void check_failure() const {
    if (failure) std::rethrow_exception(failure);
  }
  std::optional<std::string> bring(std::string_view made) {
    if (!brought) brought.emplace(training.work().brought());
    return brought->add(made);
  }
  bool is_whole() const { return std::find(came.begin(), came.end(), 0) == came.end(); }
  void end_round();
};

namespace {

std::string drawn_name() {
  std::random_device draw;
  return fmt::format("{:08x}{:08x}", draw(), draw());
}

RoundsPlan new_plan(const std::string& what, std::size_t partitions, const std::string& name) {
  require(partitions >= 1 && partitions <= kMostPartitions, "rounds: found {} partitions, expected 1 .. {}", partitions,
          kMostPartitions);
  return {what, name.empty() ? drawn_name() : fmt::format("{:016x}", hash64(std::as_bytes(std::span(name)))),
          partitions};
}

}  // namespace

Rounds::Rounds(std::unique_ptr<State> state) : state_(std::move(state)) {}
Rounds::Rounds(Rounds&&) noexcept = default;
Rounds& Rounds::operator=(Rounds&&) noexcept = default;
Rounds::~Rounds() = default;

Rounds::Rounds(const std::string& what, std::size_t partitions, Learn learn, const Execution& execution,
               const std::string& name)
    : state_(std::make_unique<State>(new_plan(what, partitions, name), learn, execution)) {}

bool Rounds::done() const { return state_->training.work().ended() && !state_->failure; }
std::size_t Rounds::round() const { return state_->plan.round(); }
std::size_t Rounds::partitions() const { return state_->plan.partitions(); }

std::vector<std::size_t> Rounds::missing() const {
  std::vector<std::size_t> missing;
  for (std::size_t p = 0; p < partitions() && !done(); ++p)
    if (!state_->came[p]) missing.push_back(p);
  return missing;
}

std::string Rounds::plan() const {
  state_->check_failure();
  require(!state_->training.work().ended(), "rounds: found all rounds over, expected one to plan; take the model");
  return archive_bytes(state_->plan.archive());
}

const Model& Rounds::model() const {
  state_->check_failure();
  require(done(),
          "rounds: found {} of {} partitions missing in round {}, expected all rounds "
          "to be over; run the tasks of the plan",
          missing().size(), partitions(), round());
  require(state_->training.model().has_value(), "rounds: found no model in what was learnt, expected one");
  return *state_->training.model();
}

// Who it is from; what is wrong with it is said by name.
void Rounds::State::check(const RoundsResult& result) const {
  if (result.job != plan.job())
    fail(Error::Kind::data, "rounds: found a result of job {}, expected one of {}; leave it out", result.job,
         plan.job());
  if (result.partition >= plan.partitions())
    fail(Error::Kind::data, "rounds: found a result of partition {}, expected one of 0 .. {}", result.partition,
         plan.partitions() - 1);
  if (result.round != plan.round())
    fail(Error::Kind::data, "rounds: partition {}: found a result of round {}, expected one of round {}; leave it out",
         result.partition, result.round, plan.round());
  if (result.place != plan.places().back())
    fail(Error::Kind::data, "rounds: partition {}: the result was made by another plan of round {}; run the task again",
         result.partition, result.round);
}

// The rows of a partition are its own, and the same in every round.
void Rounds::State::check_rows(const RoundsResult& result) const {
  const std::size_t p = result.partition;
  if (result.round > 0 && result.glance != glances[p])
    fail(Error::Kind::data, "rounds: partition {}: found other rows than in round 0, expected the same in every round",
         p);
  if (result.round > 0 || result.number == 0) return;
  for (std::size_t q = 0; q < plan.partitions(); ++q)
    if (q != p && came[q] && numbers[q] == result.number)
      fail(Error::Kind::data,
           "rounds: partition {} has the same rows as partition {}, which would count twice; leave one out", p, q);
}

void Rounds::State::end_round() {
  plan.end_round(brought->joined());  // add() came before
  brought.reset();
  std::fill(came.begin(), came.end(), 0);
  try {
    training.go_on(plan.log().back());
  } catch (...) {
    failure = std::current_exception();
    throw;
  }
}

bool Rounds::add(const std::string& text) {
  State& state = *state_;
  state.check_failure();
  require(!state.training.work().ended(), "rounds: found a result though all rounds are over; take the model");
  const RoundsResult result = RoundsResult::of_text(text);
  state.check(result);
  const std::size_t p = result.partition;
  const std::uint64_t hash = hash64(std::as_bytes(std::span(text)));
  if (state.came[p]) {
    if (state.results[p] == hash) return false;
    fail(Error::Kind::data,
         "rounds: partition {} has given two results in round {} that differ, expected the same; is "
         "it read in one order?",
         p, result.round);
  }
  state.check_rows(result);
  if (const auto failure = state.bring(result.bytes)) fail(Error::Kind::data, "rounds: partition {}: {}", p, *failure);
  state.came[p] = 1;
  state.results[p] = hash;
  if (result.round == 0) {
    state.numbers[p] = result.number;
    state.glances[p] = result.glance;
  }
  if (state.is_whole()) state.end_round();
  return true;
}

std::string Rounds::state() const {
  Archive archive = state_->plan.archive();
  const std::size_t n = partitions();
  archive.put<std::uint64_t>("numbers", state_->numbers, {n});
  archive.put<std::uint64_t>("glances", state_->glances, {n});
  archive.put<std::uint64_t>("results", state_->results, {n});
  archive.put<std::uint8_t>("came", state_->came, {n});
  const std::string joined = state_->brought ? state_->brought->joined() : "";
  put_bytes(archive, "joined", joined);
  return archive_bytes(archive);
}

Rounds Rounds::of_state(std::string_view bytes, Learn learn, const Execution& execution) {
  const Archive archive = archive_of_bytes(bytes, "state of rounds");
  RoundsPlan plan = RoundsPlan::of(archive);
  auto state = std::make_unique<State>(std::move(plan), learn, execution);
  const std::size_t n = state->plan.partitions();
  state->numbers = archive.get<std::uint64_t>("numbers", {n});
  state->glances = archive.get<std::uint64_t>("glances", {n});
  state->results = archive.get<std::uint64_t>("results", {n});
  state->came = archive.get<std::uint8_t>("came", {n});
  const std::string_view joined = bytes_in(archive, "joined");
  if (state->is_whole())
    fail(Error::Kind::model,
         "rounds: the state has every result of a round that goes on; it is damaged, begin the job again");
  if (joined.empty()) return Rounds(std::move(state));
  if (state->training.work().ended())
    fail(Error::Kind::model,
         "rounds: the state has a sum though all rounds are over; it is damaged, begin the job again");
  if (const auto failure = state->bring(joined)) fail(Error::Kind::model, "rounds: the state's sum: {}", *failure);
  return Rounds(std::move(state));
}

std::string what_is_learnt(std::string_view plan) {
  return RoundsPlan::of(archive_of_bytes(plan, "plan of rounds")).what();
}

}  // namespace bochner
