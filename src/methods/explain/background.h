// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "run/stream.h"

namespace bochner {

// At most so many of the rows of a stream, as double, those with the smallest of random keys and in the order of these:
// the same for any threads and blocks. Error::Kind::data if there are none.
Matrix<double> drawn_background(const Stream& unmapped, std::size_t inputs, std::size_t most, std::uint64_t seed);

}  // namespace bochner
