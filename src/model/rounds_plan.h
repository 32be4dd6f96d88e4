// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash64.h"
#include "bochner/archive.h"
#include "bochner/rounds.h"
#include "model/rank_rows.h"
#include "run/suspended.h"

namespace bochner {

constexpr std::size_t kMostPartitions = std::size_t(1) << 24;

// What everyone who works for a job knows: what is learnt, of how many partitions, and the sums of the rounds so far.
class RoundsPlan {
 public:
  RoundsPlan(std::string what, std::string job, std::size_t partitions);
  static RoundsPlan of(const Archive& archive);
  Archive archive() const;

  const std::string& what() const { return what_; }
  const std::string& job() const { return job_; }  // a name that no other has
  std::size_t partitions() const { return partitions_; }
  std::size_t round() const { return log_.size(); }
  const std::vector<std::string>& log() const { return log_; }
  void end_round(std::string sum);
  // A hash of the job and of the sums before each round, this one included: tells where a training stands.
  const std::vector<std::uint64_t>& places() const { return places_; }

 private:
  std::string what_, job_;
  std::size_t partitions_;
  std::vector<std::string> log_;
  Hash64 hash_;
  std::vector<std::uint64_t> places_;
};

void put_bytes(Archive& archive, const std::string& name, std::string_view bytes);
std::string_view bytes_in(const Archive& archive, const std::string& name);

// One task's part of a round's sum.
struct RoundsResult {
  std::string job;
  std::size_t round = 0, partition = 0;
  std::uint64_t place = 0;   // that of the plan
  std::uint64_t number = 0;  // a hash of the partition's rows, in round 0
  std::uint64_t glance = 0;
  std::string_view bytes = {};  // a view: its owner stays

  std::string text() const;
  static RoundsResult of_text(std::string_view text);
};

// A training that stands at the sum of a round.
class RoundsTraining {
 public:
  // partitions + 1 ranks: a driver has no rows, and the passes that are no sums refuse several.
  RoundsTraining(std::size_t partitions, const Learn& learn, const Execution& execution);

  Suspended& work() { return work_; }
  const Suspended& work() const { return work_; }
  std::size_t round() const { return round_; }
  void go_on(const std::string& sum);
  std::string make(const RankShare& share, const CancelFunction& cancel);
  const std::optional<Model>& model() const { return seen_->model; }

 private:
  struct Seen {  // what the work has and gives
    std::shared_ptr<RankShares> shares = std::make_shared<RankShares>();
    CancelFunction cancel = {};
    std::optional<Model> model = {};
  };
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
  std::size_t round_ = 0;
  Suspended work_;
};

}  // namespace bochner
