// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <limits>

namespace bochner {

// Half the deviance of Tweedie's laws, whose variance grows as mean^p (Jorgensen 1987), for y >= 0 and mean > 0:
//   y log(y/m) - y + m                                          p = 1, Poisson
//   y/m - 1 - log(y/m)                                          p = 2, Gamma
//   y^(2-p) / ((1-p)(2-p)) - y m^(1-p) / (1-p) + m^(2-p) / (2-p)  between
// It is 0 where y = m, and never less.

// The summand that does not know the mean.
inline double tweedie_own(double y, double p) {
  if (p == 1) return y > 0 ? y * std::log(y) - y : y == 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  if (p == 2) return -1 - std::log(y);
  return std::pow(y, 2 - p) / ((1 - p) * (2 - p));
}

// The other two, at a score u = log m, which is -infinity where nothing is expected.
inline double tweedie_of_mean(double y, double u, double p) {
  if (p == 2) return y * std::exp(-u) + u;
  if (p == 1) return std::exp(u) - (y == 0 ? 0 : y * u);
  return std::exp((2 - p) * u) / (2 - p) - (y == 0 ? 0 : y * std::exp((1 - p) * u) / (1 - p));
}

inline double half_deviance(double y, double mean, double p) {
  return tweedie_own(y, p) + tweedie_of_mean(y, std::log(mean), p);
}

}  // namespace bochner
