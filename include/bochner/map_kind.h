// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   register_map_kind({.name = "plain",
//                      .make = [](const MapRequest& request) { return fourier(request.inputs, {.features = 64}); },
//                      .load = [](const Archive& archive) {
//                        return fourier(archive.get_count("inputs"), {.features = 64});
//                      }});
//   TrainOptions options{.map = CustomMap{"plain"}};

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bochner/execution.h"
#include "bochner/map_options.h"

namespace bochner {

// Rows that a map learns from, inputs as the map will see them.
struct LabelledRows {
  Matrix<double> inputs;
  Matrix<double> targets;  // numbers centred and divided by their range; of two classes -1 and 1, of more one per class
  std::vector<double> weights;
};

// What is known when a map is sized and made.
struct MapRequest {
  AnyMap options = {};
  Kernel kernel = {};        // its length scales are chosen when the map is made, not before
  std::size_t features = 0;  // asked for; 0: the kind chooses
  std::size_t sharing = 1;   // parts of a mixture that share them
  bool beside_bins = false;  // random bins are learnt together with it
  std::uint64_t seed = 0;
  bool double_precision = false;
  std::size_t inputs = 0;  // 0: not known yet
  std::uint64_t rows = 0;  // 0: not known yet
  // The members below are only for make().
  bool sparse = false;  // blocks come as CSR
  Execution execution = {};
  std::function<Matrix<double>(std::size_t most)> sample = {};  // rows as the map will see them, in random order
  // The same rows with their targets, less rows of weight 0. std::invalid_argument if the rows have no targets.
  std::function<LabelledRows(std::size_t most)> labelled = {};
  std::function<void(const std::string&)> note = {};  // a choice, for people
};

// How large a map will be.
struct MapSize {
  std::size_t features = 0;        // it puts out
  std::size_t wanted = 0;          // before rounding to what it can put out; 0: the same
  const char* rounded = "";        // why they differ
  std::size_t step = 1;            // features come in multiples of this; 0: they are not one number to choose
  double weights = 0;              // numbers it keeps per feature
  bool bounded = false;            // Map::bound() is not 0
  std::size_t nonzeros = 0;        // Map::nonzeros()
  std::size_t trial_features = 0;  // Fourier features that are as good, for trials of length scales; 0: as many
  double working = 0;              // bytes held while it is made
};

// A row of the table of map kinds: what can be chosen as the map of a training, in words or as a type. A program adds
// its own at its start: safe from any thread, but not undone. name, make and load are needed; the rest has defaults.
struct MapKind {
  std::string name;         // as in words and as the "type" that save() writes
  std::string usage = {};   // its words, for help: "nystroem[:landmarks=uniform|leverage|rpcholesky]"
  bool has_kernel = false;  // whose length scales are chosen before it is made
  // It is made while it is learnt, from the bins that rows fall into: make is not called.
  bool learnt_with_head = false;
  bool keeps_rows = false;   // it saves rows themselves, whose digits must not be lost
  std::string no_sums = {};  // why it cannot be trained in parts; empty: it can

  // Words to options and back; none: they are kept as they are.
  std::function<AnyMap(const MapWords&)> parse = {};
  std::function<MapWords(const AnyMap&)> words = {};
  // std::invalid_argument where a request makes no sense; none: nothing is wrong.
  std::function<void(const MapRequest&)> check = {};
  // none: as many features as were asked for, or as there are inputs.
  std::function<MapSize(const MapRequest&)> size = {};
  std::function<MapPtr(const MapRequest&)> make = {};  // null: rows go as they are
  std::function<MapPtr(const Archive&)> load = {};     // what save() wrote

  // For check(): what z(x).z(y) of the map approximates, and another draw of it where it is random (draw = 1, 2, ...).
  // Several threads call kernel at once. None: check refuses the map.
  std::function<double(const Map& map, std::span<const double> x, std::span<const double> y)> kernel = {};
  std::function<MapPtr(const Map& map, std::uint64_t draw)> redraw = {};
  // The variance of z(x).z(y) over draws, for check(); none: not known.
  std::function<double(const Map& map, std::span<const double> x, std::span<const double> y)> variance = {};

  // It is made of labelled rows: scores of few rows learn it again without the rows scored.
  bool learns_targets = false;
};

// std::invalid_argument where the name is taken, or name, make or load is missing.
void register_map_kind(MapKind kind);

// Those of the library first, in the order of the alternatives of AnyMap; then as they were registered.
std::vector<const MapKind*> map_kinds();
const MapKind* find_map_kind(const std::string& name);  // null: there is none
const MapKind& kind_of(const AnyMap& map);              // std::invalid_argument where it was not registered

MapSize map_size(const MapKind& kind, const MapRequest& request);

}  // namespace bochner
