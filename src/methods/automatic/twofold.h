// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/archive.h"
#include "bochner/map.h"

namespace bochner {

constexpr double kClip = 5;  // deviations where numbers bend

// How one input enters a machine that learns its own metric: a number twice, so that the metric may choose between its
// size and its rank; one with two values once, as 0 and 1; one that never varies not at all; a date as a number and as
// its place in the week, the year and the day.
//   number:     v / sqrt(1 + (v/5)^2), v = (x - center) factor;   sqrt(12) (rank(x) - 1/2)
//   two values: (x - center) factor
//   date:       the two of a number, x no farther than the dates learnt from; sqrt(2) [cos, sin](2 pi t / cycle) for
//               each cycle, t the date in days, whole ones if the cycle is longer than a day
//   levels:     numbers of the level that x is the place of, from 1 (0: none), and indicators of the first levels
struct TwofoldColumn {
  enum class Kind : std::uint8_t { left_out, two_values, number, date, levels };

  Kind kind = Kind::left_out;
  double center = 0, factor = 1;
  // The rank of a number at some values, both ascending; linear between them and constant beyond.
  std::vector<double> values = {}, ranks = {};

  // The cycles of a date in days, and the day that an input of 0 is, since 1970-01-01.
  std::vector<double> cycles = {};
  double first_day = 0;

  // Levels: so many numbers for no level and for each level, one after the other in `values`, rounded to float; and the
  // first levels that have an indicator.
  std::size_t width = 0, indicators = 0;

  std::size_t levels() const { return width > 0 ? values.size() / width - 1 : 0; }
  std::size_t outputs() const {
    if (kind == Kind::levels) return width + indicators;
    return kind == Kind::date ? 2 + 2 * cycles.size() : std::size_t(kind);
  }
  bool operator==(const TwofoldColumn&) const = default;
};

// The column that these values (at least one) suggest: median, deviation, middle ranks. `two_values`: no others occur.
TwofoldColumn twofold_column(std::vector<double> values);

// The same of dates, in days from first_day on. A cycle counts if the dates go through it: a week if they span two, a
// year if they span one, a day if their times differ.
TwofoldColumn date_column(std::vector<double> values, double first_day);
// "its day of the week, its season"; empty: it has no cycles.
std::string cycles_text(const TwofoldColumn& column);

// Which outputs tell each column once: its size, or 0 and 1; of a date also its places in cycles, of levels all.
std::vector<std::uint32_t> each_once(std::span<const TwofoldColumn> columns);

// At least one column must not be left out.
MapPtr twofold(std::vector<TwofoldColumn> columns);

MapPtr load_twofold(const Archive& archive);

}  // namespace bochner
