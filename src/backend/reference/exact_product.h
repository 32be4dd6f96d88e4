// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/exact_product.h"

namespace bochner::reference {

extern const ExactProduct kExactProduct;  // plain loops

}  // namespace bochner::reference
