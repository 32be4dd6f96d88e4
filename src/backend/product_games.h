// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>

namespace bochner {

// Games whose coalitions S are worth v(S) = prod_{j in S} e_j prod_{j not in S} o_j, kTogether of them at a time, e and
// o complex or real. The Shapley value of player j is
//   (e_j - o_j) integral from 0 to 1 of prod_{k != j} (t e_k + (1 - t) o_k) dt,
// a polynomial of degree players - 1 in t, so that players / 2 nodes of Gauss-Legendre, rounded up, are exact. The
// interaction index of players i and j has both their factors taken out of the product. Each number is one chain of
// operations in an order that depends on no vector width.
struct ProductGames {
  static constexpr std::size_t kTogether = 32;

  std::size_t players = 0;
  std::span<const double> nodes, weights;  // rule of the integral
  // [player][kTogether]; im: null if the factors are real.
  const double* in_re = nullptr;
  const double* in_im = nullptr;
  const double* out_re = nullptr;
  const double* out_im = nullptr;
};

// Numbers of scratch memory that one call takes.
inline std::size_t product_scratch(std::size_t players) { return (6 * players + 2) * ProductGames::kTogether; }

// shares: [player][kTogether], their imaginary parts behind all the real ones if the factors are complex.
void product_shares(const ProductGames& games, double* scratch, double* shares);

// shares: [pair][kTogether] likewise, pairs i < j in the order (0, 1), (0, 2), ..., (1, 2), ...
void product_pair_shares(const ProductGames& games, double* scratch, double* shares);

}  // namespace bochner
