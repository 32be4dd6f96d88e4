// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstdint>

#include "backend/turns.h"

// The arithmetic of the device, one number at a time and in the processor's order, so that the bits are the
// processor's. The host compiles it too: tests/backend/cuda_numbers_test.cc holds it against the operations.
#ifdef __CUDACC__
#define BOCHNER_BOTH __host__ __device__ inline
#else
#define BOCHNER_BOTH inline
#endif

namespace bochner::cuda {

// scale * TurnsPolynomials, each product rounded.
struct TurnsCoefficients {
  static constexpr int kCount = 5;
  float p[kCount], q[kCount];
};
inline TurnsCoefficients turns_coefficients(float scale) {
  TurnsCoefficients c;
  for (int k = 0; k < TurnsCoefficients::kCount; ++k) {
    c.p[k] = scale * TurnsPolynomials<float>::kP[k];
    c.q[k] = scale * TurnsPolynomials<float>::kQ[k];
  }
  return c;
}

BOCHNER_BOTH float polynomial(const float (&c)[TurnsCoefficients::kCount], float t) {
  float sum = fmaf(c[4], t, c[3]);
  sum = fmaf(sum, t, c[2]);
  sum = fmaf(sum, t, c[1]);
  return fmaf(sum, t, c[0]);
}

// scale * cos(2 pi r), and scale * sin(2 pi r): backend/cpu/turns-inl.h.
BOCHNER_BOTH float cosine_of_turns(const TurnsCoefficients& c, float r) {
  const float g = 0.25f - fabsf(r - rintf(r));
  return polynomial(c.p, fmaf(-g, g, 0.0625f)) * g;
}
BOCHNER_BOTH float sine_of_turns(const TurnsCoefficients& c, float r) {
  const float f = r - rintf(r), g = 0.25f - fabsf(f), t = fmaf(-g, g, 0.0625f);
  return polynomial(c.q, t) * copysignf(t, f);
}

// backend/whole.h
constexpr int kMostDigits = 127 * 128;
BOCHNER_BOTH std::int32_t whole(float x, float per_unit) {
  const float scaled = x * per_unit;
  const float clamped = fminf(fmaxf(scaled, -float(kMostDigits)), float(kMostDigits));
  return std::int32_t(rintf(clamped));
}
BOCHNER_BOTH std::int8_t high_of(std::int32_t q) { return std::int8_t((q + 64) >> 7); }
BOCHNER_BOTH std::int8_t low_of(std::int32_t q) { return std::int8_t(q - 128 * ((q + 64) >> 7)); }

}  // namespace bochner::cuda
