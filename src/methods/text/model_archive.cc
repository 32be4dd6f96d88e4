// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/text/model_archive.h"

#include "base/archive.h"
#include "base/require.h"
#include "maps/load.h"
#include "methods/text/counts.h"

namespace bochner {

TextModel text_model_of(const Archive& archive) {
  if (const std::string type = archive.get_text("type"); type != "bochner text")
    fail(Error::Kind::model, "found \"{}\", expected a text model", type);
  const TextModel model(counts_from(archive));  // the terms of a model are within its limits: none is left out again
  if (!archive.tree.contains("map")) return model;
  const MapPtr map = load_map(archive.child("map"));
  if (map->inputs() != model.columns())
    fail(Error::Kind::model, "its map takes {} inputs, its documents have {}; the file is damaged", map->inputs(),
         model.columns());
  return model.with_map(map);
}

}  // namespace bochner
