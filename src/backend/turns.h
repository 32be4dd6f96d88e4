// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

namespace bochner {

// Polynomials in t = 1/16 - g^2 for |g| <= 1/4:
//   sin(2 pi g) = g (p0 + p1 t + p2 t^2 + ...),  cos(2 pi g) = t (q0 + q1 t + q2 t^2 + ...).
// Minimax, each coefficient rounded before the rest was fitted anew; approximation errors 4e-9 and 7e-10 (float),
// 3e-19 and 5e-18 (double). All are positive, so nothing cancels; p0 = 4 stays exact when multiplied by a scale.
template <class T>
struct TurnsPolynomials;
template <>
struct TurnsPolynomials<float> {
  static constexpr float kP[] = {4, 0x1.fffff6p+4f, 0x1.10b28cp+6f, 0x1.0aae24p+6f, 0x1.3c05f2p+5f};
  static constexpr float kQ[] = {0x1.921fb6p+3f, 0x1.921f90p+5f, 0x1.1d944ep+6f, 0x1.a275eep+5f, 0x1.930cd6p+4f};
};
template <>
struct TurnsPolynomials<double> {
  static constexpr double kP[] = {4,
                                  32,
                                  0x1.10b0cd906e899p+6,
                                  0x1.0b0cd906e7295p+6,
                                  0x1.2c79afab4ece2p+5,
                                  0x1.b707815117886p+3,
                                  0x1.c22b598858c0bp+1,
                                  0x1.55b036ad0bee6p-1,
                                  0x1.9bfdb85030a36p-4};
  static constexpr double kQ[] = {0x1.921fb54442d14p+3, 0x1.921fb54442f3bp+5, 0x1.1d8f9b8790051p+6,
                                  0x1.a37b407a2139dp+5, 0x1.7996a1750c71ap+4, 0x1.cbc14feb1a29ep+2,
                                  0x1.93c5f998fa9b8p+0, 0x1.16816fc5ca009p-2};
};

}  // namespace bochner
