// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/nearest_codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "backend/cpu/targets.h"
#include "backend/place_point.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/nearest_codes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kCodeRows = CodeUnit::kRows;
static_assert(CodeUnit::kPanel == kPanel);

using Sums = hn::CappedTag<std::int32_t, kPanel>;

// Where one of a row's sums, which are values below 0, is above a limit.
HWY_INLINE hn::Mask<Sums> above(const std::int32_t* HWY_RESTRICT sums, std::int32_t limit) {
  const Sums d;
  auto most = hn::LoadU(d, sums);
  for (std::size_t c = hn::Lanes(d); c < kPanel; c += hn::Lanes(d)) most = hn::Max(most, hn::LoadU(d, sums + c));
  return hn::Gt(most, hn::Set(d, limit));
}

// Whether one of a tile's may stand among the best of its row: most tiles are passed over by this one look.
HWY_INLINE bool any_near(const std::int32_t* HWY_RESTRICT tile, const std::int32_t* HWY_RESTRICT least) {
  auto any = above(tile, least[0] - 1);
  for (std::size_t r = 1; r < kCodeRows; ++r) any = hn::Or(any, above(tile + r * kPanel, least[r] - 1));
  return !hn::AllFalse(Sums(), any);
}

// Which of a row's sums are at least as high as a limit, a bit each.
HWY_INLINE std::uint32_t near_bits(const std::int32_t* HWY_RESTRICT sums, std::int32_t least) {
  const Sums d;
  std::uint32_t bits = 0;
  for (std::size_t c = 0; c < kPanel; c += hn::Lanes(d)) {
    std::uint8_t some[8] = {};  // StoreMaskBits may write as many
    hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, sums + c), hn::Set(d, least - 1)), some);
    bits |= (std::uint32_t(some[0]) | std::uint32_t(some[1]) << 8) << c;
  }
  return bits;
}

// place_point of few places: those before a value are counted, which no branch has to guess.
HWY_INLINE void place_code(float value, std::uint32_t number, const NearestView& to) {
  constexpr std::size_t kFew = 64;
  if (to.keep > kFew) return place_point(value, number, to.keep, to.values, to.numbers);
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> counts;
  const auto limit = hn::Set(d, value);
  auto less = hn::Zero(counts);  // a count below 0
  std::size_t i = 0, at = 0;
  for (; i + hn::Lanes(d) <= to.keep; i += hn::Lanes(d))
    less = hn::Add(less, hn::BitCast(counts, hn::VecFromMask(d, hn::Lt(hn::LoadU(d, to.values + i), limit))));
  for (; i < to.keep; ++i) at += to.values[i] < value;
  at += std::size_t(-hn::GetLane(hn::SumOfLanes(counts, less)));
  while (at < to.keep && to.values[at] == value && to.numbers[at] < number) ++at;
  if (at == to.keep || (to.values[at] == value && to.numbers[at] == number)) return;
  const std::size_t moved = to.keep - 1 - at;
  std::memmove(to.values + at + 1, to.values + at, moved * sizeof(float));
  std::memmove(to.numbers + at + 1, to.numbers + at, moved * sizeof(std::uint32_t));
  to.values[at] = value;
  to.numbers[at] = number;
}

void nearest_of_codes(const SignedCodes& x, const CodePanels& points, std::uint32_t first, const std::uint32_t* self,
                      const NearestView& best) {
  alignas(64) std::int32_t tile[kCodeRows * kPanel];
  const CodeUnit& unit = points.unit();
  for (std::size_t row = 0; row < x.rows; row += kCodeRows) {
    const std::size_t rows = HWY_MIN(kCodeRows, x.rows - row);
    const std::int8_t* at[kCodeRows];
    std::int32_t least[kCodeRows];
    const auto look = [&](std::size_t r) {
      const NearestView to = best.slice(row + r);
      const float worst = to.values[to.keep - 1];
      least[r] = worst < float(-CodeUnit::kFar) ? -std::int32_t(worst) : CodeUnit::kFar;
    };
    for (std::size_t r = 0; r < kCodeRows; ++r) {
      at[r] = x.row(row + HWY_MIN(r, rows - 1));
      least[r] = -CodeUnit::kFar;  // rows that are none find nothing near
    }
    for (std::size_t r = 0; r < rows; ++r) look(r);
    for (std::size_t p = 0; p < points.panels(); ++p) {
      unit.multiply(at, points.panel(p), points.start(p), points.depth(), tile);
      if (!any_near(tile, least)) continue;
      for (std::size_t r = 0; r < rows; ++r) {
        const std::int32_t* sums = tile + r * kPanel;
        std::uint32_t near = near_bits(sums, least[r]);
        const NearestView to = best.slice(row + r);
        for (; near != 0; near &= near - 1) {
          const auto c = std::size_t(std::countr_zero(near));
          const auto number = std::uint32_t(first + p * kPanel + c);
          if (sums[c] >= least[r] && !(self && self[row + r] == number)) {
            place_code(-float(sums[c]), number, to);
            look(r);
          }
        }
      }
    }
  }
}

void gather_codes(const SignedCodes& x, std::span<const std::uint32_t> which, const CodePanels& points,
                  std::uint32_t first, const std::uint32_t* self, NearCodes& near) {
  alignas(64) std::int32_t tile[kCodeRows * kPanel];
  const CodeUnit& unit = points.unit();
  for (std::size_t begin = 0; begin < which.size(); begin += kCodeRows) {
    const std::size_t rows = HWY_MIN(kCodeRows, which.size() - begin);
    const std::uint32_t* row = which.data() + begin;
    const std::int8_t* at[kCodeRows];
    std::int32_t least[kCodeRows];
    for (std::size_t r = 0; r < kCodeRows; ++r) {
      at[r] = x.row(row[HWY_MIN(r, rows - 1)]);
      least[r] = r < rows ? near.least(row[r]) : -CodeUnit::kFar;  // rows that are none find nothing near
    }
    for (std::size_t p = 0; p < points.panels(); ++p) {
      unit.multiply(at, points.panel(p), points.start(p), points.depth(), tile);
      if (!any_near(tile, least)) continue;
      for (std::size_t r = 0; r < rows; ++r) {
        const std::int32_t* sums = tile + r * kPanel;
        std::uint32_t bits = near_bits(sums, least[r]);
        if (bits == 0) continue;
        std::int32_t* values = near.values(row[r]);
        std::uint32_t* numbers = near.numbers(row[r]);
        const std::uint32_t own = self ? self[row[r]] : kNoPoint;
        std::size_t count = near.count(row[r]);
        for (; bits != 0; bits &= bits - 1) {
          const auto c = std::uint32_t(std::countr_zero(bits)), number = std::uint32_t(first + p * kPanel) + c;
          values[count] = sums[c];
          numbers[count] = number;
          count += number != own;
        }
        near.count(row[r]) = std::uint32_t(count);
        if (count + kPanel <= near.room()) continue;
        near.leave_best(row[r]);
        least[r] = near.least(row[r]);
      }
    }
  }
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(nearest_of_codes);
HWY_EXPORT(gather_codes);

}  // namespace cpu

int SignedCodes::largest(std::size_t inputs) {
  constexpr double kMost = 1 << 24;
  return std::clamp(int(std::sqrt(kMost / (1.5 * double(std::max<std::size_t>(inputs, 1))))), 1, 127);
}

CodePanels::CodePanels(const SignedCodes& points, const CodeUnit& unit)
    : unit_(&unit), count_(points.rows), depth_(points.depth) {
  const std::size_t panels = (count_ + CodeUnit::kPanel - 1) / CodeUnit::kPanel, together = unit.together;
  values_.resize(panels * CodeUnit::kPanel * depth_);
  start_.resize(panels * CodeUnit::kPanel);
  for (std::size_t i = 0; i < start_.size(); ++i) {
    std::int8_t* to =
        values_.data() + i / CodeUnit::kPanel * CodeUnit::kPanel * depth_ + i % CodeUnit::kPanel * together;
    if (i >= count_) {
      for (std::size_t j = 0; j < depth_; j += together, to += CodeUnit::kPanel * together)
        std::fill_n(to, together, 0);
      start_[i] = 2 * CodeUnit::kFar;
      continue;
    }
    const std::int8_t* from = points.row(i);
    std::int32_t squares = 0;
    for (std::size_t j = 0; j < depth_; ++j) squares += std::int32_t(from[j]) * from[j];
    for (std::size_t j = 0; j < depth_; j += together, to += CodeUnit::kPanel * together)
      std::copy_n(from + j, together, to);
    start_[i] = -(squares / 2);
  }
}

void nearest_codes(const SignedCodes& x, const CodePanels& points, std::uint32_t first, const std::uint32_t* self,
                   const NearestView& best) {
  using namespace cpu;
  if (best.keep > 0) HWY_DYNAMIC_DISPATCH(nearest_of_codes)(x, points, first, self, best);
}

NearCodes::NearCodes(std::size_t rows, std::size_t keep)
    : keep_(keep),
      room_((2 * keep + 4 * CodeUnit::kPanel) / CodeUnit::kPanel * CodeUnit::kPanel),
      values_(rows * room_),
      numbers_(rows * room_),
      count_(rows),
      least_(rows, CodeUnit::kFar) {}

void NearCodes::meet(const SignedCodes& x, std::span<const std::uint32_t> which, const CodePanels& points,
                     std::uint32_t first, const std::uint32_t* self) {
  using namespace cpu;
  if (keep_ > 0) HWY_DYNAMIC_DISPATCH(gather_codes)(x, which, points, first, self, *this);
}

// Halves the range in which the last that stays lies until none but those that stay are above.
void NearCodes::leave_best(std::size_t row) {
  if (count_[row] <= keep_) return;
  std::int32_t* values = this->values(row);
  std::uint32_t* numbers = this->numbers(row);
  const std::size_t count = count_[row];
  const auto keep = std::int32_t(keep_);
  std::int32_t low = values[0], high = values[0];
  for (std::size_t i = 1; i < count; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  // At least as many as stay are not below `low`, fewer not below `high` + 1.
  while (low < high) {
    const std::int32_t middle = high - (high - low) / 2;
    std::int32_t above = 0;
    for (std::size_t i = 0; i < count; ++i) above += values[i] >= middle;
    if (above >= keep) low = middle;
    if (above <= keep) high = above < keep ? middle - 1 : middle;
  }
  std::int32_t equal = keep;  // how many of those at `low` stay
  for (std::size_t i = 0; i < count; ++i) equal -= values[i] > low;
  std::size_t left = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool same = values[i] == low, stays = values[i] > low || (same && equal > 0);
    values[left] = values[i];
    numbers[left] = numbers[i];
    equal -= same;
    left += stays;
  }
  count_[row] = std::uint32_t(left);
  least_[row] = low + 1;  // equal ones that come later stay away
}

void NearCodes::best_of(std::size_t row, float* values, std::uint32_t* numbers) {
  leave_best(row);
  for (std::size_t i = 0; i < count_[row]; ++i) {
    values[i] = -float(this->values(row)[i]);
    numbers[i] = this->numbers(row)[i];
  }
}

}  // namespace bochner
#endif
