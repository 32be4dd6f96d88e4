// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/reference/exact_product.h"

#include <vector>

#include "backend/backend.h"
#include "backend/cpu/exact_units.h"
#include "backend/cpu/target_choice.h"
#include "base/aligned.h"

namespace bochner::cpu {

std::span<const ExactProduct* const> exact_units() {
  static constexpr const ExactProduct* kUnits[] = {&kExactAmx,     &kExactVnni,       &kExactI8mm,     &kExactDotprod,
                                                   &kExactVectors, &kExactVnniInCode, &kExactAmxInCode};
  return kUnits;
}

namespace {

// A few rows, with numbers at both ends of what is whole, by this unit.
std::vector<std::int64_t> trial(const ExactProduct& unit) {
  constexpr std::size_t kRows = 131, kCols = 37;
  constexpr float kPerUnit = 1 << 14;
  Matrix<float> x(kRows, kCols);
  for (std::size_t i = 0; i < kRows * kCols; ++i) {
    const auto bits = std::uint32_t(i + 1) * 2654435761u;
    x.data()[i] = i % 11 == 0 ? (i % 2 ? 1.0f : -1.0f) : float(std::int32_t(bits) >> 8) / float(1 << 23);
  }
  AlignedVector<std::byte> packed(unit.bytes(kRows, kCols));
  unit.pack(x.view(), kPerUnit, packed.data());
  std::vector<std::int64_t> sum(kCols * kCols);
  unit.add(packed.data(), packed.data(), kRows, {sum.data(), kCols, kCols, kCols});
  return sum;
}

}  // namespace

bool multiplies_exactly(const ExactProduct& unit) { return trial(unit) == trial(reference::kExactProduct); }

const ExactProduct& exact_unit() {
  static const ExactProduct& chosen = []() -> const ExactProduct& {
    for (const ExactProduct* unit : exact_units())
      if (!unit->in_code && unit != &kExactVectors && may_use(unit->name) && unit->available() &&
          multiplies_exactly(*unit))
        return *unit;
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
