// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <string_view>

#include "backend/cpu/bfloat16_units.h"
#include "backend/cpu/operations.h"
#include "backend/cpu/target_choice.h"

namespace bochner::cpu {

std::span<const Bfloat16Unit* const> bfloat16_units() {
  static constexpr const Bfloat16Unit* kUnits[] = {&kAmx, &kAvx512Bf16, &kBfmmla, &kTilesInCode};
  return kUnits;
}

const Bfloat16Unit& bfloat16_unit() {
  static const Bfloat16Unit& chosen = []() -> const Bfloat16Unit& {
    for (const Bfloat16Unit* unit : bfloat16_units())
      if (unit != &kTilesInCode && may_use(unit->name) && unit->available()) return *unit;
    return kTilesInCode;
  }();
  return chosen;
}

bool Operations::has_bfloat16() { return &bfloat16_unit() != &kTilesInCode; }

std::size_t Operations::bfloat16_bytes(std::size_t rows, std::size_t cols) { return bfloat16_unit().bytes(rows, cols); }

void Operations::pack_bfloat16(MatrixView<const float> x, std::byte* packed) { bfloat16_unit().pack(x, packed); }

void Operations::add_bfloat16_product(const std::byte* a, const std::byte* b, std::size_t rows,
                                      MatrixView<double> sum) {
  bfloat16_unit().add_product(a, b, rows, sum);
}

}  // namespace bochner::cpu
