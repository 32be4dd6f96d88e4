// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/load.h"

#include "base/archive.h"
#include "base/require.h"
#include "base/strict_json.h"
#include "bochner/map_kind.h"
#include "maps/link.h"
#include "maps/loaders.h"
#include "maps/measured.h"
#include "maps/project.h"
#include "maps/threshold.h"
#include "maps/tree_sum.h"
#include "maps/variance.h"

namespace bochner {

namespace {

constexpr std::size_t kMostParts = 64;

// Maps that hold others or end a model, and belong to no method. Maps that make features are rows of the table of map
// kinds.
constexpr MapLoader kLoaders[] = {
    {"scaling", load_scaling},
    {"unscaling", load_unscaling},
    {"linear", load_linear},
    {"link", load_link},
    {"threshold", load_threshold},
    {"measured", load_measured},
    {"chain", load_chain},
    {"concat", load_concat},
    {"sum", load_sum},
    {"project_inverse", load_project_inverse},
    {"tree_sum", load_tree_sum},
    {"variance", load_variance},
};

// Null: maps of this type are none of the library's own, or a kind to choose.
const MapLoader* find_loader(const std::string& type) {
  for (const std::span<const MapLoader> loaders : {std::span<const MapLoader>(kLoaders), method_loaders()})
    for (const MapLoader& loader : loaders)
      if (type == loader.type) return &loader;
  return nullptr;
}

}  // namespace

MapPtr load_map(const Archive& archive) {
  const std::string type = get_text(archive.tree, "type");
  if (const MapLoader* loader = find_loader(type)) return loader->load(archive);
  if (const MapKind* kind = find_map_kind(type); kind && kind->load) return kind->load(archive);
  fail(Error::Kind::model, "model: found a map of type {}, expected one this version knows; update bochner",
       printable(type));
}

bool is_composed_type(const std::string& type) { return find_loader(type) != nullptr; }

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
