// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <charconv>
#include <cmath>

#include "base/require.h"
#include "base/spec.h"
#include "choose/map_kinds.h"
#include "methods/bins/binning_map.h"

namespace bochner {

namespace {

constexpr std::size_t kGrids = 50;           // grids of all inputs
constexpr std::size_t kLowOrderGrids = 300;  // grids of few inputs each

std::optional<std::size_t> whole(const Spec& spec, const char* key) {
  if (!spec.has(key)) return std::nullopt;
  const double value = spec.number(key, 0);
  require(value >= 0 && value == std::floor(value) && value < 1e15, "map: found {}={}, expected a whole number", key,
          spec.text(key, ""));
  return std::size_t(value);
}

// "2" or "1-3".
void parse_order(const std::string& text, Binning& binning) {
  const char *p = text.data(), *end = p + text.size();
  auto [next, ok] = std::from_chars(p, end, binning.order_low);
  binning.order_high = binning.order_low;
  if (ok == std::errc() && next != end && *next == '-') {
    const auto [last, fine] = std::from_chars(next + 1, end, binning.order_high);
    next = last;
    ok = fine;
  }
  require(ok == std::errc() && next == end && binning.order_low >= 1 && binning.order_low <= binning.order_high,
          "map: found order={}, expected a number of inputs such as 2, or a range such as 1-2", text);
}

AnyMap parse(const MapWords& words) {
  const Spec spec("binning", words);
  spec.allow({"law", "low", "high", "order", "pursuit", "min_rows", "max_bins", "sweeps", "steps", "epochs"});
  Binning binning;
  if (spec.has("order")) parse_order(spec.text("order", ""), binning);
  if (spec.has("law")) binning.law = parse_pitch_law(spec.text("law", ""));
  if (spec.has("low")) binning.low = spec.number("low", 0);
  if (spec.has("high")) binning.high = spec.number("high", 0);
  binning.pursuit = whole(spec, "pursuit");
  binning.min_rows = whole(spec, "min_rows").value_or(binning.min_rows);
  binning.max_bins = whole(spec, "max_bins").value_or(binning.max_bins);
  binning.steps = whole(spec, "steps");
  binning.sweeps = whole(spec, "sweeps");
  binning.epochs = whole(spec, "epochs");
  return binning;
}

MapWords words(const AnyMap& map) {
  const Binning& binning = std::get<Binning>(map);
  MapWords words;
  const auto add = [&](const char* key, const auto& value) {
    if (value) words[key] = fmt::format("{}", *value);
  };
  if (binning.law) words["law"] = pitch_law_name(*binning.law);
  add("low", binning.low);
  add("high", binning.high);
  if (binning.order_high > 0)
    words["order"] = binning.order_low == binning.order_high
                         ? fmt::format("{}", binning.order_low)
                         : fmt::format("{}-{}", binning.order_low, binning.order_high);
  add("pursuit", binning.pursuit);
  if (binning.min_rows != Binning{}.min_rows) words["min_rows"] = fmt::format("{}", binning.min_rows);
  if (binning.max_bins != 0) words["max_bins"] = fmt::format("{}", binning.max_bins);
  add("steps", binning.steps);
  add("sweeps", binning.sweeps);
  add("epochs", binning.epochs);
  return words;
}

// Its features are the grids; the bins that rows occupy are counted when the rows are there.
MapSize size(const MapRequest& request) {
  const bool low_order = std::get<Binning>(request.options).order_high > 0;
  return {.features = request.features ? request.features : low_order ? kLowOrderGrids : kGrids, .bounded = true};
}

}  // namespace

MapKind binning_kind() {
  return {.name = "binning",
          .usage = "binning[:law=hat,order=1-2,pursuit=20,min_rows=2]",
          .learnt_with_head = true,
          .no_sums = "its sweeps pass over the rows again and again, so there is no sum to merge",
          .parse = parse,
          .words = words,
          .size = size,
          .load = load_binning};
}

}  // namespace bochner
