// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const double near = collision_probability(HashFamily::stable, 0.5, 2);  // |x - y| = 0.5, cells of width 2
//   const double far = collision_probability(HashFamily::stable, 4, 2);
//   const int functions = 8, tables = 20;
//   std::printf("%g %g", 1 - std::pow(1 - std::pow(near, functions), tables), std::pow(far, functions));

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bochner/execution.h"

namespace bochner {

class Rows;

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

// How often functions of a family have the same value for pairs of rows, beside the closed form, from near to far.
struct HashCheck {
  struct Band {
    double distance = 0, found = 0, expected = 0;  // means over its pairs
    double deviation = 0;                          // standard deviation of `found`, by the number of functions
  };
  HashFamily family = HashFamily::stable;
  double width = 1;
  std::size_t functions = 0, pairs = 0;
  std::vector<Band> bands = {};
  double worst = 0;  // |found - expected| of a band

  std::string text() const;
};
// Checks up to 400 of the rows, by as many functions as asked for or a few more.
HashCheck check_hash(Rows& rows, HashFamily family, std::size_t functions = 2000, std::uint64_t seed = 0,
                     const Execution& execution = {});

}  // namespace bochner
