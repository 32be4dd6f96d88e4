// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Exact products by Intel's AMX: a tile has 64 rows of 16 columns in digits of 8 bits.

#include "backend/cpu/amx.h"
#include "backend/cpu/exact_blocks.h"
#include "backend/cpu/exact_units.h"

#ifdef BOCHNER_AMX
#ifndef __clang__  // g++ 12 takes the undefined vectors of its own intrinsics for a mistake
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#define BOCHNER_AVX512 __attribute__((target("avx512f,avx512bw")))
#endif

namespace bochner::cpu {

namespace {

constexpr std::size_t kSide = 16;                 // columns of a tile
constexpr std::size_t kTileRows = 64;             // rows of x in a tile
constexpr std::size_t kTile = kSide * kTileRows;  // its bytes
constexpr std::size_t kSums = kSide * kSide;

// A group of 64 rows of 32 columns, two tiles of each:
//   left[column][row of 64]               high digits, then low ones: what multiplies from the left
//   right[four rows][column][of the four] high digits, then low ones: what is multiplied
constexpr std::size_t kLeftHigh = 0, kLeftLow = 2 * kTile, kRightHigh = 4 * kTile, kRightLow = 6 * kTile;

constexpr std::size_t right_place(std::size_t row, std::size_t column) {
  return column / kSide * kTile + row / 4 * 4 * kSide + column % kSide * 4 + row % 4;
}

// The three terms of backend/whole.h for two tiles by two.
struct TileProducts {
  alignas(64) std::int32_t high[4][kSums], middle[4][kSums], low[4][kSums];
};

template <class Tiles>
struct TileKernel {
  static constexpr std::size_t kLeft = 2 * kSide, kRight = 2 * kSide, kGroup = kTileRows, kUnit = 8 * kTile, kStep = 0,
                               kDepth = kExactDepth;

  BOCHNER_TILE_TARGET static void multiply(const std::byte* a, const std::byte* b, std::size_t groups, std::int64_t* c,
                                           std::size_t stride) {
    TileProducts products;
    Tiles tiles;
    tiles.begin();
    clear(tiles);
    add(tiles, a + kLeftHigh, b + kRightHigh, groups);
    store(tiles, products.high);
    clear(tiles);
    add(tiles, a + kLeftHigh, b + kRightLow, groups);
    add(tiles, a + kLeftLow, b + kRightHigh, groups);
    store(tiles, products.middle);
    clear(tiles);
    add(tiles, a + kLeftLow, b + kRightLow, groups);
    store(tiles, products.low);
    tiles.end();
    Tiles::combine(products, c, stride);
  }

  BOCHNER_TILE_TARGET static void clear(Tiles& tiles) {
    tiles.template zero<0>();
    tiles.template zero<1>();
    tiles.template zero<2>();
    tiles.template zero<3>();
  }
  BOCHNER_TILE_TARGET static void add(Tiles& tiles, const std::byte* a, const std::byte* b, std::size_t groups) {
    for (std::size_t g = 0; g < groups; ++g, a += kUnit, b += kUnit) {
      tiles.template load<4>(a);
      tiles.template load<6>(b);
      tiles.template dot_digits<0, 4, 6>();
      tiles.template load<7>(b + kTile);
      tiles.template dot_digits<1, 4, 7>();
      tiles.template load<5>(a + kTile);
      tiles.template dot_digits<2, 5, 6>();
      tiles.template dot_digits<3, 5, 7>();
    }
  }
  BOCHNER_TILE_TARGET static void store(Tiles& tiles, std::int32_t (&to)[4][kSums]) {
    tiles.template store<0>(to[0]);
    tiles.template store<1>(to[1]);
    tiles.template store<2>(to[2]);
    tiles.template store<3>(to[3]);
  }

  static void put(MatrixView<const float> x, float per_unit, std::byte* unit) { Tiles::pack(x, per_unit, unit); }
};

// c += 2^14 high + 2^7 middle + low; inlined where it may be vectors.
__attribute__((always_inline)) inline void combine_terms(const TileProducts& from, std::int64_t* c,
                                                         std::size_t stride) {
  for (std::size_t i = 0; i < 2 * kSide; ++i)
    for (std::size_t h = 0; h < 2; ++h) {
      const std::size_t tile = i / kSide * 2 + h, at = i % kSide * kSide;
      std::int64_t* to = c + i * stride + h * kSide;
      for (std::size_t j = 0; j < kSide; ++j) {
        const std::int32_t rest = from.middle[tile][at + j] * 128 + from.low[tile][at + j];
        to[j] += std::int64_t{from.high[tile][at + j]} * 0x4000 + rest;
      }
    }
}

void put_digits(MatrixView<const float> x, float per_unit, std::byte* unit) {
  std::int16_t q[kTileRows][2 * kSide];
  whole_group(x, per_unit, q);
  auto* to = reinterpret_cast<std::int8_t*>(unit);
  for (std::size_t k = 0; k < kTileRows; ++k)
    for (std::size_t j = 0; j < 2 * kSide; ++j) {
      const std::size_t tile = j / kSide * kTile, left = tile + j % kSide * kTileRows + k;
      const std::size_t right = right_place(k, j);
      to[kLeftHigh + left] = to[kRightHigh + right] = std::int8_t(high_digit(q[k][j]));
      to[kLeftLow + left] = to[kRightLow + right] = std::int8_t(low_digit(q[k][j]));
    }
}

struct TilesInCode {
  void begin() {}
  void end() {}
  template <int kSum>
  void zero() {
    std::fill_n(sums[kSum], kSums, 0);
  }
  template <int kFactor>
  void load(const void* from) {
    std::copy_n(static_cast<const std::int8_t*>(from), kTile, factors[kFactor - 4]);
  }
  template <int kSum, int kLeft, int kRight>
  void dot_digits() {
    const std::int8_t* left = factors[kLeft - 4];
    const std::int8_t* right = factors[kRight - 4];
    for (std::size_t i = 0; i < kSide; ++i)
      for (std::size_t k = 0; k < kTileRows; ++k)
        for (std::size_t j = 0; j < kSide; ++j)
          sums[kSum][i * kSide + j] += left[i * kTileRows + k] * right[k / 4 * 4 * kSide + 4 * j + k % 4];
  }
  template <int kSum>
  void store(void* to) {
    std::copy_n(sums[kSum], kSums, static_cast<std::int32_t*>(to));
  }
  static void combine(const TileProducts& from, std::int64_t* c, std::size_t stride) { combine_terms(from, c, stride); }
  static void pack(MatrixView<const float> x, float per_unit, std::byte* unit) { put_digits(x, per_unit, unit); }

  std::int32_t sums[4][kSums];
  std::int8_t factors[4][kTile];
};

#ifdef BOCHNER_AMX
// 16 lines of 16 numbers of 4 bytes, transposed.
BOCHNER_AVX512 inline void transpose(const __m512i (&in)[16], std::byte* out) {
  __m512i t[16], u[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(in[i], in[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(in[i], in[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    u[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    u[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    u[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    u[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (int j = 0; j < 4; ++j) {
    const __m512i x = _mm512_shuffle_i32x4(u[j], u[4 + j], 0x88), y = _mm512_shuffle_i32x4(u[j], u[4 + j], 0xdd);
    const __m512i z = _mm512_shuffle_i32x4(u[8 + j], u[12 + j], 0x88);
    const __m512i w = _mm512_shuffle_i32x4(u[8 + j], u[12 + j], 0xdd);
    _mm512_storeu_si512(out + 64 * j, _mm512_shuffle_i32x4(x, z, 0x88));
    _mm512_storeu_si512(out + 64 * (4 + j), _mm512_shuffle_i32x4(y, w, 0x88));
    _mm512_storeu_si512(out + 64 * (8 + j), _mm512_shuffle_i32x4(x, z, 0xdd));
    _mm512_storeu_si512(out + 64 * (12 + j), _mm512_shuffle_i32x4(y, w, 0xdd));
  }
}

// One tile's columns: made whole, split into digits, four rows side by side, and transposed.
BOCHNER_AVX512 inline void put_tile(MatrixView<const float> x, float per_unit, std::byte* unit) {
  const __m512 factor = _mm512_set1_ps(per_unit), most = _mm512_set1_ps(float(kMostWhole));
  const __m512 least = _mm512_set1_ps(-float(kMostWhole));
  const auto columns = __mmask16((1u << x.cols) - 1);
  const __m512i half = _mm512_set1_epi16(64), byte = _mm512_set1_epi16(0xff);
  __m512i high[16], low[16];
  for (std::size_t g = 0; g < 16; ++g) {
    __m512i q[4];
    for (std::size_t r = 0; r < 4; ++r) {
      q[r] = _mm512_setzero_si512();
      if (4 * g + r >= x.rows) continue;
      const __m512 scaled = _mm512_mul_ps(_mm512_maskz_loadu_ps(columns, x.row(4 * g + r)), factor);
      q[r] = _mm512_cvtps_epi32(_mm512_max_ps(_mm512_min_ps(scaled, most), least));
    }
    const __m512i even = _mm512_mask_blend_epi16(0xaaaaaaaa, q[0], _mm512_slli_epi32(q[2], 16));  // rows 0 and 2
    const __m512i odd = _mm512_mask_blend_epi16(0xaaaaaaaa, q[1], _mm512_slli_epi32(q[3], 16));   // rows 1 and 3
    const __m512i high_even = _mm512_srai_epi16(_mm512_add_epi16(even, half), 7);
    const __m512i high_odd = _mm512_srai_epi16(_mm512_add_epi16(odd, half), 7);
    const __m512i low_even = _mm512_sub_epi16(even, _mm512_slli_epi16(high_even, 7));
    const __m512i low_odd = _mm512_sub_epi16(odd, _mm512_slli_epi16(high_odd, 7));
    high[g] = _mm512_or_si512(_mm512_and_si512(high_even, byte), _mm512_slli_epi16(high_odd, 8));
    low[g] = _mm512_or_si512(_mm512_and_si512(low_even, byte), _mm512_slli_epi16(low_odd, 8));
  }
  for (std::size_t g = 0; g < 16; ++g) {
    _mm512_storeu_si512(unit + kRightHigh + 64 * g, high[g]);
    _mm512_storeu_si512(unit + kRightLow + 64 * g, low[g]);
  }
  transpose(high, unit + kLeftHigh);
  transpose(low, unit + kLeftLow);
}

struct ExactAmxTiles : AmxTiles {
  BOCHNER_AVX512 static void combine(const TileProducts& from, std::int64_t* c, std::size_t stride) {
    combine_terms(from, c, stride);
  }
  BOCHNER_AVX512 static void pack(MatrixView<const float> x, float per_unit, std::byte* unit) {
    for (std::size_t j = 0; j < 2 * kSide; j += kSide)
      put_tile({x.data + j, x.rows, j < x.cols ? std::min(kSide, x.cols - j) : 0, x.stride}, per_unit,
               unit + j / kSide * kTile);
  }
};

bool has_amx_int8() {
  constexpr unsigned kInt8 = 1u << 25;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && has_amx(kInt8);
}
#else
bool never() { return false; }
#endif

bool always() { return true; }

}  // namespace

#ifdef BOCHNER_AMX
const ExactProduct kExactAmx = exact_product_of<TileKernel<ExactAmxTiles>>("amx", has_amx_int8);
#else
const ExactProduct kExactAmx = exact_product_of<TileKernel<TilesInCode>>("amx", never);
#endif
const ExactProduct kExactAmxInCode = exact_product_of<TileKernel<TilesInCode>>("amx in code", always, true);

}  // namespace bochner::cpu
