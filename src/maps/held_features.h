// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/map.h"

namespace bochner {

// The features that a head holds and is linear in, as a map from its inputs; null: the head holds none.
// src/methods/registered.cc asks the methods that have such heads.
MapPtr held_features(const Map& head);

}  // namespace bochner
