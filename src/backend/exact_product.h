// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>

#include "bochner/matrix.h"

namespace bochner {

class Backend;

// A block operation, as those of backend/backend.h: sum += q(a)^T q(b) without any rounding, where q makes numbers
// whole, see backend/whole.h. The same integers in any order and on every machine.
struct ExactProduct {
  const char* name;
  bool (*available)();  // this processor has it and the system grants it

  // Columns are packed once, in a layout of its own, into bytes that begin at a cache line, and then meet any others of
  // as many rows: a has sum.rows columns, b has sum.cols. Numbers are finite.
  std::size_t (*bytes)(std::size_t rows, std::size_t cols);
  // Rows may come in parts and from several threads: x are those from `first` on, a multiple of `group`, of `rows`.
  std::size_t group;
  void (*pack_part)(MatrixView<const float> x, float per_unit, std::size_t first, std::size_t rows, std::byte* packed);
  void pack(MatrixView<const float> x, float per_unit, std::byte* packed) const {
    pack_part(x, per_unit, 0, x.rows, packed);
  }
  // Where a is b, the sum is symmetric, and half the work is done.
  void (*add)(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<std::int64_t> sum);
  bool in_code = false;  // the loop of another over plain arrays: everywhere, for tests
};

// Plain loops for reference_backend(), otherwise the fastest of this processor.
const ExactProduct& exact_product(const Backend& on);

}  // namespace bochner
