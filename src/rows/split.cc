// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/hash64.h"
#include "base/require.h"
#include "random/draw.h"
#include "rows/labels.h"
#include "rows/repeats.h"
#include "rows/time_cells.h"

namespace bochner {

namespace {

constexpr std::size_t kMostSeen = std::size_t(1) << 20, kBlockRows = 4096;
constexpr double kFewShare = 0.01, kBeyondChance = 2;
constexpr std::uint64_t kFew = 2;

template <class T>
void add_numbers(Hash64& hash, const T* values, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) {
    const T value = values[j] + T(0);  // -0 is 0
    hash.add(std::as_bytes(std::span(&value, 1)));
  }
}

template <class T>
std::uint64_t hash_of(const RowBlock<T>& block, std::size_t i) {
  Hash64 hash;
  if (block.sparse()) {
    const std::size_t begin = block.offsets[i], count = block.offsets[i + 1] - begin;
    hash.add(std::as_bytes(std::span(block.columns + begin, count)));
    add_numbers(hash, block.values + begin, count);
  } else {
    add_numbers(hash, block.values + i * block.stride, block.cols);
  }
  if (block.targets) add_numbers(hash, block.targets + i * block.target_count, block.target_count);
  return hash.value();
}

}  // namespace

template <class T>
void Repeats::add(const RowBlock<T>& block, const Part& part) {
  for (std::size_t i = 0; i < block.rows; ++i, ++rows_) {
    const std::size_t of = part(block.first + i);
    held_ += of < parts_;
    if (!block.sparse() && rows_ % stride_ == 0) {
      cols_ = block.cols;
      sample_.insert(sample_.end(), block.values + i * block.stride, block.values + i * block.stride + cols_);
    }
    const std::uint64_t hash = hash_of(block, i);
    if (hash > most_hash_) continue;
    seen_.push_back({hash, of});
    if (seen_.size() == kMostSeen) keep_fewer();
  }
}

template void Repeats::add(const RowBlock<float>&, const Part&);
template void Repeats::add(const RowBlock<double>&, const Part&);

void Repeats::keep_fewer() {
  most_hash_ /= 2;
  std::erase_if(seen_, [&](const Seen& row) { return row.hash > most_hash_; });
}

// The chance that two rows agree, if every input were drawn for itself, and so that a row meets an equal one.
double Repeats::equal_by_chance() const {
  constexpr double kNever = 1e-15;
  const std::size_t n = cols_ > 0 ? sample_.size() / cols_ : 0;
  if (n < 2) return 0;
  double chance = 1;
  for (std::size_t j = 0; j < cols_ && chance > kNever; ++j) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = sample_[i * cols_ + j];
    std::sort(values.begin(), values.end());
    double pairs = 0;
    for (std::size_t i = 0; i < n;) {
      const std::size_t begin = i;
      while (i < n && values[i] == values[begin]) ++i;
      pairs += double(i - begin) * double(i - begin - 1);
    }
    chance *= pairs / (double(n) * double(n - 1));
  }
  return chance < 1 ? -std::expm1(double(rows_) * std::log1p(-chance)) : 1;
}

RepeatedRows Repeats::found() const {
  std::vector<Seen> sorted = seen_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Seen& a, const Seen& b) { return a.hash != b.hash ? a.hash < b.hash : a.part < b.part; });
  std::uint64_t held = 0, repeated = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i, own = 0;
    while (end < sorted.size() && sorted[end].hash == sorted[i].hash) own += sorted[end++].part < parts_;
    held += own;
    if (sorted[i].part != sorted[end - 1].part) repeated += own;
    i = end;
  }
  RepeatedRows found{held_, repeated, equal_by_chance()};
  if (held > 0 && held < held_)
    found.repeated = std::uint64_t(std::llround(double(repeated) * double(held_) / double(held)));
  return found;
}

std::string RepeatedRows::warning() const {
  const double share = held > 0 ? double(repeated) / double(held) : 0;
  if (repeated < kFew || share < kFewShare || share < kBeyondChance * by_chance) return "";
  return fmt::format(
      "{} of {} held-out rows stand among the training rows too: the score may be too good; leave repeated rows out "
      "(bochner dedup), or keep rows of a group together",
      repeated, held);
}

RepeatedRows repeated_rows(Rows& rows, std::size_t parts, const std::function<std::size_t(std::uint64_t row)>& part) {
  require(bool(part), "split: no function that says in which part a row is");
  Repeats repeats(rows.size().value_or(0), parts);
  RowBlock<double> block;  // cells may be beyond float
  rows.rewind();
  while (rows.next(kBlockRows, block)) repeats.add(block, part);
  rows.rewind();
  return repeats.found();
}

std::vector<std::uint64_t> row_groups(const std::string& path, const Schema& schema, const std::string& column,
                                      const RowsOptions& reading) {
  KeptCells cells{.columns = {column}};
  RowsOptions options = reading;
  options.kept = &cells;
  const std::unique_ptr<Rows> rows = open_rows(path, schema, options);
  std::vector<std::uint64_t> groups;
  RowBlock<double> block;  // cells may be beyond float
  while (rows->next(kBlockRows, block))
    for (std::size_t i = 0; i < block.rows; ++i) {
      const std::string& cell = cells.lines.front();
      if (cell.empty())
        fail(Error::Kind::data, "{}: row {}: the cell of the group '{}' is empty, expected a name; fill it in", path,
             block.first + i, column);
      groups.push_back(hash64(std::as_bytes(std::span(cell))));
      cells.lines.pop_front();
    }
  return groups;
}

std::vector<double> row_times(const std::string& path, const Schema& schema, const std::string& column,
                              const RowsOptions& reading) {
  KeptCells cells{.columns = {column}};
  RowsOptions options = reading;
  options.kept = &cells;
  const std::unique_ptr<Rows> rows = open_rows(path, schema, options);
  TimeCells cells_as_times(cells, schema);
  std::vector<double> times;
  RowBlock<double> block;  // cells may be beyond float
  try {
    while (rows->next(kBlockRows, block))
      for (std::size_t i = 0; i < block.rows; ++i) times.push_back(cells_as_times.next(block.first + i));
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("row ")) throw;
    fail(error.kind(), "{}: {}", path, error.what());
  }
  return times;
}

std::vector<std::size_t> time_blocks(std::span<const double> times, std::size_t parts, double share) {
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  require(!sorted.empty() && sorted.front() < sorted.back(),
          "times: found the same for every row, expected two or more: none is later than the others");
  const auto n = std::ptrdiff_t(sorted.size());
  const double second = *std::upper_bound(sorted.begin(), sorted.end(), sorted.front());
  std::vector<double> begins;  // times at which blocks begin
  for (std::size_t k = 1; k <= parts; ++k) {
    const auto later = std::ptrdiff_t(std::llround(double(parts - k + 1) * share * double(n)));
    const double begin = std::max(second, sorted[std::size_t(n - std::clamp<std::ptrdiff_t>(later, 1, n - 1))]);
    if (begins.empty() || begin > begins.back()) begins.push_back(begin);
  }
  std::vector<std::size_t> blocks;
  for (const double time : times)
    blocks.push_back(std::size_t(std::upper_bound(begins.begin(), begins.end(), time) - begins.begin()));
  return blocks;
}

std::vector<double> times_of(std::span<const double> times, const std::function<bool(std::uint64_t row)>& takes) {
  std::vector<double> of;
  for (std::uint64_t row = 0; row < times.size(); ++row)
    if (takes(row)) of.push_back(times[row]);
  return of;
}

namespace {

struct Group {
  double place = 0;  // drawn; groups are sorted by it
  std::uint64_t key = 0;
  std::size_t rows = 0;
  std::size_t part = 0;  // chosen later
};

// The groups of all rows, in a drawn order that does not depend on theirs.
class Groups {
 public:
  Groups(std::span<const std::uint64_t> of_rows, std::uint64_t seed) : of_rows_(of_rows) {
    std::unordered_map<std::uint64_t, std::size_t> counts;
    for (const std::uint64_t key : of_rows) ++counts[key];
    for (const auto& [key, rows] : counts) drawn.push_back({uniform(seed, Draw::split, key, 3), key, rows});
    std::sort(drawn.begin(), drawn.end(),
              [](const Group& a, const Group& b) { return a.place != b.place ? a.place < b.place : a.key < b.key; });
    require(drawn.size() >= 2, "groups: found {}, expected two or more: rows of one cannot be held out", drawn.size());
  }

  std::vector<std::size_t> parts() const {
    std::unordered_map<std::uint64_t, std::size_t> of;
    for (const Group& group : drawn) of[group.key] = group.part;
    std::vector<std::size_t> parts;
    for (const std::uint64_t key : of_rows_) parts.push_back(of[key]);
    return parts;
  }

  std::vector<Group> drawn;

 private:
  std::span<const std::uint64_t> of_rows_;
};

}  // namespace

// Groups that are much larger than the share are passed over, unless there are only such.
std::vector<char> held_groups(std::span<const std::uint64_t> groups, double share, std::uint64_t seed) {
  constexpr double kMostOver = 1.25;
  Groups all(groups, seed);
  const double wanted = share * double(groups.size());
  double held = 0;
  for (Group& group : all.drawn) {
    if (held >= wanted || held + double(group.rows) > kMostOver * wanted) continue;
    group.part = 1;
    held += double(group.rows);
  }
  if (held == 0)
    std::min_element(all.drawn.begin(), all.drawn.end(), [](const Group& a, const Group& b) {
      return a.rows < b.rows;
    })->part = 1;
  const std::vector<std::size_t> parts = all.parts();
  return {parts.begin(), parts.end()};
}

std::vector<std::size_t> group_parts(std::span<const std::uint64_t> groups, std::size_t parts, std::uint64_t seed) {
  Groups all(groups, seed);
  std::vector<std::size_t> rows(std::min(parts, all.drawn.size()), 0);
  for (Group& group : all.drawn) {  // each goes to the part that has the fewest rows
    group.part = std::size_t(std::min_element(rows.begin(), rows.end()) - rows.begin());
    rows[group.part] += group.rows;
  }
  return all.parts();
}

double group_effect(std::span<const std::uint64_t> groups) {
  if (groups.empty()) return 1;
  std::unordered_map<std::uint64_t, double> counts;
  for (const std::uint64_t key : groups) ++counts[key];
  double squares = 0;
  for (const auto& [key, rows] : counts) squares += rows * rows;
  return squares / double(groups.size());
}

Score score_of_groups(Score score, std::span<const std::uint64_t> groups) {
  const double factor = std::sqrt(group_effect(groups));
  for (std::optional<double>* error : {&score.standard_error, &score.log_loss_standard_error, &score.auc_by_chance})
    if (*error) **error *= factor;
  return score;
}

std::vector<std::uint64_t> groups_of(std::span<const std::uint64_t> groups,
                                     const std::function<bool(std::uint64_t row)>& takes) {
  std::vector<std::uint64_t> of;
  for (std::uint64_t row = 0; row < groups.size(); ++row)
    if (takes(row)) of.push_back(groups[row]);
  return of;
}

}  // namespace bochner
