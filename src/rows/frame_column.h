// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "bochner/frame.h"

namespace bochner {

// Days of a time in ticks, rounded as parse_date() rounds the text of the same time.
inline double days_of(std::int64_t ticks, double ticks_per_day) {
  const std::int64_t day = std::int64_t(ticks_per_day);
  const std::int64_t whole = ticks / day - (ticks % day < 0 ? 1 : 0);
  const double seconds = double(ticks - whole * day) / (ticks_per_day / 86400);
  return seconds == 0 ? double(whole) : double(whole) + seconds / 86400;
}

namespace frame_detail {

template <class C, class Visit>
void visit_as(const FrameColumn& column, std::size_t begin, std::size_t count, Visit&& visit) {
  const std::ptrdiff_t step = column.step ? column.step : std::ptrdiff_t(sizeof(C));
  const char* p = static_cast<const char*>(column.cells) + std::ptrdiff_t(begin) * step;
  const std::uint8_t* const missing = column.missing ? column.missing + begin : nullptr;
  for (std::size_t i = 0; i < count; ++i, p += step) {
    C cell;
    std::memcpy(&cell, p, sizeof(C));
    visit(i, missing && missing[i] ? std::numeric_limits<double>::quiet_NaN() : double(cell));
  }
}

template <class Visit>
void visit_times(const FrameColumn& column, std::size_t begin, std::size_t count, Visit&& visit) {
  const std::ptrdiff_t step = column.step ? column.step : 8;
  const char* p = static_cast<const char*>(column.cells) + std::ptrdiff_t(begin) * step;
  for (std::size_t i = 0; i < count; ++i, p += step) {
    std::int64_t ticks = 0;
    std::memcpy(&ticks, p, sizeof ticks);
    const bool none =
        ticks == std::numeric_limits<std::int64_t>::min() || (column.missing && column.missing[begin + i]);
    visit(i, none           ? std::numeric_limits<double>::quiet_NaN()
             : column.dates ? days_of(ticks, column.ticks_per_day)
                            : double(ticks) / column.ticks_per_day);
  }
}

}  // namespace frame_detail

// visit(i, value) for `count` cells of the column from row `begin` on; a code is its number. NaN: the cell is missing.
template <class Visit>
void visit_cells(const FrameColumn& column, std::size_t begin, std::size_t count, Visit&& visit) {
  using Type = FrameColumn::Type;
  using namespace frame_detail;
  if (column.ticks_per_day > 0) return visit_times(column, begin, count, visit);
  switch (column.type) {
    case Type::f64:
      return visit_as<double>(column, begin, count, visit);
    case Type::f32:
      return visit_as<float>(column, begin, count, visit);
    case Type::i64:
      return visit_as<std::int64_t>(column, begin, count, visit);
    case Type::i32:
      return visit_as<std::int32_t>(column, begin, count, visit);
    case Type::i16:
      return visit_as<std::int16_t>(column, begin, count, visit);
    case Type::i8:
      return visit_as<std::int8_t>(column, begin, count, visit);
    case Type::u64:
      return visit_as<std::uint64_t>(column, begin, count, visit);
    case Type::u32:
      return visit_as<std::uint32_t>(column, begin, count, visit);
    case Type::u16:
      return visit_as<std::uint16_t>(column, begin, count, visit);
    case Type::u8:
    case Type::boolean:
      return visit_as<std::uint8_t>(column, begin, count, visit);
    case Type::codes:
      return visit_as<std::int32_t>(column, begin, count, visit);
  }
}

}  // namespace bochner
