// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "backend/workers.h"
#include "bochner/rows.h"

namespace bochner {

// One pass over rows that have lost their offsets: visit(first, x) for each block, dense and in double, after float has
// rounded it unless the rows are wide.
void read_doubles(Rows& rows, bool wide, const Execution& execution, const std::string& step,
                  const std::function<void(std::size_t first, MatrixView<const double> x)>& visit);

// At most so many of the rows, those with the smallest of random keys and in the order of these. Error::Kind::data if
// there are none.
Matrix<double> drawn_background(Rows& rows, bool wide, const Execution& execution, std::size_t most,
                                std::uint64_t seed);

// work(begin, count) for pieces of n things, each on one thread.
void in_turn(const Workers& on, std::size_t n, std::size_t at_once,
             const std::function<void(std::size_t begin, std::size_t count)>& work);

}  // namespace bochner
