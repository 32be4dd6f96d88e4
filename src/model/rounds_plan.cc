// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/rounds_plan.h"

#include <span>
#include <utility>

#include "base/archive.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr const char* kPlan = "bochner rounds 1";
constexpr const char* kResult = "bochner round's result 1";
constexpr std::size_t kMostRounds = std::size_t(1) << 24;

std::uint64_t number_of(const Archive& archive, const char* name) { return archive.get<std::uint64_t>(name, {1})[0]; }

void put_number_of(Archive& archive, const char* name, std::uint64_t value) {
  archive.put<std::uint64_t>(name, {&value, 1}, {1});
}

}  // namespace

void put_bytes(Archive& archive, const std::string& name, std::string_view bytes) {
  archive.put_view<std::uint8_t>(name, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                                 {bytes.size()});
}

std::string_view bytes_in(const Archive& archive, const std::string& name) {
  archive.length(name);  // refuses other shapes
  const std::span<const std::byte> bytes = archive.arrays.at(name).content();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

RoundsPlan::RoundsPlan(std::string what, std::string job, std::size_t partitions)
    : what_(std::move(what)), job_(std::move(job)), partitions_(partitions) {
  hash_.add(fmt::format("{} {} {}\n", what_, job_, partitions_));
  places_.push_back(hash_.value());
}

void RoundsPlan::end_round(std::string sum) {
  hash_.add(fmt::format("{} {}\n", round(), sum.size()));
  hash_.add(sum);
  places_.push_back(hash_.value());
  log_.push_back(std::move(sum));
}

Archive RoundsPlan::archive() const {
  Archive archive;
  archive.put_text("type", kPlan);
  archive.put_text("what", what_);
  archive.put_text("job", job_);
  archive.put_count("partitions", partitions_);
  archive.put_count("rounds", round());
  for (std::size_t r = 0; r < round(); ++r) put_bytes(archive, fmt::format("sum{}", r), log_[r]);
  return archive;
}

RoundsPlan RoundsPlan::of(const Archive& archive) {
  if (archive.get_text("type") != kPlan) fail(Error::Kind::model, "rounds: found another file, expected a plan");
  RoundsPlan plan(archive.get_text("what"), archive.get_text("job"), archive.get_count("partitions", kMostPartitions));
  if (plan.partitions() == 0) fail(Error::Kind::model, "rounds: the plan is of no partition; it is damaged");
  const std::size_t rounds = archive.get_count("rounds", kMostRounds);
  for (std::size_t r = 0; r < rounds; ++r) plan.end_round(std::string(bytes_in(archive, fmt::format("sum{}", r))));
  return plan;
}

std::string RoundsResult::text() const {
  Archive archive;
  archive.put_text("type", kResult);
  archive.put_text("job", job);
  archive.put_count("round", round);
  archive.put_count("partition", partition);
  put_number_of(archive, "place", place);
  put_number_of(archive, "number", number);
  put_number_of(archive, "glance", glance);
  put_bytes(archive, "sum", bytes);
  return archive_bytes(archive);
}

RoundsResult RoundsResult::of_text(std::string_view text) {
  const Archive archive = archive_over_bytes(text, "result of a task");
  if (archive.get_text("type") != kResult)
    fail(Error::Kind::model, "rounds: found other bytes, expected a task's result");
  RoundsResult result{archive.get_text("job"), archive.get_count("round", kMostRounds),
                      archive.get_count("partition", kMostPartitions)};
  result.place = number_of(archive, "place");
  result.number = number_of(archive, "number");
  result.glance = number_of(archive, "glance");
  result.bytes = bytes_in(archive, "sum");
  return result;
}

RoundsTraining::RoundsTraining(std::size_t partitions, const Learn& learn, const Execution& given)
    : work_(int(partitions), int(partitions) + 1, [seen = seen_, partitions, learn, given](Ranks& ranks) {
        seen->shares->may_be_read = false;
        Execution execution = given;
        execution.ranks = &ranks;
        execution.progress = {};
        execution.cancel = [seen] { return seen->cancel && seen->cancel(); };
        const std::unique_ptr<Rows> rows = rows_on_ranks(partitions, seen->shares, ranks, execution);
        seen->model = learn(*rows, execution);
      }) {}

void RoundsTraining::go_on(const std::string& sum) {
  if (work_.ended())
    fail(Error::Kind::model,
         "rounds: the plan has more sums than the training takes; it is damaged or of another version, begin the job "
         "again");
  ++round_;
  work_.go_on(sum);
}

std::string RoundsTraining::make(const RankShare& share, const CancelFunction& cancel) {
  RankShares& shares = *seen_->shares;
  if (share.partition.read) shares.shares = {share};
  shares.may_be_read = true;
  seen_->cancel = cancel;
  std::string made = work_.make();
  shares = {.may_be_read = false};
  seen_->cancel = {};
  return made;
}

}  // namespace bochner
