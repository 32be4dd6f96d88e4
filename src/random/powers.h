// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>

#include "random/elementary.h"

namespace bochner {

// Powers whose bits do not depend on a vendor's libm, for what is chosen on every machine alike. Within a few ulp;
// whole powers of 2 are exact.
inline double portable_exp2(double x) {  // |x| <= 1000
  constexpr double kLn2 = 0.6931471805599453;
  const double whole = std::nearbyint(x);
  return std::ldexp(portable_exp((x - whole) * kLn2), int(whole));
}

inline double portable_log2(double x) {  // x >= 2^-1022
  constexpr double kLn2 = 0.6931471805599453;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // 1/2 <= fraction < 1
  return double(exponent - 1) + portable_log(2 * fraction) / kLn2;
}

inline double portable_exp_negative(double x) { return x < -700 ? 0 : portable_exp(x); }  // x <= 0

inline double portable_power(double x, double p) { return portable_exp(p * portable_log(x)); }  // x^p in exp's range

}  // namespace bochner
