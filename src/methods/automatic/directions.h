// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>

#include "backend/workers.h"
#include "bochner/matrix.h"

namespace bochner {

// Inputs among which a metric learns directions of its own. Of more it learns them among the leading ones.
inline constexpr std::size_t kMostDirections = 512;

// W P, P the leading principal directions of some of the rows W'x listed: of very many inputs these hold nearly all of
// the distances. The same bits on every machine.
Matrix<double> leading_directions(const Workers& on, MatrixView<const float> x, std::span<const std::uint32_t> rows,
                                  const Matrix<double>& W, std::uint64_t seed);

}  // namespace bochner
