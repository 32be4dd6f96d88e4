// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/archive.h"
#include "bochner/factor.h"
#include "bochner/map.h"

namespace bochner {

// y = (x - m) V: V inputs x outputs, m one per input or empty for 0. CSR rows stay CSR until the product.
// factor: what is known of it, saved with the map; as many singular values as outputs, or none.
MapPtr components(Matrix<double> directions, std::vector<double> mean, Factor factor = {});

MapPtr load_components(const Archive& archive);

}  // namespace bochner
