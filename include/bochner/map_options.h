// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   TrainOptions options;
//   options.map = Binning{.order_low = 1, .order_high = 2};
//   options.map = std::vector<MapPart>{{.map = Fourier{}}, {.map = Binning{}, .weight = 2}};  // a mixture
//   options.map = parse_map_options("nystroem:landmarks=leverage");                           // parsed from text
//   options.bandwidth = Bandwidth::Rule::median;
//   options.bandwidth = 2.5;

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bochner/binning.h"
#include "bochner/kernel.h"
#include "bochner/map.h"
#include "bochner/nystroem.h"
#include "bochner/project.h"

namespace bochner {

// How the length scales of a kernel are found.
struct Bandwidth {
  enum class Rule {
    searched,            // one for all inputs, by trials on a sample of rows
    searched_per_input,  // one per input, by trials
    median,              // the median distance of two rows
    scale,               // gamma = 1 / (d Var X)
    given,
  };

  Rule rule = Rule::searched;
  std::vector<double> length_scales = {};  // given: one for all inputs, or one per input

  Bandwidth(Rule chosen = Rule::searched) : rule(chosen) {}
  Bandwidth(double length_scale) : rule(Rule::given), length_scales{length_scale} {}
  Bandwidth(std::vector<double> scales) : rule(Rule::given), length_scales(std::move(scales)) {}

  bool searched() const { return rule == Rule::searched || rule == Rule::searched_per_input; }
  bool operator==(const Bandwidth&) const = default;
};

// Rows go as they are: a linear model.
struct NoMap {
  bool operator==(const NoMap&) const = default;
};

// Random Fourier features.
struct Fourier {
  FourierOptions::Form form = FourierOptions::Form::cossin;
  FourierOptions::Draw draw = FourierOptions::Draw::independent;
  bool operator==(const Fourier&) const = default;
};

// Random binning. Its features are the grids.
struct Binning {
  std::optional<PitchLaw> law = {};           // none: log-uniform for grids of few inputs, otherwise the kernel's
  std::optional<double> low = {}, high = {};  // bounds of the log-uniform law, chosen or given
  std::size_t order_low = 0, order_high = 0;  // inputs that a grid looks at; 0: all
  std::optional<std::size_t> pursuit = {};    // draws each grid is chosen from; none: by the rows
  std::size_t min_rows = 1, max_bins = 0;     // bins that are kept; 0: all
  // Passes of the solver, at most one of the three: steps of conjugate gradients, sweeps over the grids, epochs of an
  // svm over the rows.
  std::optional<std::size_t> steps = {}, sweeps = {}, epochs = {};
  bool operator==(const Binning&) const = default;
};

// The Nystroem map. Its features are the landmarks.
struct Nystroem {
  NystroemOptions::Choice landmarks = NystroemOptions::Choice::rpcholesky;
  std::optional<double> tolerance = {};  // none: 1e-6, of double features 1e-12
  bool operator==(const Nystroem&) const = default;
};

// A random projection. Its features are the dimensions.
struct Project {
  ProjectOptions::Kind kind = ProjectOptions::Kind::sign;
  std::size_t dims = 0;    // 0: as many as features are asked for
  double density = 0;      // share of non-zeros, see ProjectOptions
  std::size_t signs = 1;   // hash: signs of each input
  std::size_t points = 0;  // fastjl: rows whose distances count; 0: those of training
  int norm = 2;            // fastjl: l, whose distances are kept
  ProjectOptions::Store store = ProjectOptions::Store::automatic;
  bool operator==(const Project&) const = default;
};

using MapWords = std::map<std::string, std::string>;  // key=value, ...

// A kind that the program registered (bochner/map_kind.h), with its options as words.
struct CustomMap {
  std::string kind;
  MapWords options = {};
  bool operator==(const CustomMap&) const = default;
};

using AnyMap = std::variant<NoMap, Fourier, Binning, Nystroem, Project, CustomMap>;

// A map alone or among others. What is left out is as the training says for the whole.
struct MapPart {
  AnyMap map = Fourier{};
  std::size_t features = 0;  // 0: of the whole, shared evenly by the parts without; for bins beside others the default
  std::optional<Kernel> kernel = {};  // its length scales are not read
  std::optional<Bandwidth> bandwidth = {};
  std::optional<double> weight = {};  // weight of its kernel in the sum; 1 if another part has one
  bool operator==(const MapPart&) const = default;
};

// One map, or several side by side: a mixture, whose kernel is the weighted sum of theirs.
struct MapOptions {
  std::vector<MapPart> parts = {MapPart{}};
  // Projections that the rows go through before, in order.
  std::vector<MapPart> before = {};

  MapOptions() = default;
  MapOptions(MapPart part) : parts{std::move(part)} {}
  MapOptions(std::vector<MapPart> mixture) : parts(std::move(mixture)) {}
  template <class Kind>
  requires std::constructible_from<AnyMap, Kind> MapOptions(Kind map) : parts{MapPart{.map = std::move(map)}} {}

  bool operator==(const MapOptions&) const = default;
};

// "fourier:form=shifted", "binning:order=1-2,pursuit=20", "fourier:features=500+binning:weight=2",
// "project:kind=sign,dims=1000|fourier" (one after the other), ... and back.
// Beside the words of its kind a part may have features=, kernel=, bandwidth= and weight=. std::invalid_argument where
// the words are not understood; what makes no sense is found by check_options (bochner/train.h).
MapOptions parse_map_options(const std::string& text);
std::string map_words(const MapOptions& options);

// "gaussian+laplacian:weight=2": a part for each kernel, otherwise like the one given. A length scale in a kernel
// (sigma=, gamma=) is its part's bandwidth.
std::vector<MapPart> parse_kernel_parts(const std::string& text, const MapPart& like = {});

// "" (one, searched), "auto" (one per input, searched), "median", "scale", or numbers with commas between; and back.
Bandwidth parse_bandwidth(const std::string& text);
std::string bandwidth_words(const Bandwidth& bandwidth);

}  // namespace bochner
