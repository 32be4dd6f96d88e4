// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   const Model model = train(*rows, {.ridge = {.lambdas = {1e-6, 1e-4}, .solver = RidgeOptions::Solver::cg}});

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bochner {

// min |Zw - y|^2 + lambda n |w|^2. For classes y is -1 or +1, one problem per class, all in one pass.
struct RidgeOptions {
  // How lambda is chosen among several. Leave-one-out is exact and free of luck but costs n D^2 for each lambda;
  // a hold-out costs D^3 / 3. Automatic takes the first where it is cheap.
  enum class Select { automatic, leave_one_out, hold_out };
  // Cholesky: one pass and n D^2, exact. Cg: conjugate gradients preconditioned by a sketch, a dozen passes and 4 D^3;
  // lambda by hold-out. Dual: the n x n products of rows instead of the D x D ones of features, exact, for fewer rows
  // than features; lambda by leave-one-out. Automatic takes what is forecast to be faster.
  enum class Solver { automatic, cholesky, cg, dual };

  std::vector<double> lambdas = {};  // empty: searched; one: used as it is; several: the best of them
  Select select = Select::automatic;
  Solver solver = Solver::automatic;
  double tolerance = 1e-4;       // cg: how far the objective may stay above its minimum, as a fraction of it
  std::size_t most_steps = 200;  // cg: passes for one solution; not getting there is in the report
  bool intercept = true;         // not penalised
  // Keep the inverse factor of the features that Model::deviation() takes, D^2 / 2 numbers: by Cholesky, for numbers.
  // The automatic machine heeds it too.
  bool deviation = false;
  std::uint64_t seed = 0;  // which rows are held out
};

}  // namespace bochner
