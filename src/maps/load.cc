// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/load.h"

#include "base/archive.h"
#include "base/require.h"
#include "maps/grid_linear.h"
#include "maps/nystroem.h"
#include "maps/radial.h"
#include "maps/twofold.h"

namespace bochner {

namespace {
constexpr std::size_t kMostParts = 64;
}

MapPtr load_map(const Archive& archive) {
  const std::string type = get_text(archive.tree, "type");
  if (type == "fourier") return load_fourier(archive);
  if (type == "binning") return load_binning(archive);
  if (type == "nystroem") return load_nystroem(archive);
  if (type == "grid_linear") return load_grid_linear(archive);
  if (type == "scaling") return load_scaling(archive);
  if (type == "linear") return load_linear(archive);
  if (type == "chain") return load_chain(archive);
  if (type == "concat") return load_concat(archive);
  if (type == "sum") return load_sum(archive);
  if (type == "twofold") return load_twofold(archive);
  if (type == "radial_machine") return load_radial_machine(archive);
  if (type == "leaf_machines") return load_leaf_machines(archive);
  fail(Error::Kind::model, "model: found a map of type \"{}\", expected one this version knows; update bochner", type);
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
