// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/archive.h"
#include "bochner/map.h"

namespace bochner {

// y = (x - m) V: V inputs x outputs, m one per input or empty for 0. CSR rows stay CSR until the product.
// singular_values: one per output, or none; kept for people and for the inverse of a whitening.
MapPtr components(Matrix<double> directions, std::vector<double> mean, std::vector<double> singular_values);

MapPtr load_components(const Archive& archive);

}  // namespace bochner
