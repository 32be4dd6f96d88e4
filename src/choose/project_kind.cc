// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "base/spec.h"
#include "bochner/project.h"
#include "choose/map_kinds.h"
#include "maps/project.h"

namespace bochner {

namespace {

std::size_t whole(const Spec& spec, const char* key, std::size_t otherwise) {
  if (!spec.has(key)) return otherwise;
  const double value = spec.number(key, 0);
  require(value >= 1 && value == double(std::size_t(value)) && value < 1e15,
          "map: found {}={}, expected a whole number from 1 on", key, spec.text(key, ""));
  return std::size_t(value);
}

AnyMap parse(const MapWords& words) {
  const Spec spec("project", words);
  spec.allow({"kind", "dims", "density", "signs", "points", "norm", "store"});
  Project given;
  given.kind = parse_projection_name(spec.text("kind", "sign"));
  given.dims = whole(spec, "dims", 0);
  if (spec.has("density")) given.density = spec.number("density", 0);
  require(!spec.has("density") || given.density > 0, "map: found density={}, expected above 0 and at most 1",
          given.density);
  given.signs = whole(spec, "signs", 1);
  given.points = whole(spec, "points", 0);
  given.norm = int(whole(spec, "norm", 2));
  given.store = parse_store_name(spec.text("store", "automatic"));
  return given;
}

MapWords words(const AnyMap& map) {
  const Project& given = std::get<Project>(map);
  MapWords words;
  if (given.kind != Project{}.kind) words["kind"] = projection_name(given.kind);
  if (given.dims) words["dims"] = fmt::format("{}", given.dims);
  if (given.density > 0) words["density"] = fmt::format("{}", given.density);
  if (given.signs != 1) words["signs"] = fmt::format("{}", given.signs);
  if (given.points) words["points"] = fmt::format("{}", given.points);
  if (given.norm != 2) words["norm"] = fmt::format("{}", given.norm);
  if (given.store != Project{}.store) words["store"] = store_name(given.store);
  return words;
}

ProjectOptions options_of(const MapRequest& request) {
  const Project& given = std::get<Project>(request.options);
  const std::size_t dims = given.dims ? given.dims : request.features;
  require(dims > 0, "map: project needs to know how many outputs; give dims=, such as project:kind=sign,dims=1000");
  return {.kind = given.kind,
          .dims = dims,
          .seed = request.seed,
          .density = given.density,
          .signs = given.signs,
          .points = given.points ? given.points : std::size_t(request.rows > 1 ? request.rows : 0),
          .norm = given.norm,
          .store = given.store};
}

// As many dims as inputs if none are given, which check() refuses.
MapSize size(const MapRequest& request) {
  const std::size_t inputs = std::max<std::size_t>(1, request.inputs);
  MapRequest sized = request;
  if (sized.features == 0) sized.features = inputs;
  const ProjectOptions options = options_of(sized);
  const bool kept = keeps_matrix(inputs, options);
  return {.features = options.dims,
          .step = 0,
          .weights = kept ? projection_bytes(inputs, options) / sizeof(float) / double(options.dims) : 0};
}

}  // namespace

MapKind project_kind() {
  return {.name = "project",
          .usage = "project:kind=sign,dims=1000 (before others: 'project:dims=1000|fourier')",
          .parse = parse,
          .words = words,
          .check =
              [](const MapRequest& request) {
                const ProjectOptions options = options_of(request);
                if (request.inputs > 0) project(request.inputs, options);
              },
          .size = size,
          .make = [](const MapRequest& request) { return project(request.inputs, options_of(request)); },
          .load = load_project};
}

}  // namespace bochner
