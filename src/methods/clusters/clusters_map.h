// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "bochner/archive.h"
#include "bochner/map.h"
#include "learn/learn_on.h"

namespace bochner {

// y_k = -|z - c_k|^2: minus the squared distances to the centres, k x inputs. The largest is the row's own.
MapPtr clusters(Matrix<double> centres);

// The centres of a map that clusters() made, with figures or without; none: it is another map.
std::optional<Matrix<double>> centres_of(const Map& map);

// Lloyd passes from the centres where they are; clusters keep their numbers.
extern const LearnsOn kClustersLearnOn;

MapPtr load_clusters(const Archive& archive);

}  // namespace bochner
