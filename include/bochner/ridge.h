// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

namespace bochner {

// min |Zw - y|^2 + lambda n |w|^2. For classes y is -1 or +1, one problem per class, all in one pass.
struct RidgeOptions {
  // How lambda is chosen among several. Leave-one-out is exact and free of luck but costs n D^2 for each lambda;
  // a hold-out costs D^3 / 3. Automatic takes the first where it is cheap.
  enum class Select { automatic, leave_one_out, hold_out };

  std::vector<double> lambdas = {};  // empty: searched; one: used as it is; several: the best of them
  Select select = Select::automatic;
  bool intercept = true;   // not penalised
  std::uint64_t seed = 0;  // which rows are held out
};

}  // namespace bochner
