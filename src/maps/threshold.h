// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/archive.h"
#include "bochner/map.h"

namespace bochner {

// Maps a number s to s and to whether it is above the threshold, 1 or 0. normal: the label of rows that are no
// anomalies, if there are labels; may be empty.
MapPtr threshold(double value, std::string normal = "");

struct Threshold {
  double value = 0;
  std::string normal;
};
// The threshold of a map that threshold() made, with figures or without; none if it is another map.
std::optional<Threshold> threshold_of(const Map& map);

MapPtr load_threshold(const Archive& archive);

}  // namespace bochner
