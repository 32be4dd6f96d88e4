// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/target_size.h"

#include <fmt/format.h>

#include "base/option.h"
#include "base/require.h"

namespace bochner {

namespace {

// 1 / most .. most in size, or 0.
bool lies_within(double largest, double most) { return largest == 0 || (largest >= 1 / most && largest <= most); }

}  // namespace

void check_target_size(const std::string& name, double largest, Precision precision) {
  constexpr double kMostInFloat = 1e36, kMostInDouble = 1e145;  // predictions; squares
  const bool in_float = precision == Precision::float32;
  const double most = in_float ? kMostInFloat : kMostInDouble;
  if (lies_within(largest, most)) return;
  const bool double_helps = in_float && lies_within(largest, kMostInDouble);
  fail(Error::Kind::data,
       "target {}: found at most {:.3g} in size, expected {:g} to {:g} in {}; divide the targets by their unit{}", name,
       largest, 1 / most, most, in_float ? "float" : "double",
       double_helps ? fmt::format(", or train with {}", Option::double_precision) : "");
}

}  // namespace bochner
