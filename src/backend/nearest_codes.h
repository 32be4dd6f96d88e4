// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/nearest.h"
#include "base/aligned.h"

namespace bochner {

// Products of a few rows of signed bytes with a panel of points, exactly: one way for each kind of processor.
struct CodeUnit {
  static constexpr std::size_t kRows = 4, kPanel = 16;
  static constexpr std::int32_t kFar = -(1 << 25);  // below what any pair of rows has

  const char* name;
  bool (*available)();
  std::size_t together;  // inputs of a point that lie side by side in a panel
  // tile[r][c] = start[c] + x[r] . y[c]; start and tile begin at a cache line.
  void (*multiply)(const std::int8_t* const* x, const std::int8_t* panel, const std::int32_t* start, std::size_t depth,
                   std::int32_t* tile);
};
std::span<const CodeUnit* const> code_units();  // all of this build, the fastest first
const CodeUnit& code_unit();                    // the fastest that may be used here

// Rows of whole numbers from -largest to largest, one after the other.
struct SignedCodes {
  static constexpr std::size_t kDepth = 16;  // rows are padded to a multiple of it by zeros
  static constexpr std::size_t depth_of(std::size_t inputs) { return (inputs + kDepth - 1) / kDepth * kDepth; }
  // Values stay within 24 bits, which floats hold.
  static int largest(std::size_t inputs);

  const std::int8_t* values = nullptr;
  std::size_t rows = 0, depth = 0;

  const std::int8_t* row(std::size_t i) const { return values + i * depth; }
};

// Points that rows meet, some after each other in panels.
class CodePanels {
 public:
  CodePanels() = default;
  explicit CodePanels(const SignedCodes& points, const CodeUnit& unit = code_unit());

  std::size_t count() const { return count_; }
  std::size_t panels() const { return start_.size() / CodeUnit::kPanel; }
  std::size_t depth() const { return depth_; }
  const CodeUnit& unit() const { return *unit_; }
  const std::int8_t* panel(std::size_t p) const { return values_.data() + p * CodeUnit::kPanel * depth_; }
  const std::int32_t* start(std::size_t p) const { return start_.data() + p * CodeUnit::kPanel; }

 private:
  const CodeUnit* unit_ = nullptr;
  std::size_t count_ = 0, depth_ = 0;
  AlignedVector<std::int8_t> values_;  // [panels][depth / together][kPanel][together]
  AlignedVector<std::int32_t> start_;  // -(|y|^2 / 2, rounded down); behind the last point what nothing is near to
};

// Each row meets each point, whose numbers begin at `first`: value = |y|^2 / 2, rounded down, less x.y. self: the
// number that each row has and does not meet; null: none. Whole numbers: the same everywhere.
void nearest_codes(const SignedCodes& x, const CodePanels& points, std::uint32_t first, const std::uint32_t* self,
                   const NearestView& best);

// The same where each row meets points that are near to it at once and none twice: points are gathered, and the best of
// them are found when there is no room for more, which costs less than to keep them in order.
class NearCodes {
 public:
  NearCodes(std::size_t rows, std::size_t keep);
  // Some of the rows, by their numbers in x and self, meet points.
  void meet(const SignedCodes& x, std::span<const std::uint32_t> which, const CodePanels& points, std::uint32_t first,
            const std::uint32_t* self);
  // The best of a row, in no order; of equal ones those that were met first. Free places are left as they are.
  void best_of(std::size_t row, float* values, std::uint32_t* numbers);

  // For who gathers.
  std::size_t room() const { return room_; }
  std::int32_t* values(std::size_t row) { return values_.data() + row * room_; }
  std::uint32_t* numbers(std::size_t row) { return numbers_.data() + row * room_; }
  std::uint32_t& count(std::size_t row) { return count_[row]; }
  std::int32_t least(std::size_t row) const { return least_[row]; }  // below it no sum is looked at
  void leave_best(std::size_t row);

 private:
  std::size_t keep_, room_;
  AlignedVector<std::int32_t> values_;  // sums: values below 0
  AlignedVector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> count_;
  std::vector<std::int32_t> least_;
};

}  // namespace bochner
