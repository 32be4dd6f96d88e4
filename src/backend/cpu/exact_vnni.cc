// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Exact products by AVX512_VNNI. The loop is written over a few operations on vectors of 16 sums, which that has as
// instructions; a model of plain arrays lets every machine test the loop.

#include <hwy/base.h>

#include <cstring>
#include <utility>

#include "backend/cpu/exact_blocks.h"
#include "backend/cpu/exact_units.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#define BOCHNER_VNNI "avx512f,avx512bw,avx512vl,avx512vnni"
#ifndef __clang__  // g++ 12 takes the undefined vectors of its own intrinsics for a mistake
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#endif

namespace bochner::cpu {

namespace {

namespace in_code {

struct Vectors {
  struct V {
    std::uint32_t lanes[16];
  };
  using Sums = V;
  static std::int32_t four_bytes(const std::byte* from) {
    std::int32_t bits;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
  }
  static Sums zero() { return {}; }
  static V all(std::int32_t bits) {
    V v;
    std::fill_n(v.lanes, 16, std::uint32_t(bits));
    return v;
  }
  static V load(const std::byte* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  static Sums add_words(Sums sum, V a, V b) {
    for (std::size_t i = 0; i < 16; ++i)
      for (int shift = 0; shift < 32; shift += 16)
        sum.lanes[i] += std::uint32_t(std::int16_t(a.lanes[i] >> shift) * std::int16_t(b.lanes[i] >> shift));
    return sum;
  }
  static Sums add_bytes(Sums sum, V a, V b) {
    for (std::size_t i = 0; i < 16; ++i)
      for (int shift = 0; shift < 32; shift += 8)
        sum.lanes[i] += std::uint32_t(std::uint8_t(a.lanes[i] >> shift) * std::int8_t(b.lanes[i] >> shift));
    return sum;
  }
  static Sums subtract(Sums a, Sums b) {
    for (std::size_t i = 0; i < 16; ++i) a.lanes[i] -= b.lanes[i];
    return a;
  }
  static void add_wide(Sums high, Sums sum, std::int64_t* c) {
    for (std::size_t i = 0; i < 16; ++i)
      c[i] += std::int64_t{std::int32_t(high.lanes[i])} * 0x4000 + std::int32_t(sum.lanes[i] - (high.lanes[i] << 14));
  }
};

#include "backend/cpu/exact_vnni-inl.h"

bool always() { return true; }

}  // namespace in_code

#ifdef BOCHNER_VNNI
HWY_PUSH_ATTRIBUTES(BOCHNER_VNNI)
namespace vnni {

struct Vectors {
  using V = __m512i;
  using Sums = __v16si;  // as the instructions have them: g++ moves sums of another type to and fro
  static std::int32_t four_bytes(const std::byte* from) { return in_code::Vectors::four_bytes(from); }
  static Sums zero() { return Sums(_mm512_setzero_si512()); }
  static V all(std::int32_t bits) { return _mm512_set1_epi32(bits); }
  static V load(const std::byte* from) { return _mm512_loadu_si512(from); }
  static Sums add_words(Sums sum, V a, V b) { return Sums(_mm512_dpwssd_epi32(V(sum), a, b)); }
  static Sums add_bytes(Sums sum, V a, V b) { return Sums(_mm512_dpbusd_epi32(V(sum), a, b)); }  // a has no sign
  static Sums subtract(Sums a, Sums b) { return a - b; }
  static void add_wide(Sums high_sums, Sums sum, std::int64_t* c) {
    const V high = V(high_sums), rest = _mm512_sub_epi32(V(sum), _mm512_slli_epi32(high, 14));
    const auto add = [&](__m256i upper, __m256i lower, std::int64_t* to) {
      const V wide =
          _mm512_add_epi64(_mm512_slli_epi64(_mm512_cvtepi32_epi64(upper), 14), _mm512_cvtepi32_epi64(lower));
      _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(to), wide));
    };
    add(_mm512_castsi512_si256(high), _mm512_castsi512_si256(rest), c);
    add(_mm512_extracti64x4_epi64(high, 1), _mm512_extracti64x4_epi64(rest, 1), c + 8);
  }
};

#include "backend/cpu/exact_vnni-inl.h"

bool available() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

}  // namespace vnni
HWY_POP_ATTRIBUTES
#else
bool never() { return false; }
#endif

}  // namespace

#ifdef BOCHNER_VNNI
const ExactProduct kExactVnni = exact_product_of<vnni::VnniKernel>("vnni", vnni::available);
#else
const ExactProduct kExactVnni = exact_product_of<in_code::VnniKernel>("vnni", never);
#endif
const ExactProduct kExactVnniInCode = exact_product_of<in_code::VnniKernel>("vnni in code", in_code::always, true);

}  // namespace bochner::cpu
