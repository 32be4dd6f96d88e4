// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/archive.h"
#include "bochner/map.h"

namespace bochner {

// From one number s to s and whether it is above the threshold: 1 or 0.
// normal: the label of rows that are no anomalies, for who has labels; may be empty.
MapPtr threshold(double value, std::string normal = "");

struct Threshold {
  double value = 0;
  std::string normal;
};
// Of a map that threshold() made, with figures or without; none: it is another.
std::optional<Threshold> threshold_of(const Map& map);

MapPtr load_threshold(const Archive& archive);

}  // namespace bochner
