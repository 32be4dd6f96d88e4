// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/load.h"

#include <algorithm>

#include "base/archive.h"
#include "base/require.h"
#include "base/strict_json.h"
#include "bochner/map_kind.h"
#include "maps/measured.h"
#include "maps/project.h"
#include "maps/threshold.h"
#include "maps/tree_sum.h"
#include "maps/variance.h"
#include "methods/automatic/radial.h"
#include "methods/automatic/twofold.h"
#include "methods/bins/grid_linear.h"
#include "methods/clusters/clusters_map.h"
#include "methods/components/components_map.h"
#include "methods/mixtures/hmm_map.h"
#include "methods/mixtures/mixture_map.h"
#include "methods/neighbors/knn_map.h"

namespace bochner {

namespace {

constexpr std::size_t kMostParts = 64;

// Maps that hold others or end a model. Those that make features are rows of the table of map kinds.
constexpr std::pair<const char*, MapPtr (*)(const Archive&)> kLoaders[] = {
    {"scaling", load_scaling},
    {"unscaling", load_unscaling},
    {"linear", load_linear},
    {"components", load_components},
    {"clusters", load_clusters},
    {"threshold", load_threshold},
    {"measured", load_measured},
    {"mixture", load_mixture},
    {"hmm", load_hmm},
    {"grid_linear", load_grid_linear},
    {"chain", load_chain},
    {"concat", load_concat},
    {"sum", load_sum},
    {"project_inverse", load_project_inverse},
    {"twofold", load_twofold},
    {"radial_machine", load_radial_machine},
    {"leaf_machines", load_leaf_machines},
    {"tree_sum", load_tree_sum},
    {"knn", load_knn},
    {"variance", load_variance},
};

}  // namespace

MapPtr load_map(const Archive& archive) {
  const std::string type = get_text(archive.tree, "type");
  for (const auto& [name, load] : kLoaders)
    if (type == name) return load(archive);
  if (const MapKind* kind = find_map_kind(type); kind && kind->load) return kind->load(archive);
  fail(Error::Kind::model, "model: found a map of type {}, expected one this version knows; update bochner",
       printable(type));
}

bool is_composed_type(const std::string& type) {
  return std::any_of(std::begin(kLoaders), std::end(kLoaders), [&](const auto& known) { return type == known.first; });
}

void save_parts(Archive& archive, const std::vector<MapPtr>& maps) {
  archive.tree["parts"] = maps.size();
  for (std::size_t i = 0; i < maps.size(); ++i) {
    Archive part;
    maps[i]->save(part);
    archive.put_child(fmt::format("part{}", i), std::move(part));
  }
}

std::vector<MapPtr> load_parts(const Archive& archive) {
  const std::size_t count = get_count(archive.tree, "parts", kMostParts);
  std::vector<MapPtr> maps;
  for (std::size_t i = 0; i < count; ++i) maps.push_back(load_map(archive.child(fmt::format("part{}", i))));
  return maps;
}

}  // namespace bochner
