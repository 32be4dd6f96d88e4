// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("cars.pca");
//   for (const auto& [name, numbers] : figures_of(*model.head())) std::printf("%s %g\n", name.c_str(), numbers[0]);

#include <string>
#include <utility>
#include <vector>

#include "bochner/map.h"

namespace bochner {

// What a method measured when it made a map, by name: "inertia" of each pass, "correlations", ...
using Figures = std::vector<std::pair<std::string, std::vector<double>>>;

// The map with figures beside it; they are saved with it.
MapPtr measured(MapPtr map, Figures figures);

// The figures of a map that measured() made, read from a file or not; empty if it is another map.
Figures figures_of(const Map& map);
// Those of one name; empty: there are none.
std::vector<double> figure_of(const Map& map, const std::string& name);

}  // namespace bochner
