// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/archive.h"
#include "bochner/map.h"

namespace bochner {

// y_k = -|z - c_k|^2: minus the squared distances to the centres, k x inputs. The largest is the row's own.
MapPtr clusters(Matrix<double> centres);

MapPtr load_clusters(const Archive& archive);

}  // namespace bochner
