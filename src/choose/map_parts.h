// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "bochner/map_kind.h"
#include "bochner/train.h"

namespace bochner {

// One part of the map with all that the options say of it; what the rows decide is still open.
struct PartPlan {
  const MapKind* kind = nullptr;
  MapRequest request;
  Bandwidth bandwidth;
  std::optional<double> weight;
};

// std::invalid_argument where parts do not go together.
std::vector<PartPlan> map_parts(const TrainOptions& options);

// Those of MapOptions::before, in order.
std::vector<PartPlan> parts_before(const TrainOptions& options);
// The numbers of a row that the map's parts see: the inputs, or what the last part before them puts out.
std::size_t inputs_of_parts(const TrainOptions& options, std::size_t inputs);

// The parts of the map, and products of kernels by the columns' names; behind a projection there are none.
std::vector<PartPlan> chosen_parts(const TrainOptions& options, const Schema& schema);

// Products of kernels: their columns become numbers of inputs, by name if there are names.
void choose_columns(std::vector<PartPlan>& parts, std::size_t inputs, const std::vector<std::string>& names);
// An input that is a count, a code, an angle or a time to its kernel: it is not scaled unless that is asked for.
struct InputAsGiven {
  std::size_t input;
  bool from_zero;  // the kernel depends on where zero is
};
// Those of products of kernels, and of a map that is alone.
std::vector<InputAsGiven> inputs_as_given(const std::vector<PartPlan>& parts, std::size_t inputs);
// Whether the part is a map of all inputs that wants them as given.
bool wants_as_given(const PartPlan& part);

// The part of random bins; null where there is none.
const PartPlan* bins_of(const std::vector<PartPlan>& parts);
// Whether the map has bins: alone, and with others.
bool has_bins(const MapOptions& map);
bool has_mixed_bins(const MapOptions& map);
// The kind of the first part that is not learnt from sums over rows (MapKind::no_sums); null: all are.
const MapKind* kind_without_sums(const MapOptions& map);

}  // namespace bochner
