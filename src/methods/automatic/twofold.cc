// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/twofold.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/finite.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "random/elementary.h"

namespace bochner {

namespace {

using Kind = TwofoldColumn::Kind;

constexpr std::size_t kMostKnots = 1024;
constexpr double kWeek = 7, kYear = 365.2425, kDay = 1;
constexpr std::size_t kMostCycles = 8;
constexpr double kLeastCycle = 1e-3;  // days

double rank_of(const TwofoldColumn& c, double x) {
  const auto high = std::upper_bound(c.values.begin(), c.values.end(), x);
  if (high == c.values.begin()) return c.ranks.front();
  if (high == c.values.end()) return c.ranks.back();
  const auto i = std::size_t(high - c.values.begin()) - 1;
  return c.ranks[i] + (x - c.values[i]) / (c.values[i + 1] - c.values[i]) * (c.ranks[i + 1] - c.ranks[i]);
}

// cos(2 pi t), to the same bits on every machine.
double cos_of_turns(double t) {
  if (!(std::abs(t) < 0x1p52)) return 1;  // so far away that it has no fraction
  const double half_turns = 2 * (t - std::floor(t));
  if (half_turns <= 0.5) return portable_cos_pi(half_turns);
  return half_turns <= 1.5 ? -portable_cos_pi(half_turns - 1) : portable_cos_pi(half_turns - 2);
}

template <class T>
T* write_level(const TwofoldColumn& c, double x, T* out) {
  const std::size_t level = x >= 1 && x < double(c.levels()) + 1 ? std::size_t(x) : 0;
  for (std::size_t k = 0; k < c.width; ++k) *out++ = T(c.values[level * c.width + k]);
  for (std::size_t l = 1; l <= c.indicators; ++l) *out++ = T(l == level ? 1 : 0);
  return out;
}

template <class T>
T* write(const TwofoldColumn& c, double x, T* out) {
  if (c.kind == Kind::left_out) return out;
  if (c.kind == Kind::levels) return write_level(c, x, out);
  const double day = x + c.first_day;
  if (c.kind == Kind::date) x = std::clamp(x, c.values.front(), c.values.back());
  const double v = (x - c.center) * c.factor;
  if (c.kind == Kind::two_values) {
    *out++ = T(v);
    return out;
  }
  *out++ = T(v / std::sqrt(1 + v / kClip * (v / kClip)));
  *out++ = T((rank_of(c, x) - 0.5) * std::sqrt(12.0));
  for (const double cycle : c.cycles) {
    const double turns = (cycle > 1 ? std::floor(day) : day) / cycle;
    *out++ = T(std::sqrt(2.0) * cos_of_turns(turns));
    *out++ = T(std::sqrt(2.0) * cos_of_turns(turns - 0.25));
  }
  return out;
}

class TwofoldMap final : public MapOf<TwofoldMap> {
 public:
  explicit TwofoldMap(std::vector<TwofoldColumn> columns) : columns_(std::move(columns)) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const TwofoldColumn& c = columns_[j];
      first_.push_back(outputs_);
      outputs_ += c.outputs();
      require(std::isfinite(c.center) && std::isfinite(c.factor), "twofold: input {} has a scale that is not finite",
              j);
      require(c.cycles.empty() || c.kind == Kind::date, "twofold: input {} has cycles and is no date", j);
      require(std::isfinite(c.first_day) && c.cycles.size() <= kMostCycles &&
                  std::all_of(c.cycles.begin(), c.cycles.end(),
                              [](double days) { return days >= kLeastCycle && std::isfinite(days); }),
              "twofold: input {} has a cycle that is none", j);
      if (c.kind == Kind::levels)
        require(c.width > 0 && c.values.size() >= c.width && c.values.size() % c.width == 0 &&
                    all_finite<double>(c.values) && c.indicators <= c.levels(),
                "twofold: input {} has {} numbers of levels, expected {} for each", j, c.values.size(), c.width);
      if (c.kind != Kind::number && c.kind != Kind::date) continue;
      require(c.values.size() >= 2 && c.values.size() == c.ranks.size() && all_finite<double>(c.values) &&
                  all_finite<double>(c.ranks) && std::is_sorted(c.ranks.begin(), c.ranks.end()) &&
                  std::adjacent_find(c.values.begin(), c.values.end(), std::greater_equal<>()) == c.values.end(),
              "twofold: input {} needs two or more values in ascending order, each with its rank", j);
    }
    require(outputs_ > 0, "twofold: every input is left out, expected one that varies");
    for (const TwofoldColumn& c : columns_) {
      std::vector<double> out(c.outputs());
      write(c, 0.0, out.data());
      at_zero_.insert(at_zero_.end(), out.begin(), out.end());
    }
  }

  std::size_t inputs() const override { return columns_.size(); }
  std::size_t outputs() const override { return outputs_; }

  template <class T>
  void apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
    require(block.cols == inputs(), "twofold: block has {} columns, expected {}", block.cols, inputs());
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (block.sparse()) {
        std::copy(at_zero_.begin(), at_zero_.end(), out.row(i));
        for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p) {
          const std::size_t j = block.columns[p];
          write(columns_[j], double(block.values[p]), out.row(i) + first_[j]);
        }
      } else {
        T* at = out.row(i);
        for (std::size_t j = 0; j < columns_.size(); ++j)
          at = write(columns_[j], double(block.values[i * block.stride + j]), at);
      }
    }
  }

  std::string spec() const override {
    std::size_t counts[5] = {};
    for (const TwofoldColumn& c : columns_) ++counts[std::size_t(c.kind)];
    return fmt::format("twofold:numbers={},two_values={},left_out={}{}{}", counts[2], counts[1], counts[0],
                       counts[3] > 0 ? fmt::format(",dates={}", counts[3]) : "",
                       counts[4] > 0 ? fmt::format(",levels={}", counts[4]) : "");
  }

  void save(Archive& archive) const override {
    archive.tree["type"] = "twofold";
    archive.tree["columns"] = columns_.size();
    std::vector<std::uint8_t> kinds;
    std::vector<double> scales, values, ranks;
    std::vector<std::uint64_t> knots;
    for (const TwofoldColumn& c : columns_) {
      kinds.push_back(std::uint8_t(c.kind));
      scales.insert(scales.end(), {c.center, c.factor});
      if (c.kind == Kind::levels) {
        knots.push_back(0);
        continue;
      }
      knots.push_back(c.values.size());
      values.insert(values.end(), c.values.begin(), c.values.end());
      ranks.insert(ranks.end(), c.ranks.begin(), c.ranks.end());
    }
    archive.put<std::uint8_t>("kinds", kinds, {kinds.size()});
    archive.put<double>("scales", scales, {kinds.size(), 2});
    archive.put<std::uint64_t>("knots", knots, {kinds.size()});
    archive.put<double>("values", values, {values.size()});
    archive.put<double>("ranks", ranks, {ranks.size()});
    save_dates(archive);
    save_levels(archive);
  }

 private:
  // Only if there are any.
  void save_levels(Archive& archive) const {
    std::vector<std::uint64_t> shapes;
    std::vector<float> values;
    for (const TwofoldColumn& c : columns_) {
      if (c.kind != Kind::levels) continue;
      shapes.insert(shapes.end(), {c.levels(), c.width, c.indicators});
      values.insert(values.end(), c.values.begin(), c.values.end());
    }
    if (shapes.empty()) return;
    archive.put<std::uint64_t>("level_shapes", shapes, {shapes.size() / 3, 3});
    archive.put<float>("level_values", values, {values.size()});
  }
  // Only if there are any: models without dates stay as they were.
  void save_dates(Archive& archive) const {
    std::vector<std::uint64_t> counts;
    std::vector<double> cycles, first_days;
    for (const TwofoldColumn& c : columns_) {
      if (c.kind != Kind::date) continue;
      counts.push_back(c.cycles.size());
      cycles.insert(cycles.end(), c.cycles.begin(), c.cycles.end());
      first_days.push_back(c.first_day);
    }
    if (counts.empty()) return;
    archive.put<std::uint64_t>("cycle_counts", counts, {counts.size()});
    archive.put<double>("cycles", cycles, {cycles.size()});
    archive.put<double>("first_days", first_days, {first_days.size()});
  }

  std::vector<TwofoldColumn> columns_;
  std::vector<std::size_t> first_;  // output of each column
  std::vector<double> at_zero_;     // the outputs of a row of zeros
  std::size_t outputs_ = 0;
};

}  // namespace

TwofoldColumn twofold_column(std::vector<double> values) {
  require(!values.empty(), "twofold: a column of no values");
  std::sort(values.begin(), values.end());
  const double n = double(values.size());
  TwofoldColumn c;
  if (values.front() == values.back()) return c;

  std::vector<double> distinct, middle;  // and the rank amid its equals
  for (std::size_t i = 0, next = 0; i < values.size(); i = next) {
    while (next < values.size() && values[next] == values[i]) ++next;
    distinct.push_back(values[i]);
    middle.push_back(0.5 * double(i + next) / n);
  }
  if (distinct.size() == 2) {
    c.kind = Kind::two_values;
    c.center = distinct[0];
    c.factor = 1 / (distinct[1] - distinct[0]);
    return c;
  }
  c.kind = Kind::number;
  c.center = 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
  double mean = 0, squares = 0;
  for (const double v : values) mean += (v - values[0]) / n;
  for (const double v : values) squares += (v - values[0] - mean) * (v - values[0] - mean) / n;
  c.factor = 1 / std::sqrt(squares);
  const std::size_t knots = std::min(distinct.size(), kMostKnots);
  for (std::size_t k = 0; k < knots; ++k) {  // evenly, both ends in it
    const std::size_t i = k * (distinct.size() - 1) / (knots - 1);
    c.values.push_back(distinct[i]);
    c.ranks.push_back(middle[i]);
  }
  return c;
}

TwofoldColumn date_column(std::vector<double> values, double first_day) {
  TwofoldColumn c = twofold_column(values);
  if (c.kind != Kind::number) return c;
  c.kind = Kind::date;
  c.first_day = first_day;
  const double span = c.values.back() - c.values.front();
  if (span >= 2 * kWeek) c.cycles.push_back(kWeek);
  if (span >= kYear) c.cycles.push_back(kYear);
  const auto time = [&](double x) { return x + first_day - std::floor(x + first_day); };
  if (std::any_of(values.begin(), values.end(), [&](double x) { return time(x) != time(values[0]); }))
    c.cycles.push_back(kDay);
  return c;
}

std::string cycles_text(const TwofoldColumn& column) {
  std::string text;
  for (const double cycle : column.cycles)
    text += fmt::format("{}its {}", text.empty() ? "" : ", ",
                        cycle == kWeek   ? "day of the week"
                        : cycle == kYear ? "season"
                                         : "time of day");
  return text;
}

std::vector<std::uint32_t> each_once(std::span<const TwofoldColumn> columns) {
  std::vector<std::uint32_t> inputs;
  std::size_t at = 0;
  for (const TwofoldColumn& c : columns) {
    for (std::size_t k = 0; k < c.outputs(); ++k)
      if (k != 1 || c.kind == TwofoldColumn::Kind::levels) inputs.push_back(std::uint32_t(at + k));
    at += c.outputs();
  }
  return inputs;
}

MapPtr twofold(std::vector<TwofoldColumn> columns) { return std::make_shared<TwofoldMap>(std::move(columns)); }

namespace {

void load_dates(const Archive& archive, std::vector<TwofoldColumn>& columns) {
  const auto dates = std::size_t(std::ranges::count(columns, Kind::date, &TwofoldColumn::kind));
  if (dates == 0) return;
  const auto counts = archive.get<std::uint64_t>("cycle_counts", {dates});
  const auto first_days = archive.get<double>("first_days", {dates});
  const std::size_t all = archive.length("cycles");
  const auto cycles = archive.get<double>("cycles", {all});
  std::size_t date = 0, used = 0;
  for (TwofoldColumn& c : columns) {
    if (c.kind != Kind::date) continue;
    require(counts[date] <= all - used, "twofold: a date has {} cycles of {} left", counts[date], all - used);
    c.cycles.assign(cycles.begin() + std::ptrdiff_t(used), cycles.begin() + std::ptrdiff_t(used + counts[date]));
    c.first_day = first_days[date];
    used += counts[date++];
  }
}

void load_levels(const Archive& archive, std::vector<TwofoldColumn>& columns) {
  const auto count = std::size_t(std::ranges::count(columns, Kind::levels, &TwofoldColumn::kind));
  if (count == 0) return;
  const auto shapes = archive.get<std::uint64_t>("level_shapes", {count, 3});
  const std::size_t all = archive.length("level_values");
  const auto values = archive.get<float>("level_values", {all});
  std::size_t column = 0, used = 0;
  for (TwofoldColumn& c : columns) {
    if (c.kind != Kind::levels) continue;
    const std::uint64_t levels = shapes[3 * column], width = shapes[3 * column + 1];
    require(width > 0 && levels < all && width <= (all - used) / (levels + 1),
            "twofold: an input has {} levels of {} numbers, {} are left", levels, width, all - used);
    const std::size_t size = std::size_t((levels + 1) * width);
    c.width = std::size_t(width);
    c.indicators = std::size_t(shapes[3 * column + 2]);
    c.values.assign(values.begin() + std::ptrdiff_t(used), values.begin() + std::ptrdiff_t(used + size));
    used += size;
    ++column;
  }
}

}  // namespace

MapPtr load_twofold(const Archive& archive) {
  return build_from_model([&] {
    const std::size_t count = get_count(archive.tree, "columns", std::size_t{1} << 32);
    const auto kinds = archive.get<std::uint8_t>("kinds", {count});
    const auto scales = archive.get<double>("scales", {count, 2});
    const auto knots = archive.get<std::uint64_t>("knots", {count});
    const std::size_t all = archive.length("values");
    const auto values = archive.get<double>("values", {all}), ranks = archive.get<double>("ranks", {all});
    std::vector<TwofoldColumn> columns(count);
    std::size_t used = 0;
    for (std::size_t j = 0; j < count; ++j) {
      require(kinds[j] <= 4 && knots[j] <= all - used, "twofold: input {} is of kind {} with {} values of {} left", j,
              kinds[j], knots[j], all - used);
      const auto begin = std::ptrdiff_t(used), end = std::ptrdiff_t(used + knots[j]);
      columns[j] = {Kind(kinds[j]),
                    scales[2 * j],
                    scales[2 * j + 1],
                    {values.begin() + begin, values.begin() + end},
                    {ranks.begin() + begin, ranks.begin() + end}};
      used += knots[j];
    }
    load_dates(archive, columns);
    load_levels(archive, columns);
    return twofold(std::move(columns));
  });
}

}  // namespace bochner
