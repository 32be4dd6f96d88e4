// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   run_ranks(2, [](Ranks& ranks) {  // two threads here; processes of a cluster with Ranks of their own
//     const auto rows = open_on_ranks({"a.csv", "b.csv"}, {.targets = {"y"}}, ranks);
//     TrainOptions options;
//     options.features = 100;
//     options.execution.ranks = &ranks;
//     const Model model = train(*rows, options);
//     if (ranks.rank() == 0) model.save("ranks.model");
//   });

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bochner/archive.h"
#include "bochner/fold.h"
#include "bochner/rows.h"

namespace bochner {

// Processes that work together, each on rows of its own: what a cluster, MPI for example, must give. A sum is small,
// and joins to the same bytes in any order, so that reduce() is all they need of each other.
class Ranks {
 public:
  using Join = std::function<std::string(const std::string& a, const std::string& b)>;

  virtual ~Ranks() = default;
  virtual int rank() const = 0;  // 0 .. count() - 1
  virtual int count() const = 0;
  // join(a, b) puts two ranks' bytes together; all are joined, in any order and by any tree, and every rank gets the
  // result. Every rank calls it as often as the others, even one that failed.
  virtual std::string reduce(std::string mine, const Join& join) = 0;
};

// work(ranks) on `count` threads, each a rank: to try on one machine what a cluster does, and the only rank there is if
// count is 1. Throws what a rank threw.
void run_ranks(int count, const std::function<void(Ranks&)>& work);

// A sum of bytes that ranks have made. It stays what the bytes stand for, so that many are joined soon.
class Joining {
 public:
  virtual ~Joining() = default;
  virtual void add(std::string_view bytes) = 0;  // if it throws, the sum is as before
  virtual std::string bytes() const = 0;         // after one addition or more
};
using BeginJoining = std::function<std::unique_ptr<Joining>()>;

template <class F>
class JoiningFolds final : public Joining {
 public:
  explicit JoiningFolds(const F& empty) : empty_(empty) {}
  static F load(const F& empty, std::string_view bytes) {
    F sum = empty;
    sum.load(archive_over_bytes(bytes, "rank"));
    return sum;
  }
  static std::string bytes_of(const F& sum) {
    Archive archive;
    sum.save(archive);
    return archive_bytes(archive);
  }
  void add(std::string_view bytes) override {
    F next = load(empty_, bytes);
    if (sum_) next.merge(*sum_);
    sum_.emplace(std::move(next));
  }
  std::string bytes() const override { return bytes_of(*sum_); }

 private:
  const F& empty_;
  std::optional<F> sum_;
};

// The bytes that all ranks make, joined. A rank without rows makes none (""). If make() or joining throws on one rank,
// all throw: that one its own exception, the others Error::Kind::data that names the rank.
std::string reduce_made(Ranks& ranks, const std::function<std::string()>& make, const BeginJoining& begin);

// The sum of all ranks' rows: make() folds this rank's. `empty` has seen no rows.
template <class F, class Make>
requires Merges<F> F reduce(Ranks& ranks, const F& empty, const Make& make) {
  using Sums = JoiningFolds<F>;
  const std::string all = reduce_made(
      ranks, [&] { return Sums::bytes_of(make()); }, [&] { return std::make_unique<Sums>(empty); });
  return Sums::load(empty, all);
}

// This rank's share of the rows of all files, read by a schema that all ranks have found together. With
// Execution::ranks every fold over them is over the rows of all ranks: a method that passes over rows by folds alone,
// as ridge, PCA and mixtures do, finds the same bytes on every rank, and for any number of ranks. Another one
// refuses them (std::invalid_argument). Ranks take files in turn; if there are fewer files than ranks, each takes a
// shard of every file. A file that is there twice is refused: Error::Kind::data.
std::unique_ptr<Rows> open_on_ranks(const std::vector<std::string>& files, const RowsOptions& options, Ranks& ranks);

}  // namespace bochner
