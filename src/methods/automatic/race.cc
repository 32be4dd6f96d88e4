// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race.h"

#include <algorithm>
#include <numeric>

#include "methods/automatic/blend.h"
#include "random/draw.h"
#include "rows/repeats.h"

namespace bochner {

namespace {

constexpr std::size_t kKinBlocks = 20;  // blocks of time whose rows are kin
constexpr double kLaterShare = 0.5;     // rows that several folds hold out together, in order of time
constexpr double kLeastEarlier = 0.25;  // share of the rows that come before all that are held out
constexpr double kStein = 4;  // times a row's squared error: what a blend of noise gains on the rows that chose it

std::vector<std::size_t> counted(std::size_t begin, std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

}  // namespace

RaceSource::RaceSource(Rows& all, std::uint64_t rows, double row_bytes, double memory, std::uint64_t seed,
                       std::size_t most_rows)
    : all_(all), count_(rows) {
  if (rows <= most_rows && double(rows) * row_bytes <= memory) return;
  double most = double(most_rows);
  while (most * row_bytes > memory && most > 1) most /= 2;
  const double share = std::min(1.0, most / double(rows));
  takes_ = [seed, share](std::uint64_t row) { return uniform(seed, Draw::split, row, 2) < share; };
  kept_ = cached_rows<float>(*subset_rows(all, takes_));
  count_ = 0;
  for (std::uint64_t row = 0; row < rows; ++row) count_ += takes_(row);
}

std::vector<std::uint64_t> RaceSource::groups(std::span<const std::uint64_t> of_all) const {
  return takes_ ? groups_of(of_all, takes_) : std::vector<std::uint64_t>(of_all.begin(), of_all.end());
}

std::vector<double> RaceSource::times(std::span<const double> of_all) const {
  return takes_ ? times_of(of_all, takes_) : std::vector<double>(of_all.begin(), of_all.end());
}

RaceRows::RaceRows(const Stream& stream, const TargetCode& code, std::size_t rows, std::uint64_t seed,
                   std::size_t folds, const RaceKin& known)
    : code_(code),
      x_(rows, stream.features()),
      y_(rows, code.columns()),
      targets_(rows, code.task == Task::classification ? 1 : code.columns()) {
  read(stream);
  if (known.times.empty())
    choose_held(seed, folds, known.groups);
  else
    hold_later(known.times, folds, seed);
  for (RaceFold& fold : folds_) fold.machine.rows.kin = kin_;
  hold_out();
  enter_levels(known.levels, seed);
  if (!known.times.empty()) keep_within_what_was();
  share_out_crosswise(known.groups, seed);
}

void RaceRows::read(const Stream& stream) {
  stream.each("rows", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const std::size_t row = block.first + i;
      std::copy_n(block.values + i * block.stride, block.cols, &x_(row, 0));
      const double* target = block.targets + i * block.target_count;
      std::copy_n(target, targets_.cols(), &targets_(row, 0));
      // Rounded to float, as predictions are: the last bits of a double are those of the target's unit, and the steps
      // of the flow would make much of them.
      for (std::size_t k = 0; k < y_.cols(); ++k) y_(row, k) = double(float(code_.encode(target, k)));
      if (block.weights) {
        weights_.resize(x_.rows(), 1.0);
        weights_[row] = block.weights[i];
      }
    }
  });
  own_choices_ = code_.task == Task::regression;
}

// Rows in a drawn order, those of a class together, are dealt out.
std::vector<std::size_t> RaceRows::parts(std::uint64_t seed) const {
  const std::size_t n = x_.rows();
  std::vector<std::uint32_t> order = draw_rows(n, n, seed, 2000000);
  if (code_.task == Task::classification)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return targets_(a, 0) < targets_(b, 0); });
  std::vector<std::size_t> part(n);
  for (std::size_t i = 0; i < n; ++i) part[order[i]] = i % kFoldParts;
  return part;
}

void RaceRows::choose_held(std::uint64_t seed, std::size_t folds, std::span<const std::uint64_t> groups) {
  kin_.assign(groups.begin(), groups.end());
  const std::size_t n = x_.rows(), count = std::min(kMostHeld, std::size_t(kHeldShare * double(n)));
  std::vector<std::size_t> part;
  if (folds > 1) {
    part = groups.empty() ? parts(seed) : group_parts(groups, kFoldParts, seed);
    folds = std::min(folds, *std::max_element(part.begin(), part.end()) + 1);
  }
  folds_.resize(std::clamp<std::size_t>(folds, 1, kFoldParts));
  for (RaceFold& fold : folds_)
    fold.machine = {{x_.view(), y_.view(), weights_}, std::vector<char>(n, 0), own_choices_};
  if (folds_.size() > 1) {
    for (std::size_t i = 0; i < n; ++i)
      if (part[i] < folds_.size()) folds_[part[i]].machine.held[i] = 1;
  } else if (groups.empty()) {
    for (const std::uint32_t row : draw_rows(n, count, seed, 2000000)) folds_[0].machine.held[row] = 1;
  } else {
    folds_[0].machine.held = held_groups(groups, double(count) / double(n), seed);
  }
}

// Rows that are near in time are kin: a metric that tells them apart by their time has learnt nothing about later ones.
void RaceRows::hold_later(std::span<const double> times, std::size_t folds, std::uint64_t seed) {
  const std::size_t n = x_.rows();
  double share = std::min(kHeldShare, double(kMostHeld) / double(n));
  for (const std::size_t block : time_blocks(times, kKinBlocks - 1, 1.0 / double(kKinBlocks))) kin_.push_back(block);
  folds = std::clamp<std::size_t>(folds, 1, kFoldParts);
  if (folds > 1) share = std::min(1 / double(kFoldParts), kLaterShare / double(folds));
  std::vector<std::size_t> block = time_blocks(times, folds, share);
  // Blocks that only few rows come before, as many rows of one time may have it, judge nothing.
  const auto early = [&] { return double(std::count(block.begin(), block.end(), std::size_t{0})); };
  while (early() < kLeastEarlier * double(n))
    for (std::size_t& b : block) b -= b > 0 ? 1 : 0;
  if (early() == double(n)) return choose_held(seed, folds, {});
  folds_.resize(*std::max_element(block.begin(), block.end()));
  for (std::size_t f = 0; f < folds_.size(); ++f) {
    RaceFold& fold = folds_[f];
    MachineRows& machine = fold.machine = {{x_.view(), y_.view(), weights_}, std::vector<char>(n, 0), own_choices_};
    for (std::size_t i = 0; i < n; ++i)
      if (block[i] > f) machine.held[i] = block[i] == f + 1 ? MachineRows::kHeld : MachineRows::kLater;
    if (f + 1 == folds_.size()) continue;  // none is later
    for (std::size_t i = 0; i < n; ++i) fold.weights.push_back(machine.held[i] == MachineRows::kLater ? 0 : weight(i));
    machine.rows.weights = fold.weights;
  }
}

// Later rows have inputs within the range of those learnt from, as rows of the future will have when the model answers.
void RaceRows::keep_within_what_was() {
  for (RaceFold& fold : folds_) {
    MachineRows& machine = fold.machine;
    if (fold.x.rows() == 0) fold.x = x_;
    machine.all = {std::as_const(x_).view(), std::as_const(y_).view(), weights_, kin_};
    machine.rows.x = std::as_const(fold.x).view();
    const std::vector<std::uint32_t> learnt = machine.numbers(false);
    for (std::size_t j = 0; j < fold.x.cols(); ++j) {
      float least = fold.x(learnt[0], j), greatest = least;
      for (const std::uint32_t i : learnt) {
        least = std::min(least, fold.x(i, j));
        greatest = std::max(greatest, fold.x(i, j));
      }
      for (std::size_t i = 0; i < fold.x.rows(); ++i) fold.x(i, j) = std::clamp(fold.x(i, j), least, greatest);
    }
  }
}

void RaceRows::hold_out() {
  const std::size_t n = x_.rows();
  mean_.assign(y_.cols(), 0.0);
  for (RaceFold& fold : folds_) {
    fold.held = fold.machine.numbers(true);
    fold.first = held_.size();
    held_.insert(held_.end(), fold.held.begin(), fold.held.end());
    fold_of_.resize(held_.size(), std::size_t(&fold - folds_.data()));
    fold.mean.assign(y_.cols(), 0.0);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (fold.machine.held[i]) continue;
      total += weight(i);
      for (std::size_t k = 0; k < y_.cols(); ++k) fold.mean[k] += weight(i) * y_(i, k);
    }
    for (double& m : fold.mean) m /= total > 0 ? total : 1;
    for (std::size_t k = 0; k < y_.cols(); ++k) mean_[k] += fold.mean[k] / double(folds_.size());
  }
}

// Rows of a group are blended in one part, too.
void RaceRows::share_out_crosswise(std::span<const std::uint64_t> groups, std::uint64_t seed) {
  for (std::size_t p = 0; p < held_.size(); ++p) {
    crosswise_.push_back(p % kCrosswiseParts);
    if (!groups.empty()) groups_.push_back(groups[held_[p]]);
  }
  effect_ = group_effect(groups_);
  if (std::any_of(groups_.begin(), groups_.end(), [&](std::uint64_t group) { return group != groups_[0]; }))
    crosswise_ = group_parts(groups_, kCrosswiseParts, seed);
}

Matrix<double> RaceRows::together(std::span<const Matrix<double>> of_folds) const {
  Matrix<double> all(held_.size(), y_.cols());
  for (std::size_t f = 0; f < folds_.size(); ++f)
    std::copy_n(of_folds[f].data(), folds_[f].held.size() * y_.cols(), all.data() + folds_[f].first * y_.cols());
  return all;
}

double RaceRows::error(const Matrix<double>& held) const {
  return squared_error({x_.view(), y_.view(), weights_}, held, held_);
}

double RaceRows::first_error(const Matrix<double>& held) const {
  return squared_error({x_.view(), y_.view(), weights_}, held, folds_[0].held);
}

double RaceRows::first_blended_error(std::span<const Candidate> candidates) const {
  const Matrix<double> all = blend(candidates, weigh(candidates, counted(0, folds_[0].held.size())));
  Matrix<double> first(folds_[0].held.size(), y_.cols());
  std::copy_n(all.data(), first.rows() * first.cols(), first.data());
  return first_error(first);
}

double RaceRows::relative(double error) const {
  double sum = 0, total = 0;
  for (std::size_t p = 0; p < held_.size(); ++p) {
    const std::uint32_t i = held_[p];
    total += weight(i);
    for (std::size_t k = 0; k < y_.cols(); ++k) sum += weight(i) * (y_(i, k) - mean(p, k)) * (y_(i, k) - mean(p, k));
  }
  return sum > 0 ? error * total / sum : 1;
}

Matrix<double> RaceRows::weigh(std::span<const Candidate> candidates) const {
  return weigh(candidates, counted(0, held_.size()));
}

Matrix<double> RaceRows::weigh(std::span<const Candidate> candidates, Numbers rows) const {
  const std::size_t columns = y_.cols(), together = own_choices_ ? 1 : columns;
  Matrix<double> weights(candidates.size(), columns);
  for (std::size_t begin = 0; begin < columns; begin += together) {
    const std::vector<double> b = weigh(candidates, rows, counted(begin, together));
    for (std::size_t j = 0; j < b.size(); ++j)
      for (std::size_t k = begin; k < begin + together; ++k) weights(j, k) = b[j];
  }
  const Matrix<double> blended = blend(candidates, weights);
  for (std::size_t begin = 0; begin < columns; begin += together) {
    const double kept = certainty(blended, rows, counted(begin, together));
    for (std::size_t j = 0; j < weights.rows(); ++j)
      for (std::size_t k = begin; k < begin + together; ++k) weights(j, k) *= kept;
  }
  return weights;
}

std::vector<double> RaceRows::weigh(std::span<const Candidate> candidates, Numbers rows, Numbers columns) const {
  const std::size_t k = candidates.size();
  Matrix<double> gram(k, k);
  std::vector<double> moment(k, 0.0);
  for (const std::size_t p : rows)
    for (const std::size_t o : columns) {
      const double w = weight(held_[p]);
      for (std::size_t a = 0; a < k; ++a) {
        const double pa = candidates[a].held(p, o) - mean(p, o);
        moment[a] += w * pa * (y_(held_[p], o) - mean(p, o));
        for (std::size_t b = 0; b < k; ++b) gram(a, b) += w * pa * (candidates[b].held(p, o) - mean(p, o));
      }
    }
  return blend_weights(gram, moment);
}

double RaceRows::certainty(const Matrix<double>& held, Numbers rows, Numbers columns) const {
  double gain = 0, left = 0;
  for (const std::size_t p : rows)
    for (const std::size_t k : columns) {
      const double y = y_(held_[p], k), by_mean = y - mean(p, k), by_blend = y - held(p, k);
      gain += weight(held_[p]) * (by_mean * by_mean - by_blend * by_blend);
      left += effect_ * weight(held_[p]) * by_blend * by_blend / double(rows.size());
    }
  return gain > 0 ? std::max(0.0, 1 - kStein * left / gain) : 0;
}

Matrix<double> RaceRows::blend_crosswise(std::span<const Candidate> candidates) const {
  Matrix<double> out(held_.size(), y_.cols());
  for (std::size_t part = 0; part < kCrosswiseParts; ++part) {
    std::vector<std::size_t> others;
    for (std::size_t p = 0; p < held_.size(); ++p)
      if (crosswise_[p] != part) others.push_back(p);
    const Matrix<double> blended = blend(candidates, weigh(candidates, others));
    for (std::size_t p = 0; p < held_.size(); ++p)
      for (std::size_t k = 0; k < out.cols() && crosswise_[p] == part; ++k) out(p, k) = blended(p, k);
  }
  return out;
}

Matrix<double> RaceRows::blend(std::span<const Candidate> candidates, const Matrix<double>& weights) const {
  Matrix<double> out(held_.size(), y_.cols());
  for (std::size_t p = 0; p < out.rows(); ++p)
    for (std::size_t k = 0; k < out.cols(); ++k) {
      out(p, k) = mean(p, k);
      for (std::size_t j = 0; j < weights.rows(); ++j)
        out(p, k) += weights(j, k) * (candidates[j].held(p, k) - mean(p, k));
    }
  return out;
}

Score RaceRows::score(const Matrix<double>& held) const {
  Scorer scorer(code_.task, y_.cols());
  std::vector<double> values(y_.cols());
  for (std::size_t p = 0; p < held_.size(); ++p) {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = decoded(held(p, k), k);
    scorer.add(values.data(), &targets_(held_[p], 0), weight(held_[p]));
  }
  return score_of_groups(scorer.score(), groups_);
}

RepeatedRows RaceRows::repeated() const {
  Repeats repeats(x_.rows(), folds_.size());
  RowBlock<float> rows = RowBlock<float>::dense(x_.view());
  rows.targets = targets_.data();
  rows.target_count = targets_.cols();
  repeats.add(rows, [&](std::uint64_t row) {
    std::size_t fold = 0;
    while (fold < folds_.size() && folds_[fold].machine.held[row] != MachineRows::kHeld) ++fold;
    return fold;
  });
  return repeats.found();
}

UnseenRows RaceRows::unseen(const Matrix<double>& held, const std::vector<double>& class_weights) const {
  UnseenRows rows{held, Matrix<double>(held_.size(), targets_.cols()), std::vector<double>(held_.size())};
  for (std::size_t p = 0; p < held_.size(); ++p) {
    const double* target = &targets_(held_[p], 0);
    std::copy_n(target, targets_.cols(), &rows.targets(p, 0));
    for (std::size_t k = 0; k < held.cols(); ++k) rows.predictions(p, k) = decoded(held(p, k), k);
    rows.weights[p] = weight(held_[p]) / (class_weights.empty() ? 1 : class_weights[std::size_t(target[0])]);
  }
  return rows;
}

MapPtr mean_of(std::vector<MapPtr> maps) {
  if (maps.size() == 1) return maps[0];
  for (MapPtr& map : maps) {
    const std::size_t outputs = map->outputs();
    Matrix<double> share(outputs, outputs);
    for (std::size_t k = 0; k < outputs; ++k) share(k, k) = 1 / double(maps.size());
    map = chain({std::move(map), linear(std::move(share), std::vector<double>(outputs, 0.0))});
  }
  return sum(std::move(maps));
}

std::vector<double> distance_shares(const Metric& diagonal, const Matrix<float>& x,
                                    std::span<const TwofoldColumn> columns) {
  const double n = double(x.rows());
  std::vector<double> mean(x.cols(), 0.0), squares(x.cols(), 0.0);
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j) mean[j] += double(x(i, j)) / n;
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j) squares[j] += (x(i, j) - mean[j]) * (x(i, j) - mean[j]) / n;
  std::vector<double> shares(columns.size(), 0.0);
  double total = 0;
  for (std::size_t j = 0, at = 0; j < columns.size(); ++j)
    for (std::size_t k = 0; k < columns[j].outputs(); ++k, ++at)
      shares[j] += diagonal.diagonal[at] * diagonal.diagonal[at] * squares[at];
  for (const double s : shares) total += s;
  for (double& s : shares) s /= total > 0 ? total : 1;
  return shares;
}

}  // namespace bochner
