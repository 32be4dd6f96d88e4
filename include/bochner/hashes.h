// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const double near = collision_probability(HashFamily::stable, 0.5, 2);  // |x - y| = 0.5, cells of width 2
//   const double far = collision_probability(HashFamily::stable, 4, 2);
//   const int functions = 8, tables = 20;
//   std::printf("%g %g", 1 - std::pow(1 - std::pow(near, functions), tables), std::pow(far, functions));

#include <cstddef>
#include <string>

namespace bochner {

// Locality-sensitive hashes: near rows often have the same value, far ones seldom.
//   stable         floor((a.x + b) / w), a normal: Euclidean distances (Datar, Immorlica, Indyk & Mirrokni 2004)
//   cauchy         the same, a Cauchy: sums of absolute differences, of 0 and 1 the inputs that differ
//   hyperplane     the sign of a.x: angles (Charikar 2002)
//   crosspolytope  which of kPolytope coordinates of the row, turned at random by Hadamard transforms, is the largest,
//                  and its sign: angles (Andoni, Indyk, Laarhoven, Razenshteyn & Schmidt 2015)
//   minhash        the member of a set that comes first in a random order: Jaccard's similarity (Broder 1997)
enum class HashFamily { stable, cauchy, hyperplane, crosspolytope, minhash };
inline constexpr std::size_t kPolytope = 16;

std::string hash_name(HashFamily family);
HashFamily parse_hash_name(const std::string& text);  // std::invalid_argument for another word

// The share of all functions of a family that have the same value for two rows at a distance: |x - y|_2, |x - y|_1,
// 1 - cosine, 1 - Jaccard's similarity. width: of the cells of stable and cauchy. Of crosspolytope by quadrature for
// normal directions, to about 0.001.
double collision_probability(HashFamily family, double distance, double width = 1);

}  // namespace bochner
