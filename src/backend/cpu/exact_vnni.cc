// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Exact products by AVX512_VNNI. The loop is written over a few operations on vectors of 16 sums, which that has as
// instructions; a model of plain arrays lets every machine test the loop.

#include <cstring>

#include "backend/cpu/exact_blocks.h"
#include "backend/cpu/exact_units.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#define BOCHNER_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#include <immintrin.h>
#endif

namespace bochner::cpu {

namespace {

namespace in_code {

struct Vectors {
  struct V {
    std::uint32_t lanes[16];
  };
  static std::int32_t four_bytes(const std::byte* from) {
    std::int32_t bits;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
  }
  static V zero() { return {}; }
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
  static V add_words(V sum, V a, V b) {
    for (std::size_t i = 0; i < 16; ++i)
      for (int shift = 0; shift < 32; shift += 16)
        sum.lanes[i] += std::uint32_t(std::int16_t(a.lanes[i] >> shift) * std::int16_t(b.lanes[i] >> shift));
    return sum;
  }
  static V add_bytes(V sum, V a, V b) {
    for (std::size_t i = 0; i < 16; ++i)
      for (int shift = 0; shift < 32; shift += 8)
        sum.lanes[i] += std::uint32_t(std::uint8_t(a.lanes[i] >> shift) * std::int8_t(b.lanes[i] >> shift));
    return sum;
  }
  static V subtract(V a, V b) {
    for (std::size_t i = 0; i < 16; ++i) a.lanes[i] -= b.lanes[i];
    return a;
  }
  static void add_wide(V high, V sum, std::int64_t* c) {
    for (std::size_t i = 0; i < 16; ++i)
      c[i] += std::int64_t{std::int32_t(high.lanes[i])} * 0x4000 + std::int32_t(sum.lanes[i] - (high.lanes[i] << 14));
  }
};

#define BOCHNER_EXACT_TARGET
#include "backend/cpu/exact_vnni-inl.h"
#undef BOCHNER_EXACT_TARGET

bool always() { return true; }

}  // namespace in_code

#ifdef BOCHNER_VNNI
namespace vnni {

struct Vectors {
  using V = __m512i;
  static std::int32_t four_bytes(const std::byte* from) { return in_code::Vectors::four_bytes(from); }
  BOCHNER_VNNI static V zero() { return _mm512_setzero_si512(); }
  BOCHNER_VNNI static V all(std::int32_t bits) { return _mm512_set1_epi32(bits); }
  BOCHNER_VNNI static V load(const std::byte* from) { return _mm512_load_si512(from); }
  BOCHNER_VNNI static V add_words(V sum, V a, V b) { return _mm512_dpwssd_epi32(sum, a, b); }
  BOCHNER_VNNI static V add_bytes(V sum, V a, V b) { return _mm512_dpbusd_epi32(sum, a, b); }  // a has no sign
  BOCHNER_VNNI static V subtract(V a, V b) { return _mm512_sub_epi32(a, b); }
  BOCHNER_VNNI static void add_wide(V high, V sum, std::int64_t* c) {
    const V rest = _mm512_sub_epi32(sum, _mm512_slli_epi32(high, 14));
    const auto add = [&](__m256i upper, __m256i lower, std::int64_t* to) BOCHNER_VNNI {
      const V wide =
          _mm512_add_epi64(_mm512_slli_epi64(_mm512_cvtepi32_epi64(upper), 14), _mm512_cvtepi32_epi64(lower));
      _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(to), wide));
    };
    add(_mm512_castsi512_si256(high), _mm512_castsi512_si256(rest), c);
    add(_mm512_extracti64x4_epi64(high, 1), _mm512_extracti64x4_epi64(rest, 1), c + 8);
  }
};

#define BOCHNER_EXACT_TARGET BOCHNER_VNNI
#include "backend/cpu/exact_vnni-inl.h"
#undef BOCHNER_EXACT_TARGET

bool available() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

}  // namespace vnni
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
