// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/saved_map.h"

#include "base/archive.h"
#include "base/checked_arrays.h"

namespace bochner {

Archive saved_map(const Map& map) {
  Archive archive;
  map.save(archive);
  while (get_text(archive.tree, "type") == "measured") archive = archive.take_child("map");
  return archive;
}

std::optional<AffineHead> affine_of(const Map& map) {
  if (map.parts().how != MapParts::How::none || !map.spec().starts_with("linear:")) return std::nullopt;
  const Archive archive = saved_map(map);
  if (get_text(archive.tree, "type") != "linear") return std::nullopt;
  AffineHead head{get_matrix<double>(archive, "weights"), {}};
  head.constant = archive.get<double>("intercept", {head.weights.cols()});
  return head;
}

}  // namespace bochner
