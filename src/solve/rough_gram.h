// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

#include "backend/workers.h"
#include "base/aligned.h"
#include "base/tiled_symmetric.h"

namespace bochner {

// g += b^T b for preconditioners, which tolerate what others do not: where the processor multiplies bfloat16, several
// times faster than float, b is rounded to it. The relative error of an entry of b is 2^-9, as if 2^-19 of the mean
// diagonal were added to the diagonal of g: far below lambda n. `rounded` false: in float always.
class RoughGram {
 public:
  explicit RoughGram(bool rounded = true);

  void add(const Workers& on, MatrixView<const float> b, TiledSymmetric<double>& g);

 private:
  bool rounded_;
  AlignedVector<std::byte> packed_;
};

}  // namespace bochner
