// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bochner/archive.h"

namespace bochner {

struct PartRows {
  std::string name;
  std::uint64_t number = 0, rows = 0;
  auto operator<=>(const PartRows&) const = default;
};

// Where a sum of parts comes from.
struct SumOrigin {
  std::string name;                   // for messages: the file, or the part
  std::vector<PartRows> parts;        // ascending
  std::vector<std::string> machines;  // who summed, ascending; where it matters

  // Joins that of other rows. Error::Kind::data where a part is in both: its rows would count twice.
  void merge(const SumOrigin& other);
  void save_parts(Archive& archive) const;
  void load_parts(const Archive& archive);
  void load_machines(const Archive& archive);
};

// The one place that merges what was summed apart; what threads summed of a block joins in bochner/fold.h.
template <class F>
void merge_in_order(F& sum, std::span<const F> parts) {
  for (const F& part : parts) sum.merge(part);
}

// The same where rows have an origin: a part that is in both is refused.
template <class F>
void merge_part(F& sum, SumOrigin& origin, const F& part, const SumOrigin& from) {
  origin.merge(from);
  merge_in_order<F>(sum, {&part, 1});
}

}  // namespace bochner
