// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "base/spec.h"
#include "choose/map_kinds.h"
#include "maps/formula/formula.h"

namespace bochner {

namespace {

// The numbers of the words, in the formula's order; the initial ones where none are given.
std::vector<double> numbers_of(const Formula& formula, const MapWords& words) {
  const Spec spec(formula.name, words);
  std::vector<double> numbers;
  for (const auto& [key, value] : words) {
    std::string known;
    bool found = false;
    for (const FormulaParameter& parameter : formula.parameters) {
      found = found || key == parameter.name;
      known += (known.empty() ? "" : ", ") + std::string(parameter.name);
    }
    require(found, "map: {} has no {}=, expected {}", formula.name, key, known.empty() ? "no words of its own" : known);
  }
  for (const FormulaParameter& parameter : formula.parameters) {
    const double value = spec.number(parameter.name, parameter.initial);
    require(
        value >= parameter.low && value <= parameter.high && (!parameter.whole || value == double(std::int64_t(value))),
        "map: {}: found {}={}, expected {}{} to {}", formula.name, parameter.name, value,
        parameter.whole ? "a whole number " : "", parameter.low, parameter.high);
    numbers.push_back(value);
  }
  return numbers;
}

FormulaOptions options_of(const Formula& formula, const MapRequest& request) {
  FormulaOptions options{.inputs = request.inputs ? request.inputs : 1,
                         .seed = request.seed,
                         .numbers = numbers_of(formula, std::get<CustomMap>(request.options).options)};
  const std::size_t asked = request.features ? std::max<std::size_t>(1, request.features / request.sharing) : 0;
  options.features = formula.features(options, asked);
  return options;
}

MapSize size_of(const Formula& formula, const MapRequest& request) {
  const FormulaOptions options = options_of(formula, request);
  const bool as_asked = request.features == options.features;
  return {.features = options.features,
          .wanted = request.features,
          .rounded = as_asked ? "" : "the map has numbers of its own",
          .step = formula.random ? 1u : 0u,
          .weights = 2 * formula.drawn(options) / double(options.features)};
}

std::string usage_of(const Formula& formula) {
  std::string text = formula.name;
  for (std::size_t i = 0; i < formula.parameters.size(); ++i)
    text += fmt::format("{}{}={}", i ? "," : "[:", formula.parameters[i].name, formula.parameters[i].initial);
  return formula.parameters.empty() ? text : text + "]";
}

FormulaOptions redrawn(const Map& map, std::uint64_t draw) {
  FormulaOptions options = formula_map(map).options();
  options.seed += draw;
  return options;
}

}  // namespace

MapKind formula_kind(const Formula& formula) {
  const Formula* const of = &formula;
  MapKind kind;
  kind.name = of->name;
  kind.usage = usage_of(*of);
  kind.parse = [of](const MapWords& words) {
    numbers_of(*of, words);
    return AnyMap(CustomMap{of->name, words});
  };
  kind.check = [of](const MapRequest& request) { options_of(*of, request); };
  kind.size = [of](const MapRequest& request) { return size_of(*of, request); };
  kind.make = [of](const MapRequest& request) { return std::make_shared<FormulaMap>(*of, options_of(*of, request)); };
  kind.load = [of](const Archive& archive) { return FormulaMap::load(*of, archive); };
  kind.kernel = [of](const Map& map, std::span<const double> x, std::span<const double> y) {
    return of->kernel(formula_map(map).options(), x, y);
  };
  if (!of->random) return kind;
  kind.redraw = [of](const Map& map, std::uint64_t draw) {
    return std::make_shared<FormulaMap>(*of, redrawn(map, draw));
  };
  kind.variance = [of](const Map& map, std::span<const double> x, std::span<const double> y) {
    return of->variance(formula_map(map).options(), x, y);
  };
  return kind;
}

}  // namespace bochner
