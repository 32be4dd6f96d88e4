// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <vector>

namespace bochner {

// A rule for integrals from 0 to 1: sum_i weights[i] f(nodes[i]).
struct UnitRule {
  std::vector<double> nodes, weights;
};

// Gauss-Legendre with n nodes: exact for polynomials of degree 2n - 1.
UnitRule gauss_legendre(std::size_t n);

}  // namespace bochner
