// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

#include "bochner/archive.h"
#include "bochner/map.h"

namespace bochner {

// A type of map in model files, and the function that rebuilds such a map.
struct MapLoader {
  const char* type;
  MapPtr (*load)(const Archive&);
};

// The loaders of maps that belong to one method. src/methods/registered.cc has the list.
std::span<const MapLoader> method_loaders();

}  // namespace bochner
