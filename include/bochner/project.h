// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const MapPtr map = project(100000, {.kind = ProjectOptions::Kind::sign, .dims = 1000, .seed = 1});
//   Matrix<float> x(10, 100000);
//   const Matrix<float> y = transform<float>(map, x.view());         // distances are kept, about
//   const MapPtr back = map->inverse(map);                           // least squares
//   std::printf("%g", projection_variance(100000, {.dims = 1000}));  // variance of |f(u)|^2, |u| = 1

#include <cstddef>
#include <cstdint>
#include <string>

#include "bochner/map.h"

namespace bochner {

// A random projection f(u) = sqrt(1/k) R^T u from d inputs to k = dims outputs, with E|f(u)|^2 = |u|^2. Every entry of
// R is a function of the seed and its place: nothing is stored in a model file.
//   gaussian    N(0, 1)
//   sign        +-1 (Achlioptas 2003)
//   sparse      +-sqrt(s), each with probability 1 / (2 s), otherwise 0; density 1 / s, by default 1/3
//               (Achlioptas 2003)
//   verysparse  the same with s = sqrt(d) (Li, Hastie & Church 2006)
//   fastjl      N(0, 1/q) with probability q, otherwise 0, after random signs and a Hadamard transform (Ailon &
//               Chazelle 2009); density q, by default min(1, eps^(l-2) ln(points)^l / d) for the norm l of outputs.
//               With l = 2, |f(u)|_2 is about |u|_2; with l = 1 the outputs are read by sqrt(pi / 2k) |f(u)|_1, about
//               |u|_2 too and a little below on average, since an output sums few entries
//   srht        k outputs of a Hadamard transform after random signs, without repetition (Ailon & Liberty 2009)
//   hash        one +-1 of each input (CountSketch), or `signs` of them, divided by its root, one in each of as many
//               parts of the outputs (OSNAP; Nelson & Nguyen 2013)
struct ProjectOptions {
  enum class Kind { gaussian, sign, sparse, verysparse, fastjl, srht, hash };
  // Memory for speed; the numbers are the same.
  //   automatic  the matrix where it takes little memory or much time to draw, otherwise the seed
  //   matrix     entries are drawn once and kept: those of sign as bits; those of sparse, verysparse and hash as 2
  //   bits,
  //              or as a list of the ones that are not 0 if that is less
  //   seed       entries are drawn anew for every block of rows
  enum class Store { automatic, matrix, seed };

  Kind kind = Kind::sign;
  std::size_t dims = 1;
  std::uint64_t seed = 0;
  double density = 0;      // sparse, verysparse, fastjl: share of entries that are not 0; 0: as above
  std::size_t signs = 1;   // hash
  std::size_t points = 0;  // fastjl: rows whose distances count, for the density; 0: 10000
  int norm = 2;            // fastjl: 1 or 2, the norm that outputs are read by: for the density, and for check()
  Store store = Store::automatic;
};
MapPtr project(std::size_t inputs, const ProjectOptions& options);

// The variance of |f(u)|^2 over seeds, for |u|_2 = 1 and the given sum of u_j^4.
double projection_variance(std::size_t inputs, const ProjectOptions& options, double sum_of_fourth_powers = 0);

// Bytes that Store::matrix takes for rows of float.
double projection_bytes(std::size_t inputs, const ProjectOptions& options);

// "gaussian", "sign", ... and back; std::invalid_argument for another word.
std::string projection_name(ProjectOptions::Kind kind);
ProjectOptions::Kind parse_projection_name(const std::string& text);
std::string store_name(ProjectOptions::Store store);  // "automatic", "matrix", "seed"
ProjectOptions::Store parse_store_name(const std::string& text);

}  // namespace bochner
