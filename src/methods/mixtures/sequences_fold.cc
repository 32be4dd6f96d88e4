// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/sequences_fold.h"

#include <algorithm>
#include <numeric>

#include "base/require.h"
#include "folds/binned_sums.h"

namespace bochner {

namespace {

// The numbers 0, 1, ... ordered by what key(i) says.
template <class Key>
std::vector<std::size_t> order_by(std::size_t count, const Key& key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

template <class T>
void extend(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

SequencesFold::SequencesFold(std::size_t inputs, std::size_t groups) : row_weight_(1), class_weights_(groups) {
  sequences_ = {.x = Matrix<double>(0, inputs), .starts = {0}, .classes = {}, .groups = groups};
}

void SequencesFold::add(const Sequences& all, const RankSequences& where, const Takes& takes) {
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all.weights.empty()) row_weight_[0].add(all.weight(i) * double(all.rows(i).rows));
    class_weights_[all.classes[i]].add(all.weight(i));
    names_.push_back(where.names[i]);
    holders_.push_back(where.partitions[i]);
    if (!takes(where.partitions[i], where.numbers[i])) continue;
    taken.push_back(i);
    partitions_.push_back(where.partitions[i]);
    numbers_.push_back(where.numbers[i]);
  }
  append(all.of(taken));
}

void SequencesFold::append(const Sequences& other) {
  const std::size_t n = sequences_.x.rows(), d = sequences_.x.cols();
  Matrix<double> x(n + other.x.rows(), d);
  std::copy_n(sequences_.x.data(), n * d, x.data());
  std::copy_n(other.x.data(), other.x.rows() * d, x.data() + n * d);
  for (std::size_t i = 1; i < other.starts.size(); ++i) sequences_.starts.push_back(n + other.starts[i]);
  sequences_.x = std::move(x);
  extend(sequences_.classes, other.classes);
  extend(sequences_.weights, other.weights);
}

void SequencesFold::merge(const SequencesFold& other) {
  append(other.sequences_);
  extend(partitions_, other.partitions_);
  extend(numbers_, other.numbers_);
  extend(names_, other.names_);
  extend(holders_, other.holders_);
  row_weight_[0].merge(other.row_weight_[0]);
  for (std::size_t c = 0; c < class_weights_.size(); ++c) class_weights_[c].merge(other.class_weights_[c]);
}

void SequencesFold::save(Archive& archive) const {
  const auto put = [&]<class T>(const char* name, const std::vector<T>& values) {
    archive.put<T>(name, values, {values.size()});
  };
  const std::size_t n = sequences_.x.rows(), d = sequences_.x.cols();
  archive.put<double>("x", {sequences_.x.data(), n * d}, {n, d});
  put("starts", std::vector<std::uint64_t>(sequences_.starts.begin(), sequences_.starts.end()));
  put("classes", sequences_.classes);
  put("weights", sequences_.weights);
  put("partitions", partitions_);
  put("numbers", numbers_);
  put("names", names_);
  put("holders", holders_);
  put_sums(archive, "row weight", row_weight_);
  put_sums(archive, "class weights", class_weights_);
}

void SequencesFold::load(const Archive& archive) {
  const auto get = [&]<class T>(const char* name, std::vector<T>& values) {
    values = archive.get<T>(name, {archive.length(name)});
  };
  std::vector<std::uint64_t> starts;
  get("starts", starts);
  get("classes", sequences_.classes);
  get("weights", sequences_.weights);
  get("partitions", partitions_);
  get("numbers", numbers_);
  get("names", names_);
  get("holders", holders_);
  const std::size_t d = sequences_.x.cols(), count = sequences_.classes.size(), groups = sequences_.groups;
  const bool ascend = !starts.empty() && starts[0] == 0 && std::is_sorted(starts.begin(), starts.end());
  const bool known =
      std::all_of(sequences_.classes.begin(), sequences_.classes.end(), [&](std::uint32_t c) { return c < groups; });
  if (!ascend || !known || starts.size() != count + 1 || partitions_.size() != count || numbers_.size() != count ||
      names_.size() != holders_.size() || (!sequences_.weights.empty() && sequences_.weights.size() != count))
    fail(Error::Kind::model, "rank: sequences do not lie one behind the other; the file was altered");
  sequences_.starts.assign(starts.begin(), starts.end());
  sequences_.x = Matrix<double>(starts.back(), d);
  archive.get_into<double>("x", {sequences_.x.rows(), d}, {sequences_.x.data(), sequences_.x.rows() * d});
  row_weight_ = get_sums(archive, "row weight", 1);
  class_weights_ = get_sums(archive, "class weights", groups);
}

void SequencesFold::check_whole() const {
  const std::vector<std::size_t> order =
      order_by(names_.size(), [&](std::size_t i) { return std::pair(names_[i], holders_[i]); });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (names_[order[i]] != 0 && names_[order[i]] == names_[order[i - 1]])
      fail(Error::Kind::data,
           "hmm: partitions {} and {} have rows of one sequence, expected every sequence whole in one partition; cut "
           "the rows between sequences",
           holders_[order[i - 1]], holders_[order[i]]);
}

Sequences SequencesFold::in_order() const {
  return sequences_.of(
      order_by(partitions_.size(), [&](std::size_t i) { return std::pair(partitions_[i], numbers_[i]); }));
}

std::vector<double> SequencesFold::class_weights() const {
  std::vector<double> weights;
  for (const BinnedSum& sum : class_weights_) weights.push_back(sum.value());
  return weights;
}

}  // namespace bochner
