// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Arm's instructions for products of bytes. They are asked for function by function and only called where the processor
// has them.

#pragma once

#if defined(__aarch64__) && defined(__linux__) && defined(__GNUC__)
#define BOCHNER_ARM_UNITS
#include <arm_neon.h>
#include <sys/auxv.h>

namespace bochner::cpu {

// Clang has the intrinsics only where all of a file may use them; GCC keeps the sums in registers only with them.
#ifdef __clang__
#define BOCHNER_I8MM __attribute__((target("i8mm")))
#define BOCHNER_DOTPROD __attribute__((target("dotprod")))
BOCHNER_I8MM inline void add_squares(int32x4_t& sum, int8x16_t a, int8x16_t b) {
  asm("smmla %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(a), "w"(b));
}
template <int kLane>
BOCHNER_DOTPROD inline void add_dots(int32x4_t& sum, int8x16_t a, int8x16_t b) {
  asm("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(sum) : "w"(b), "w"(a), "i"(kLane));
}
BOCHNER_DOTPROD inline void add_own_dots(uint32x4_t& sum, uint8x16_t a) {
  asm("udot %0.4s, %1.16b, %1.16b" : "+w"(sum) : "w"(a));
}
#else
#define BOCHNER_I8MM __attribute__((target("arch=armv8.2-a+i8mm")))
#define BOCHNER_DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))
BOCHNER_I8MM inline void add_squares(int32x4_t& sum, int8x16_t a, int8x16_t b) { sum = vmmlaq_s32(sum, a, b); }
template <int kLane>
BOCHNER_DOTPROD inline void add_dots(int32x4_t& sum, int8x16_t a, int8x16_t b) {
  sum = vdotq_laneq_s32(sum, b, a, kLane);
}
BOCHNER_DOTPROD inline void add_own_dots(uint32x4_t& sum, uint8x16_t a) { sum = vdotq_u32(sum, a, a); }
#endif

inline bool has_i8mm() {
  constexpr unsigned long kI8mm = 1ul << 13;  // HWCAP2_I8MM
  return getauxval(AT_HWCAP2) & kI8mm;
}
inline bool has_dotprod() {
  constexpr unsigned long kDotprod = 1ul << 20;  // HWCAP_ASIMDDP
  return getauxval(AT_HWCAP) & kDotprod;
}

}  // namespace bochner::cpu
#endif
