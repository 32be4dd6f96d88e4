// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/map_kind.h"

namespace bochner {

// Rows in a metric that is learnt from their targets, before another map: 'metric|fourier'.
MapKind metric_kind();

}  // namespace bochner
