// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   // mpirun starts this program on every rank.
//   const std::unique_ptr<Ranks> ranks = mpi_ranks();
//   const auto rows = open_on_ranks({"a.csv", "b.csv"}, {.targets = {"y"}}, *ranks);
//   const Model model = train(*rows, {.features = 100, .execution = {.ranks = ranks.get()}});
//   if (ranks->rank() == 0) model.save("ranks.model");

#include <memory>

#include "bochner/ranks.h"

namespace bochner {

// The processes that mpirun started, by libbochner_mpi.so, which begins MPI if the program has not and ends it then.
// Sums travel as bytes up and down a tree. Error::Kind::io if there is no such library, or MPI fails.
std::unique_ptr<Ranks> mpi_ranks();

}  // namespace bochner
