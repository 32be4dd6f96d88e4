// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "backend/cuda/numbers.h"
#include "backend/problems.h"
#include "backend/whole.h"

namespace bochner {
namespace {

using testing::Block;

// The arithmetic of the GPU, by the host's compiler: the processor's bits.
TEST(CudaNumbers, FeaturesHaveTheProcessorsBits) {
  for (const bool shifted : {false, true})
    for (const std::size_t d : {1, 3, 54, 65}) {
      const std::size_t frequencies = 83, rows = 50;
      const Block<float> x(rows, d, 1);
      const FourierWeights<float> w = testing::weights<float>(d, frequencies, shifted, 2);
      const auto expected = testing::fourier(cpu_backend(), x.dense, w);
      const cuda::TurnsCoefficients turns = cuda::turns_coefficients(w.scale);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t f = 0; f < frequencies; ++f) {
          float sum = shifted ? w.phase[f] : 0;
          for (std::size_t j = 0; j < d; ++j)
            sum = std::fma(x.dense.values[i * x.dense.stride + j], w.panels[(f / 16 * d + j) * 16 + f % 16], sum);
          ASSERT_EQ(std::bit_cast<std::uint32_t>(cuda::cosine_of_turns(turns, sum)),
                    std::bit_cast<std::uint32_t>(expected(i, f)))
              << i << ' ' << f;
          if (shifted) continue;
          ASSERT_EQ(std::bit_cast<std::uint32_t>(cuda::sine_of_turns(turns, sum)),
                    std::bit_cast<std::uint32_t>(expected(i, frequencies + f)))
              << i << ' ' << f;
        }
    }
}

TEST(CudaNumbers, DigitsAreThoseOfWholeNumbers) {
  for (int step = -70000; step <= 70000; ++step) {
    const float x = float(step) / 4;
    const std::int32_t q = to_whole(x, 1);
    ASSERT_EQ(cuda::whole(x, 1), q) << x;
    ASSERT_EQ(cuda::high_of(q), high_digit(q)) << q;
    ASSERT_EQ(cuda::low_of(q), low_digit(q)) << q;
    ASSERT_EQ(cuda::whole(x, 0.37f), to_whole(x, 0.37f)) << x;
  }
}

}  // namespace
}  // namespace bochner
