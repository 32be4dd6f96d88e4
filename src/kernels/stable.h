// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/kernel.h"

namespace bochner {

// exp(-|D|_p^q), 0 < q <= p <= 2, of length scale 1. p = 2 is the kernel of a learnt metric, of rows that the metric
// has multiplied.
Kernel stable(double p, double q);

}  // namespace bochner
