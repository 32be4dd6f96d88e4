// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/reference/exact_product.h"

#include "backend/backend.h"
#include "backend/cpu/exact_units.h"
#include "backend/cpu/target_choice.h"

namespace bochner::cpu {

std::span<const ExactProduct* const> exact_units() {
  static constexpr const ExactProduct* kUnits[] = {&kExactAmx,     &kExactVnni,       &kExactI8mm,     &kExactDotprod,
                                                   &kExactVectors, &kExactVnniInCode, &kExactAmxInCode};
  return kUnits;
}

const ExactProduct& exact_unit() {
  static const ExactProduct& chosen = []() -> const ExactProduct& {
    for (const ExactProduct* unit : exact_units())
      if (!unit->in_code && unit != &kExactVectors && may_use(unit->name) && unit->available()) return *unit;
    return kExactVectors;
  }();
  return chosen;
}

}  // namespace bochner::cpu

namespace bochner {

const ExactProduct& exact_product(const Backend& on) {
  return &on == &reference_backend() ? reference::kExactProduct : cpu::exact_unit();
}

}  // namespace bochner
