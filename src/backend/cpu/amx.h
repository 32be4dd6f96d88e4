// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Intel's AMX (Sapphire Rapids and later): a tile is 16 lines of 64 bytes, and one instruction adds the product of two
// to a third of 16 x 16 numbers. Loops are written over these operations, so that a model of plain arrays lets every
// machine test them.

#include <cstdint>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#define BOCHNER_AMX 1
// Clang's assembler wants to be told; the code is only called where the processor has it.
#define BOCHNER_TILE_TARGET __attribute__((target("amx-tile,amx-bf16,amx-int8")))
#else
#define BOCHNER_TILE_TARGET
#endif

namespace bochner::cpu {

// The processor has the tiles and what they multiply (a bit of EDX of CPUID 7), the system saves them, and this process
// may use them.
bool has_amx(unsigned multiplies);

#ifdef BOCHNER_AMX
// Tiles 0 to 3 are sums, 4 and 5 left factors, 6 and 7 right ones. GCC's intrinsics do not say that they read memory;
// these do.
struct AmxTiles {
  BOCHNER_TILE_TARGET void begin() {
    alignas(64) std::uint8_t config[64] = {};  // palette 1, then at 16 the bytes of a line and at 48 the lines of each
    config[0] = 1;
    for (int tile = 0; tile < 8; ++tile) {
      config[16 + 2 * tile] = 64;
      config[48 + tile] = 16;
    }
    asm volatile("ldtilecfg %0" : : "m"(config) : "memory");
  }
  BOCHNER_TILE_TARGET void end() { asm volatile("tilerelease" : : : "memory"); }
  template <int kSum>
  BOCHNER_TILE_TARGET void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kSum));
  }
  template <int kFactor>
  BOCHNER_TILE_TARGET void load(const void* from) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(kFactor), "r"(from), "r"(64L) : "memory");
  }
  template <int kSum, int kLeft, int kRight>
  BOCHNER_TILE_TARGET void dot_bfloat16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kLeft), "i"(kRight));
  }
  template <int kSum, int kLeft, int kRight>
  BOCHNER_TILE_TARGET void dot_digits() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kLeft), "i"(kRight));
  }
  template <int kSum>
  BOCHNER_TILE_TARGET void store(void* to) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(kSum), "r"(to), "r"(64L) : "memory");
  }
};
#endif

}  // namespace bochner::cpu
