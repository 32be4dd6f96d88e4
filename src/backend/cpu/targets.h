// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Include before any Highway header. The register tiles are arrays of vectors, which SVE's sizeless types
// cannot form; every SVE machine runs NEON, at the same rate on those with 4 x 128-bit or 2 x 256-bit units.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

// Highway's one-lane fallback, which g++ 12 gets on a plain x86-64, lacks the pairs and halves used here.
#if defined(__x86_64__) && !defined(__SSSE3__)
#error "bochner needs the vectors of x86-64-v2: give -march=x86-64-v2 or a newer one, or no -march at all"
#endif
