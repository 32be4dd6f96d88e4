// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>

#include "base/aligned.h"
#include "base/threads.h"
#include "base/tiled_symmetric.h"

namespace bochner {

// g += b^T b for preconditioners, which tolerate what others do not: where the processor multiplies bfloat16 (Arm's
// BFMMLA, four times the rate of float), b is rounded to it. The relative error of an entry of b is 2^-9, as if
// 2^-19 of the mean diagonal were added to the diagonal of g: far below lambda n. `rounded` false: in float always.
class RoughGram {
 public:
  explicit RoughGram(bool rounded = true);

  void add(MatrixView<const float> b, TiledSymmetric<double>& g, Threads& threads);

 private:
  void add_rounded(MatrixView<const float> b, TiledSymmetric<double>& g, Threads& threads);

  bool rounded_;
  AlignedVector<std::uint16_t> packed_;
};

}  // namespace bochner
