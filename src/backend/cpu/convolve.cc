// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/convolve.h"

#include "backend/cpu/target_choice.h"
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/convolve.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/tile-inl.h"

// Rows lie side by side in a cache line, so that no vector is shuffled. A real factor x is transformed as the complex
// one of half its size, x_even + i x_odd. Forward transforms leave their entries in bit-reversed order, from which the
// inverse begins. Loads and stores cost more than sums, so that two levels are done at once.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
class Convolution {
  static constexpr std::size_t kLine = kConvolvedRows<T>;
  using D = hn::CappedTag<T, kLine>;
  using V = hn::Vec<D>;
  static constexpr std::size_t kLanes = hn::MaxLanes(D()), kVectors = kLine / kLanes;

  struct Complex {
    V re, im;
  };

 public:
  Convolution(std::size_t size, const T* turns) : half_(size / 2), turns_(turns) {}

  void run(T* factors, std::size_t count) const {
    if (half_ == 0) return multiply_single(factors, count);
    for (std::size_t k = 0; k < count; ++k) forward(even(factors, k), odd(factors, k), half_, 2);
    multiply(factors, count);
    inverse(even(factors, 0), odd(factors, 0), half_, 2);
  }

 private:
  T* even(T* factors, std::size_t k) const { return factors + 2 * k * half_ * kLine; }
  T* odd(T* factors, std::size_t k) const { return even(factors, k) + half_ * kLine; }

  static HWY_INLINE Complex load(const T* re, const T* im, std::size_t at) {
    return {hn::LoadU(D(), re + at), hn::LoadU(D(), im + at)};
  }
  static HWY_INLINE void store(Complex x, T* re, T* im, std::size_t at) {
    hn::StoreU(x.re, D(), re + at);
    hn::StoreU(x.im, D(), im + at);
  }
  static HWY_INLINE Complex sum(Complex x, Complex y) { return {hn::Add(x.re, y.re), hn::Add(x.im, y.im)}; }
  static HWY_INLINE Complex difference(Complex x, Complex y) { return {hn::Sub(x.re, y.re), hn::Sub(x.im, y.im)}; }
  static HWY_INLINE Complex product(Complex x, Complex y) {
    return {fused_subtract(x.im, y.im, hn::Mul(x.re, y.re)), fused_add(x.re, y.im, hn::Mul(x.im, y.re))};
  }
  // exp(2 pi i k / size), its conjugate for a sign of -1.
  HWY_INLINE Complex turn(std::size_t k, T sign) const {
    return {hn::Set(D(), turns_[k]), hn::Set(D(), sign * turns_[half_ + k])};
  }

  static HWY_INLINE Complex turned(Complex x) { return {hn::Neg(x.im), x.re}; }  // i x

  // (a, b) -> (a + b, (a - b) w) of entries n / 2 apart, w = exp(-2 pi i k step / size).
  void split(T* HWY_RESTRICT re, T* HWY_RESTRICT im, std::size_t n, std::size_t step) const {
    for (std::size_t k = 0; k < n / 2; ++k) {
      const Complex w = turn(k * step, T(-1));
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        const std::size_t at = k * kLine + v * kLanes, other = at + n / 2 * kLine;
        const Complex a = load(re, im, at), b = load(re, im, other);
        store(sum(a, b), re, im, at);
        store(product(difference(a, b), w), re, im, other);
      });
    }
  }
  // The same, then again within each half.
  void split_twice(T* HWY_RESTRICT re, T* HWY_RESTRICT im, std::size_t n, std::size_t step) const {
    const std::size_t apart = n / 4 * kLine;
    for (std::size_t k = 0; k < n / 4; ++k) {
      const Complex w = turn(k * step, T(-1)), w2 = turn(2 * k * step, T(-1));
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        const std::size_t at = k * kLine + v * kLanes;
        const Complex a = load(re, im, at), b = load(re, im, at + apart), c = load(re, im, at + 2 * apart),
                      d = load(re, im, at + 3 * apart);
        const Complex even = sum(a, c), odd = sum(b, d), rest = difference(a, c),
                      turned_rest = turned(difference(d, b));
        store(sum(even, odd), re, im, at);
        store(product(difference(even, odd), w2), re, im, at + apart);
        store(product(sum(rest, turned_rest), w), re, im, at + 2 * apart);
        store(product(product(difference(rest, turned_rest), w), w2), re, im, at + 3 * apart);
      });
    }
  }
  void forward(T* re, T* im, std::size_t n, std::size_t step) const {
    if (n < 2) return;
    const std::size_t parts = hwy::FloorLog2(n) % 2 ? 2 : 4;
    parts == 2 ? split(re, im, n, step) : split_twice(re, im, n, step);
    for (std::size_t part = 0; part < parts && n > parts; ++part)
      forward(re + part * n / parts * kLine, im + part * n / parts * kLine, n / parts, parts * step);
  }

  // (a, b) -> (a + b w, a - b w), w = exp(2 pi i k step / size).
  void join(T* HWY_RESTRICT re, T* HWY_RESTRICT im, std::size_t n, std::size_t step) const {
    for (std::size_t k = 0; k < n / 2; ++k) {
      const Complex w = turn(k * step, T(1));
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        const std::size_t at = k * kLine + v * kLanes, other = at + n / 2 * kLine;
        const Complex a = load(re, im, at), b = product(load(re, im, other), w);
        store(sum(a, b), re, im, at);
        store(difference(a, b), re, im, other);
      });
    }
  }
  // The same within each half, and then of the halves.
  void join_twice(T* HWY_RESTRICT re, T* HWY_RESTRICT im, std::size_t n, std::size_t step) const {
    const std::size_t apart = n / 4 * kLine;
    for (std::size_t k = 0; k < n / 4; ++k) {
      const Complex w = turn(k * step, T(1)), w2 = turn(2 * k * step, T(1));
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        const std::size_t at = k * kLine + v * kLanes;
        const Complex a = load(re, im, at), b = product(load(re, im, at + apart), w2), c = load(re, im, at + 2 * apart),
                      d = product(load(re, im, at + 3 * apart), w2);
        const Complex low = sum(a, b), high = difference(a, b), rest = product(sum(c, d), w),
                      turned_rest = turned(product(difference(c, d), w));
        store(sum(low, rest), re, im, at);
        store(sum(high, turned_rest), re, im, at + apart);
        store(difference(low, rest), re, im, at + 2 * apart);
        store(difference(high, turned_rest), re, im, at + 3 * apart);
      });
    }
  }
  void inverse(T* re, T* im, std::size_t n, std::size_t step) const {
    if (n < 2) return;
    const std::size_t parts = hwy::FloorLog2(n) % 2 ? 2 : 4;
    for (std::size_t part = 0; part < parts && n > parts; ++part)
      inverse(re + part * n / parts * kLine, im + part * n / parts * kLine, n / parts, parts * step);
    parts == 2 ? join(re, im, n, step) : join_twice(re, im, n, step);
  }

  // The transforms of the even and the odd entries, E and O, are in that of x_even + i x_odd, F:
  //   2 E_k = F_k + conj F_-k,  2 O_k = (F_k - conj F_-k) / i,  X_k = E_k + w^k O_k,  X_(k + size / 2) = E_k - w^k O_k
  // with w = exp(-2 pi i / size). X is multiplied over the factors, and back again. In bit-reversed order -k lies where
  // all bits below the highest of k's place are turned over.
  void multiply(T* factors, std::size_t count) const {
    for (std::size_t place = 0, k = 0; place < half_; ++place, k = next_reversed(k)) {
      const std::size_t mirror = place ? place ^ ((std::size_t(1) << hwy::FloorLog2(place)) - 1) : 0;
      if (mirror < place) continue;
      const Complex w = turn(k, T(-1)), back = turn(k, T(1));
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        const std::size_t at = place * kLine + v * kLanes, other = mirror * kLine + v * kLanes;
        Complex low{hn::Zero(D()), hn::Zero(D())}, high = low;
        for (std::size_t i = 0; i < count; ++i) {
          const Complex f = load(even(factors, i), odd(factors, i), at),
                        g = load(even(factors, i), odd(factors, i), other);
          const Complex e = {hn::Add(f.re, g.re), hn::Sub(f.im, g.im)};
          const Complex o = product({hn::Add(f.im, g.im), hn::Sub(g.re, f.re)}, w);
          low = i ? product(low, sum(e, o)) : sum(e, o);
          high = i ? product(high, difference(e, o)) : difference(e, o);
        }
        const Complex e = sum(low, high), o = product(difference(low, high), back);
        store({hn::Sub(e.re, o.im), hn::Add(e.im, o.re)}, factors, odd(factors, 0), at);
        store({hn::Add(e.re, o.im), hn::Sub(o.re, e.im)}, factors, odd(factors, 0), other);
      });
    }
  }
  // k + 1 where both are read from the last bit to the first.
  std::size_t next_reversed(std::size_t k) const {
    std::size_t bit = half_ / 2;
    for (; k & bit; bit /= 2) k ^= bit;
    return k | bit;
  }

  void multiply_single(T* factors, std::size_t count) const {
    for (std::size_t l = 0; l < kLine; ++l) {
      T all = 1;
      for (std::size_t i = 0; i < count; ++i) all *= 2 * factors[i * kLine + l];
      factors[l] = all;
    }
  }

  std::size_t half_;  // half the size
  const T* turns_;
};

void convolve_float(float* factors, std::size_t count, std::size_t size, const float* turns) {
  Convolution<float>(size, turns).run(factors, count);
}
void convolve_double(double* factors, std::size_t count, std::size_t size, const double* turns) {
  Convolution<double>(size, turns).run(factors, count);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(convolve_float);
HWY_EXPORT(convolve_double);

namespace {
void dispatch(float* factors, std::size_t count, std::size_t size, const float* turns) {
  HWY_DYNAMIC_DISPATCH(convolve_float)(factors, count, size, turns);
}
void dispatch(double* factors, std::size_t count, std::size_t size, const double* turns) {
  HWY_DYNAMIC_DISPATCH(convolve_double)(factors, count, size, turns);
}
}  // namespace
}  // namespace cpu

template <class T>
void convolve(T* factors, std::size_t count, std::size_t size, const T* turns) {
  cpu::choose_target();
  cpu::dispatch(factors, count, size, turns);
}

template void convolve(float*, std::size_t, std::size_t, const float*);
template void convolve(double*, std::size_t, std::size_t, const double*);

}  // namespace bochner
#endif
