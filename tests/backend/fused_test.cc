// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Every target's fused multiply-add against the C library's, where targets promise one.

#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/fused_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/fused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void fused(const T* a, const T* b, const T* c, std::size_t n, T* sum, T* difference) {
  const hn::ScalableTag<T> d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, a + i), y = hn::LoadU(d, b + i), z = hn::LoadU(d, c + i);
    hn::StoreU(fused_add(x, y, z), d, sum + i);
    hn::StoreU(fused_subtract(x, y, z), d, difference + i);
  }
}
void fused_float(const float* a, const float* b, const float* c, std::size_t n, float* sum, float* difference) {
  fused(a, b, c, n, sum, difference);
}
void fused_double(const double* a, const double* b, const double* c, std::size_t n, double* sum, double* difference) {
  fused(a, b, c, n, sum, difference);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "backend/problems.h"
#include "random/draw.h"

namespace bochner::cpu {

HWY_EXPORT(fused_float);
HWY_EXPORT(fused_double);

namespace {

void run(const float* a, const float* b, const float* c, std::size_t n, float* sum, float* difference) {
  HWY_DYNAMIC_DISPATCH(fused_float)(a, b, c, n, sum, difference);
}
void run(const double* a, const double* b, const double* c, std::size_t n, double* sum, double* difference) {
  HWY_DYNAMIC_DISPATCH(fused_double)(a, b, c, n, sum, difference);
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Triples whose sums come out in every way: far apart, nearly cancelling, halfway between two numbers or next to it,
// too small or too large for a normal number, and no numbers.
template <class T>
void make_triples(std::vector<T>& a, std::vector<T>& b, std::vector<T>& c) {
  constexpr int kDigits = std::numeric_limits<T>::digits, kExponent = std::numeric_limits<T>::max_exponent;
  const auto draw = [](std::size_t i, std::size_t what) { return uniform(3, Draw::frequency, i, what); };
  for (std::size_t i = 0; i < 200000; ++i) {
    const int spread = i % 4 == 3 ? kExponent : 30;
    const auto number = [&](std::size_t what) {
      return std::ldexp(T(2 * draw(i, what) - 1), int((2 * draw(i, what + 10) - 1) * spread));
    };
    T x = number(0), y = number(1), z = number(2);
    if (i % 4 == 1) z = -x * y * (1 + T(i % 3) * std::numeric_limits<T>::epsilon());
    if (i % 4 == 2) {  // x y is just above or below half a unit of z
      x = std::ldexp(T(1), -kDigits) * (1 + T(int(i % 5) - 2) * std::numeric_limits<T>::epsilon());
      y = 1 + T(int(i / 5 % 5) - 2) * std::numeric_limits<T>::epsilon();
      z = (i / 25 % 2 ? -1 : 1) * (1 + T(i / 50 % 7) * std::numeric_limits<T>::epsilon());
    }
    a.push_back(x);
    b.push_back(y);
    c.push_back(z);
  }
  const T inf = std::numeric_limits<T>::infinity();
  const T special[] = {0,
                       T(-0.0),
                       1,
                       inf,
                       -inf,
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::denorm_min()};
  for (const T x : special)
    for (const T y : special)
      for (const T z : special) {
        a.push_back(x);
        b.push_back(y);
        c.push_back(z);
      }
}

template <class T>
void check() {
  std::vector<T> a, b, c;
  make_triples(a, b, c);
  std::vector<T> sum(a.size()), difference(a.size());
  ASSERT_EQ(a.size() % 16, 0u);
  testing::for_each_target([&](const std::string& target) {
    if (!testing::fuses(target)) return;
    run(a.data(), b.data(), c.data(), a.size(), sum.data(), difference.data());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const T wanted[] = {std::fma(a[i], b[i], c[i]), std::fma(-a[i], b[i], c[i])}, found[] = {sum[i], difference[i]};
      for (std::size_t k = 0; k < 2; ++k) {
        if (std::isnan(wanted[k]) && std::isnan(found[k])) continue;
        ASSERT_EQ(std::bit_cast<Bits<T>>(found[k]), std::bit_cast<Bits<T>>(wanted[k]))
            << target << ": " << a[i] << " * " << b[i] << " + " << c[i];
      }
    }
  });
}

TEST(Fused, FloatIsRoundedOnceOnEveryTarget) { check<float>(); }
TEST(Fused, DoubleIsRoundedOnceOnEveryTarget) { check<double>(); }

}  // namespace
}  // namespace bochner::cpu

#endif
