// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

#include "backend/workers.h"
#include "base/aligned.h"
#include "base/tiled_symmetric.h"

namespace bochner {

// g += b^T b for preconditioners, which tolerate what others do not: b is rounded.
class RoughGram {
 public:
  //   floats: not rounded.
  //   bfloat16: where the processor multiplies that, several times faster than float; otherwise as floats. The relative
  //     error of an entry of b is 2^-9, as if 2^-19 of the mean diagonal were added to the diagonal of g: far below
  //     lambda n.
  //   whole: to 1 / 16256 of the largest entry of b, and then exact (backend/exact_product.h): the same bits on every
  //     machine, and less rounding than bfloat16's at up to twice its time.
  enum class Numbers { floats, bfloat16, whole };

  explicit RoughGram(Numbers numbers) : numbers_(numbers) {}

  void add(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g);

 private:
  void add_bfloat16(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g);
  void add_whole(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g);

  Numbers numbers_;
  AlignedVector<std::byte> packed_;
};

}  // namespace bochner
