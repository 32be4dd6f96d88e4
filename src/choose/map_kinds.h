// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/map_kind.h"

namespace bochner {

struct Formula;

// The rows of the library's own table that have a file of their own, that of bins in src/methods/bins/.
MapKind binning_kind();
MapKind nystroem_kind();
MapKind project_kind();
// One for each row of the table of formulas (maps/formula/formula.h).
MapKind formula_kind(const Formula& formula);
MapKind product_kind();
// Those that methods have: src/methods/registered.cc lists them.
std::vector<MapKind> method_map_kinds();

// "name:key=value,...": the words as they were given, of a kind that keeps them so.
MapWords words_of(const MapKind& kind, const AnyMap& map);

}  // namespace bochner
