// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/map_kinds.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "base/published.h"
#include "base/require.h"
#include "base/spec.h"
#include "choose/chosen_frequencies.h"
#include "maps/formula/formula.h"
#include "maps/fourier.h"
#include "maps/load.h"

namespace bochner {

namespace {

using Form = FourierOptions::Form;

constexpr std::size_t kMixedFeatures = 1024;  // features beside bins, which do the rest

MapKind no_map_kind() {
  return {.name = "none",
          .usage = "none (a linear model)",
          .parse =
              [](const MapWords& words) {
                Spec("none", words).allow({});
                return AnyMap(NoMap{});
              },
          .words = [](const AnyMap&) { return MapWords(); },
          .size = [](const MapRequest& request) { return MapSize{.features = request.inputs, .step = 0}; },
          // Learners take dense rows.
          .make = [](const MapRequest& request) -> MapPtr {
            if (!request.sparse) return nullptr;
            return scaling(std::vector<ColumnScaling>(request.inputs));
          }};
}

AnyMap parse_fourier(const MapWords& words) {
  const Spec spec("fourier", words);
  spec.allow({"form", "draw"});
  const std::string form = spec.text("form", "cossin");
  require(form == "cossin" || form == "shifted", "map: found form={}, expected cossin or shifted", form);
  return Fourier{.form = form == "cossin" ? Form::cossin : Form::shifted,
                 .draw = parse_draw_name(spec.text("draw", "independent"))};
}

MapWords fourier_words(const AnyMap& map) {
  const Fourier& given = std::get<Fourier>(map);
  MapWords words;
  if (given.form == Form::shifted) words["form"] = "shifted";
  if (given.draw != FourierOptions::Draw::independent) words["draw"] = draw_name(given.draw);
  return words;
}

// More rows pay for more features; the cost of a pass grows with their product.
std::size_t default_features(std::uint64_t rows) {
  const double wanted = 4 * std::sqrt(double(rows));
  return std::size_t(std::clamp(std::exp2(std::round(std::log2(wanted))), 128.0, 4096.0));
}

std::size_t wanted_features(const MapRequest& request) {
  std::size_t features = request.features ? request.features : default_features(request.rows);
  if (!request.features && request.beside_bins) features = std::min(features, kMixedFeatures);
  return request.sharing > 1 ? std::max<std::size_t>(2, features / request.sharing / 2 * 2) : features;
}

FourierOptions fourier_options(const MapRequest& request) {
  const auto* asked = std::get_if<Fourier>(&request.options);
  const Fourier given = asked ? *asked : Fourier();  // as those are whose frequencies are chosen
  const std::size_t wanted = wanted_features(request);
  return {.kernel = request.kernel,
          .features = given.form == Form::cossin ? wanted + wanted % 2 : wanted,
          .form = given.form,
          .seed = request.seed,
          .draw = given.draw};
}

MapSize fourier_size(const MapRequest& request) {
  const FourierOptions options = fourier_options(request);
  const bool pairs = options.form == Form::cossin;
  // While an orthogonal W is made it lies there in double too. A structured one is never formed.
  using Draw = FourierOptions::Draw;
  const double kept = double(request.inputs) / (pairs ? 2 : 1) * (options.draw == Draw::orthogonal ? 3 : 1);
  return {.features = options.features,
          .wanted = wanted_features(request),
          .rounded = "cos and sin come in pairs",
          .step = pairs ? 2u : 1u,
          .weights = options.draw == Draw::structured ? 4 : kept,
          .bounded = true};
}

MapKind fourier_kind() {
  return {.name = "fourier",
          .usage = "fourier[:form=shifted,draw=orthogonal|structured|quasi]",
          .has_kernel = true,
          .parse = parse_fourier,
          .words = fourier_words,
          .check =
              [](const MapRequest& request) {
                FourierOptions options = fourier_options(request);
                options.kernel.length_scales = {1.0};
                fourier(1, options);
              },
          .size = fourier_size,
          .make = [](const MapRequest& request) { return fourier(request.inputs, fourier_options(request)); },
          .load = load_fourier};
}

// Its maps are saved as Fourier features.
MapKind chosen_fourier_kind() {
  return {.name = "chosen-fourier",
          .usage = "chosen-fourier (frequencies that suit the targets)",
          .has_kernel = true,
          .parse =
              [](const MapWords& words) {
                Spec("chosen-fourier", words).allow({});
                return AnyMap(CustomMap{"chosen-fourier"});
              },
          .size =
              [](const MapRequest& request) {
                MapSize size = fourier_size(request);
                size.working = chosen_frequencies_bytes(request.inputs, fourier_options(request));
                return size;
              },
          .make = [](const MapRequest& request) -> MapPtr {
            const FourierOptions options = fourier_options(request);
            return std::make_shared<FourierMap>(request.inputs, options, chosen_frequencies(request, options));
          },
          .learns_targets = true};
}

using Table = Published<std::shared_ptr<const MapKind>>;

void add(Table& table, MapKind kind) {
  const std::string name = kind.name;
  table.add(std::make_shared<const MapKind>(std::move(kind)), [&](std::span<const std::shared_ptr<const MapKind>> all) {
    for (const auto& other : all)
      require(other->name != name, "register_map_kind: there is a kind \"{}\" already", name);
  });
}

Table& table() {
  static Table table;
  static const bool begun = [] {  // rows in the order of AnyMap
    for (MapKind (*row)() : {no_map_kind, fourier_kind, binning_kind, nystroem_kind, project_kind}) add(table, row());
    for (const Formula* formula : formulas())  // linear alone is --map none, and heads are saved by that name
      if (formula != &kLinear) add(table, formula_kind(*formula));
    add(table, product_kind());
    add(table, chosen_fourier_kind());
    for (MapKind& kind : method_map_kinds()) add(table, std::move(kind));
    return true;
  }();
  static_cast<void>(begun);
  return table;
}

}  // namespace

void register_map_kind(MapKind kind) {
  require(!kind.name.empty() && kind.make && kind.load,
          "register_map_kind: found a kind without name, make or load, expected all three");
  require(!is_composed_type(kind.name), "register_map_kind: there is a kind \"{}\" already", kind.name);
  add(table(), std::move(kind));
}

std::vector<const MapKind*> map_kinds() {
  std::vector<const MapKind*> kinds;
  for (const auto& kind : table().read()) kinds.push_back(kind.get());
  return kinds;
}

const MapKind* find_map_kind(const std::string& name) {
  for (const MapKind* kind : map_kinds())
    if (kind->name == name) return kind;
  return nullptr;
}

const MapKind& kind_of(const AnyMap& map) {
  const auto* custom = std::get_if<CustomMap>(&map);
  if (!custom) return *map_kinds()[map.index()];
  const MapKind* kind = find_map_kind(custom->kind);
  require(kind != nullptr, "map: found \"{}\", which nobody registered; expected register_map_kind before",
          custom->kind);
  return *kind;
}

MapSize map_size(const MapKind& kind, const MapRequest& request) {
  if (kind.size) return kind.size(request);
  return {.features = request.features ? request.features : request.inputs, .step = request.features ? 1u : 0u};
}

MapWords words_of(const MapKind& kind, const AnyMap& map) {
  return kind.words ? kind.words(map) : std::get<CustomMap>(map).options;
}

}  // namespace bochner
