// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "base/archive.h"
#include "bochner/error.h"
#include "bochner/map.h"

namespace bochner {

// Rebuilds any map from what its save() wrote; Error::Kind::model when the archive does not describe one.
MapPtr load_map(const Archive& archive);
// Whether maps of this type are the library's own that are no kind to choose: chains, heads, scalings.
bool is_composed_type(const std::string& type);

MapPtr load_fourier(const Archive& archive);
MapPtr load_scaling(const Archive& archive);
MapPtr load_unscaling(const Archive& archive);
MapPtr load_linear(const Archive& archive);
MapPtr load_chain(const Archive& archive);
MapPtr load_concat(const Archive& archive);
MapPtr load_sum(const Archive& archive);

// Chains and mixtures hold maps as children "part0", "part1", ...
void save_parts(Archive& archive, const std::vector<MapPtr>& maps);
std::vector<MapPtr> load_parts(const Archive& archive);

// A caller's mistake in rebuilding is the model file's fault: the same message as Error::Kind::model.
template <class Build>
MapPtr build_from_model(const Build& build) {
  try {
    return build();
  } catch (const std::invalid_argument& e) {
    throw Error(Error::Kind::model, std::string("model: ") + e.what());
  }
}

}  // namespace bochner
