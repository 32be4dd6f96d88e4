// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "random/elementary.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace bochner {

namespace {

constexpr double kLn2High = 6.93147180369123816490e-01;  // 33 bits, so that n * kLn2High is exact
constexpr double kLn2Low = 1.90821492927058770002e-10;

// a[0] + a[1] r + ... by Horner.
template <std::size_t N>
double polynomial(const double (&a)[N], double r) {
  double sum = a[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * r + a[i];
  return sum;
}

// The method and the minimax coefficients of Sun's fdlibm: x = 2^k (1 + f), s = f / (2 + f),
//   log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)).
// `rest` is added, at the place where small numbers are.
double log_and_rest(double x, double rest) {
  std::uint64_t word = std::bit_cast<std::uint64_t>(x);
  // Adding the distance from sqrt(1/2) to 1 carries into the exponent exactly when the mantissa exceeds sqrt(2).
  word += 0x3ff0000000000000 - 0x3fe6a09e667f3bcd;
  const double k = double(std::int64_t(word >> 52) - 1023);
  const double f = std::bit_cast<double>((word & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd) - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double r = z * polynomial({6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                   2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                   1.479819860511658591e-01},
                                  z);
  const double half = 0.5 * f * f;
  return k * kLn2High - ((half - (s * (half + r) + (k * kLn2Low + rest))) - f);
}

}  // namespace

double portable_log(double x) {
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  if (x < std::numeric_limits<double>::min()) return log_and_rest(x * 0x1p54, 0) - 54 * (kLn2High + kLn2Low);
  return log_and_rest(x, 0);
}

// log(y + e) = log y + e / y, where e is what rounding y = 1 + x lost.
double portable_log1p(double x) {
  if (!std::isfinite(x)) return x;
  const double y = 1 + x;
  return log_and_rest(y, (x - (y - 1)) / y);
}

// fdlibm again: x = k ln 2 + r, exp(r) = 1 + r + r c / (2 - c).
double portable_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.782712893383973096) return std::numeric_limits<double>::infinity();
  if (x < -745.133219101941108420) return 0;
  const double k = std::floor(x * 1.44269504088896338700 + 0.5);
  const double high = x - k * kLn2High;
  const double low = k * kLn2Low;
  const double r = high - low;
  const double t = r * r;
  const double c =
      r - t * polynomial({1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
                          -1.65339022054652515390e-06, 4.13813679705723846039e-08},
                         t);
  const double y = 1 - ((low - r * c / (2 - c)) - high);
  // 2^k in two steps, since the exponent of the largest and least results is not that of a normal number.
  const auto power = [](std::int64_t e) { return std::bit_cast<double>(std::uint64_t(e + 1023) << 52); };
  const std::int64_t half = std::int64_t(k) / 2;
  return y * power(half) * power(std::int64_t(k) - half);
}

// Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 1988, PPND16.
double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q *
           polynomial(
               {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
                4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
               r) /
           polynomial(
               {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
                2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
               r);
  }
  double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  double tail;
  if (r <= 5) {
    r -= 1.6;
    tail = polynomial({1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
                       3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
                       2.27238449892691845833e-2, 7.74545014278341407640e-4},
                      r) /
           polynomial({1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
                       1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
                       1.05075007164441684324e-9},
                      r);
  } else {
    r -= 5;
    tail = polynomial({6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
                       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                       2.71155556874348757815e-5, 2.01033439929228813265e-7},
                      r) /
           polynomial({1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                       7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                       2.04426310338993978564e-15},
                      r);
  }
  return q < 0 ? -tail : tail;
}

namespace {

constexpr double kPi = 3.14159265358979323846;

// Taylor series for |y| <= pi / 4, last term first: the next one is below 1e-19.
double sin_small(double y) {
  const double t = y * y;
  double sum = 0;
  for (int n = 19; n >= 3; n -= 2) sum = (1 + sum) * (-t / (n * (n - 1)));
  return y + y * sum;
}
double cos_small(double y) {
  const double t = y * y;
  double sum = 0;
  for (int n = 20; n >= 2; n -= 2) sum = (1 + sum) * (-t / (n * (n - 1)));
  return 1 + sum;
}

}  // namespace

double portable_sin_pi(double x) {
  if (x < 0) return -portable_sin_pi(-x);
  if (x > 0.5) x = 1 - x;
  return x <= 0.25 ? sin_small(kPi * x) : cos_small(kPi * (0.5 - x));
}

double portable_cos_pi(double x) {
  if (x < 0) x = -x;
  return x <= 0.25 ? cos_small(kPi * x) : sin_small(kPi * (0.5 - x));
}

}  // namespace bochner
