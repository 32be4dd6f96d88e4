// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>

namespace bochner {

// What a draw is for: draws of different purposes are independent.
enum class Draw : std::uint32_t {
  frequency = 1,  // normal of input j of frequency i
  phase,          // b of feature i
  radius,         // the chi-square or Gamma of frequency i (matern, rational quadratic)
  sample,         // which rows a sample takes
  holdout,        // which rows are held out
  sketch,         // bucket and sign of a row in a sketch
  pitch,          // binning: pitch of input j of grid i
  shift,          // binning: shift of input j of grid i
  subset,         // binning: which inputs a grid looks at
  candidate,
  landmark,  // nystroem: which rows become landmarks
  visit,     // the order rows are taken in
  split,     // which rows are kept for a test, and which fold a row is in
  entry,     // projections: input i, output j
  flip,      // signs before a Hadamard transform: i the transform, j 128 inputs
  pick,      // which outputs of a transform are taken
  stable,    // the stable and uniform draws of a frequency, beside those above
  tree,      // forests: component k of direction j of tree i
};

// A draw is a pure function of (seed, purpose, i, j, k): the same on every thread, machine and device.
// Philox 4x32-10 under; +, -, *, / and square root only, built with -ffp-contract=off.
std::uint64_t bits(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j = 0, std::uint64_t k = 0);
double uniform(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j = 0, std::uint64_t k = 0);  // (0, 1)
double normal(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j = 0, std::uint64_t k = 0);
double exponential(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j = 0, std::uint64_t k = 0);
double cauchy_draw(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j = 0);
double laplace_draw(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j = 0);
// The 128 bits of one coordinate, for who makes several draws of them, and the uniform in (0, 1) of a word's upper 52.
struct DrawWords {
  std::uint64_t first, second;
};
DrawWords draw_words(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j = 0, std::uint64_t k = 0);
double word_uniform(std::uint64_t word);
double word_normal(std::uint64_t word);
// Gamma(shape, scale 1), any shape > 0.
double gamma_draw(std::uint64_t seed, Draw purpose, double shape, std::uint64_t i, std::uint64_t j = 0);

}  // namespace bochner
