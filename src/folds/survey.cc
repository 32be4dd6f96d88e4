// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/survey.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/option.h"
#include "base/require.h"
#include "random/draw.h"
#include "rows/class_target.h"

namespace bochner {

namespace {

constexpr std::size_t kMostSampleRows = 20000;
constexpr std::size_t kMostSampleValues = 8 << 20;
constexpr double kDeviations = 8;  // standard deviations of the number of keys below a limit; never exceeded

Survey::ColumnFacts nothing_seen() {
  Survey::ColumnFacts facts;
  facts.min = std::numeric_limits<double>::infinity();
  facts.max = -facts.min;
  return facts;
}

void see(Survey::ColumnFacts& facts, double value) {
  facts.min = std::min(facts.min, value);
  facts.max = std::max(facts.max, value);
  facts.nonzero += value != 0;
  facts.indicator = facts.indicator && (value == 0 || value == 1);
}

void merge_facts(Survey::ColumnFacts& to, const Survey::ColumnFacts& from) {
  to.min = std::min(to.min, from.min);
  to.max = std::max(to.max, from.max);
  to.nonzero += from.nonzero;
  to.indicator = to.indicator && from.indicator;
}

template <class T>
void check_finite(T value, std::size_t row, std::size_t column) {
  if (!std::isfinite(value))
    fail(Error::Kind::data,
         "row {}, column {}: found {}, expected a finite number; remove the row or fill the value in", row, column,
         value);
}

// Targets and weights beyond these would not stay finite: predictions are of the rows' type, and sums hold squares of
// targets times weights.
template <class T>
constexpr double kLargestTarget = std::is_same_v<T, float> ? 1e36 : 1e145;
constexpr double kLargestWeight = 1e290;

template <class T>
void check_target(double target, std::size_t row, std::size_t column) {
  check_finite(target, row, column);
  if (std::abs(target) > kLargestTarget<T>)
    fail(Error::Kind::data, "row {}: found the target {}, expected at most {:g} in size in {}; divide the targets{}",
         row, target, kLargestTarget<T>, std::is_same_v<T, float> ? "float" : "double",
         std::is_same_v<T, float> ? fmt::format(" by their unit, or train with {}", Option::double_precision)
                                  : std::string(" by their unit"));
}

void check_weight(double weight, std::size_t row) {
  if (!(weight >= 0 && std::isfinite(weight)))
    fail(Error::Kind::data, "row {}: found the weight {}, expected a number >= 0", row, weight);
  if (weight > kLargestWeight)
    fail(Error::Kind::data, "row {}: found the weight {}, expected at most {:g}; divide all weights by the same number",
         row, weight, kLargestWeight);
}

// What see() tells of whole rows, in loops the compiler turns into vectors.
template <class T>
struct DenseFacts {
  using Count = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  std::vector<T> min, max;
  std::vector<Count> nonzero, other;  // other: neither 0 nor 1

  // False, and nothing seen, where a number is not finite.
  bool see(const RowBlock<T>& block, std::size_t begin, std::size_t end, std::vector<Survey::ColumnFacts>& columns) {
    const std::size_t d = block.cols;
    min.assign(d, std::numeric_limits<T>::infinity());
    max.assign(d, -std::numeric_limits<T>::infinity());
    nonzero.assign(d, 0);
    other.assign(d, 0);
    Count strange = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const T* row = block.values + i * block.stride;
      for (std::size_t j = 0; j < d; ++j) {
        const T value = row[j];
        min[j] = value < min[j] ? value : min[j];
        max[j] = value > max[j] ? value : max[j];
        nonzero[j] += value != 0;
        other[j] += (value != 0) & (value != 1);
        strange += !(std::abs(value) <= std::numeric_limits<T>::max());
      }
    }
    if (strange) return false;
    for (std::size_t j = 0; j < d; ++j)
      merge_facts(columns[j],
                  {.min = double(min[j]), .max = double(max[j]), .nonzero = nonzero[j], .indicator = other[j] == 0});
    return true;
  }
};

}  // namespace

std::size_t Survey::most_sampled(const Schema& schema) {
  return std::clamp(kMostSampleValues / std::max<std::size_t>(1, schema.inputs), std::size_t(1000), kMostSampleRows);
}

Survey::Survey(const Schema& schema, std::uint64_t seed, std::uint64_t part)
    : schema_(schema),
      seed_(seed),
      part_(part),
      sample_rows_(most_sampled(schema)),
      columns_(schema.inputs, nothing_seen()),
      targets_(schema.targets, nothing_seen()),
      class_rows_(schema.task == Task::classification ? schema.labels.size() : 0) {}

void Survey::expect(std::size_t rows) {
  const double wanted = double(sample_rows_) + kDeviations * std::sqrt(double(sample_rows_));
  if (wanted < double(rows)) largest_taken_ = std::uint64_t(wanted / double(rows) * 0x1p64);
}

template <class T>
void Survey::add(const Workers& on, const RowBlock<T>& block) {
  const std::size_t chunks = (block.rows + kChunkRows - 1) / kChunkRows;
  const std::uint64_t largest_key =
      sample_.size() < sample_rows_ ? largest_taken_ : std::min(largest_taken_, sample_.back().key);
  struct Part {
    std::vector<ColumnFacts> columns;
    DenseFacts<T> dense;
    std::vector<SampledRow> sample;
  };
  std::vector<Part> parts(std::size_t(on.threads.count()));

  on.threads.run(chunks, [&](std::size_t chunk, int thread) {
    Part& part = parts[std::size_t(thread)];
    if (part.columns.empty()) part.columns.assign(columns_.size(), nothing_seen());
    const std::size_t chunk_begin = chunk * kChunkRows, end = std::min(block.rows, chunk_begin + kChunkRows);
    const bool dense = !block.sparse() && part.dense.see(block, chunk_begin, end, part.columns);
    for (std::size_t i = chunk_begin; i < end; ++i) {
      const std::uint64_t row = block.first + i;
      const std::size_t begin = block.sparse() ? block.offsets[i] : i * block.stride;
      const std::size_t count = block.sparse() ? block.offsets[i + 1] - begin : block.cols;
      for (std::size_t k = 0; k < count && !dense; ++k) {
        const std::size_t column = block.sparse() ? block.columns[begin + k] : k;
        check_finite(block.values[begin + k], row, column);
        see(part.columns[column], double(block.values[begin + k]));
      }
      const std::uint64_t key = bits(seed_, Draw::sample, row, part_);
      if (key > largest_key) continue;
      SampledRow sampled{key, row, {block.values + begin, block.values + begin + count}, {}, {}, 1};
      if (block.sparse()) sampled.columns.assign(block.columns + begin, block.columns + begin + count);
      if (block.targets)
        sampled.targets.assign(block.targets + i * block.target_count, block.targets + (i + 1) * block.target_count);
      if (block.weights) sampled.weight = block.weights[i];
      part.sample.push_back(std::move(sampled));
    }
  });

  const std::size_t sorted = sample_.size();
  for (Part& part : parts) {
    for (std::size_t j = 0; j < part.columns.size(); ++j) merge_facts(columns_[j], part.columns[j]);
    std::move(part.sample.begin(), part.sample.end(), std::back_inserter(sample_));
  }
  keep_smallest(sorted);

  for (std::size_t i = 0; i < block.rows; ++i) {
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      check_target<T>(block.targets[i * block.target_count + k], block.first + i, columns_.size() + k);
      see(targets_[k], block.targets[i * block.target_count + k]);
    }
    if (!class_rows_.empty() && block.target_count > 0) {
      const double target = block.targets[i * block.target_count];
      check_class_target(target, class_rows_.size(), block.first + i);
      ++class_rows_[std::size_t(target)];
    }
    const double weight = block.weights ? block.weights[i] : 1.0;
    check_weight(weight, block.first + i);
    largest_weight_ = std::max(largest_weight_, weight);
  }
  rows_ += block.rows;
}

template void Survey::add(const Workers&, const RowBlock<float>&);
template void Survey::add(const Workers&, const RowBlock<double>&);

void Survey::keep_smallest(std::size_t sorted) {
  // Keys meet only where a part came twice; the rest then makes the order a function of the rows.
  const auto before = [](const SampledRow& a, const SampledRow& b) {
    return std::tie(a.key, a.row, a.targets, a.weight, a.columns, a.values) <
           std::tie(b.key, b.row, b.targets, b.weight, b.columns, b.values);
  };
  const auto middle = sample_.begin() + std::ptrdiff_t(sorted);
  std::sort(middle, sample_.end(), before);
  std::inplace_merge(sample_.begin(), middle, sample_.end(), before);
  if (sample_.size() > sample_rows_) sample_.resize(sample_rows_);
}

bool Survey::operator==(const Survey& other) const {
  const auto seen = [](const Survey& s) {
    return std::tie(s.schema_, s.seed_, s.rows_, s.columns_, s.targets_, s.class_rows_, s.largest_weight_, s.sample_);
  };
  return seen(*this) == seen(other);
}

void Survey::merge(const Survey& other) {
  require(schema_ == other.schema_ && seed_ == other.seed_, "survey: the parts have different columns or seeds");
  require(!short_of_rows() && !other.short_of_rows(), "survey: the sample of a part lacks rows");
  for (std::size_t j = 0; j < columns_.size(); ++j) merge_facts(columns_[j], other.columns_[j]);
  for (std::size_t k = 0; k < targets_.size(); ++k) merge_facts(targets_[k], other.targets_[k]);
  for (std::size_t c = 0; c < class_rows_.size(); ++c) class_rows_[c] += other.class_rows_[c];
  largest_weight_ = std::max(largest_weight_, other.largest_weight_);
  const std::size_t sorted = sample_.size();
  sample_.insert(sample_.end(), other.sample_.begin(), other.sample_.end());
  keep_smallest(sorted);
  rows_ += other.rows_;
}

Survey Survey::reweighted(const std::vector<double>& class_weights) const {
  require(class_weights.size() == class_rows_.size(), "survey: found {} class weights for {} classes",
          class_weights.size(), class_rows_.size());
  Survey weighted = *this;
  double most = 0;
  for (std::size_t c = 0; c < class_rows_.size(); ++c)
    if (class_rows_[c] > 0) most = std::max(most, class_weights[c]);
  weighted.largest_weight_ *= most;
  for (SampledRow& row : weighted.sample_) row.weight *= class_weights[std::size_t(row.targets[0])];
  return weighted;
}

double Survey::usual_weight() const {
  if (!(largest_weight_ > 0)) return 1;
  double sum = 0, count = 0, first = 0;
  bool same = true;
  for (const SampledRow& row : sample_) {
    if (!(row.weight > 0)) continue;
    if (count == 0) first = row.weight;
    same &= row.weight == first;
    sum += row.weight / largest_weight_;
    ++count;
  }
  const double usual = same ? first : largest_weight_ * (sum / count);
  return std::max(usual, largest_weight_ / double(std::max<std::uint64_t>(1, rows_)));
}

void Survey::weigh_in(double unit) {
  for (SampledRow& row : sample_) row.weight /= unit;
  largest_weight_ /= unit;
  weight_unit_ *= unit;
}

std::span<const Survey::SampledRow> Survey::sample(std::size_t most) const {
  return {sample_.data(), std::min(most, sample_.size())};
}

Matrix<double> Survey::sample_inputs(std::size_t most) const {
  const std::span<const SampledRow> rows = sample(most);
  Matrix<double> x(rows.size(), schema_.inputs);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].values.size(); ++k)
      x(i, schema_.sparse ? rows[i].columns[k] : k) = rows[i].values[k];
  return x;
}

}  // namespace bochner
