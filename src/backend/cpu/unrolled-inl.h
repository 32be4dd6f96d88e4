// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// No guard: included in a namespace for each set of instructions, so that what it holds may use them.

// Needed on every lambda that sees vectors: a call would put them in memory.
#undef BOCHNER_INLINE
#define BOCHNER_INLINE __attribute__((always_inline))

// step(0), ..., step(N - 1), each index a constant: only so does GCC keep arrays of vectors in registers.
template <std::size_t N, class Step>
BOCHNER_INLINE inline void unrolled(const Step& step) {
  [&]<std::size_t... I>(std::index_sequence<I...>) BOCHNER_INLINE {
    (step(std::integral_constant<std::size_t, I>()), ...);
  }
  (std::make_index_sequence<N>());
}
