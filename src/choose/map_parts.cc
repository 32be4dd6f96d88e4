// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/map_parts.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/spec.h"

namespace bochner {

namespace {

bool is_binning(const std::string& map) { return Spec(map).name() == "binning"; }

MapPart map_part(const TrainOptions& whole, const std::string& text, bool alone) {
  const Spec spec(text);
  MapPart part{whole, {}, 1};
  TrainOptions& options = part.options;
  options.map = spec.without({"features", "kernel", "bandwidth", "weight"});
  if (spec.has("features")) {
    const double features = spec.number("features", 0);
    require(features >= 1 && features == std::floor(features) && features < 1e15,
            "map: found features={}, expected a whole number", spec.text("features", ""));
    options.features = std::size_t(features);
  }
  if (spec.has("kernel")) options.kernel = parse_kernel(spec.text("kernel", ""));
  if (spec.has("bandwidth")) options.bandwidth = spec.text("bandwidth", "");
  if (spec.has("weight")) {
    require(!alone, "map: found weight={}, expected several parts", spec.text("weight", ""));
    part.weight = spec.number("weight", 1);
    require(*part.weight > 0 && std::isfinite(*part.weight), "map: found weight={}, expected a positive number",
            spec.text("weight", ""));
  }
  return part;
}

}  // namespace

bool MapPart::binning() const { return is_binning(options.map); }

std::vector<MapPart> map_parts(const TrainOptions& options) {
  const std::vector<std::string> texts = split_parts(options.map);
  std::vector<MapPart> parts;
  for (const std::string& text : texts) parts.push_back(map_part(options, text, texts.size() == 1));
  if (parts.size() == 1) return parts;

  std::size_t sharing = 0, bins = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Spec spec(texts[i]);
    TrainOptions& part = parts[i].options;
    require(spec.name() != "none", "map: found none in a mixture, expected fourier, nystroem or binning");
    if (!is_binning(texts[i])) {
      sharing += !spec.has("features");
      part.seed += i * 0x9E3779B97F4A7C15u;  // parts of one law must not draw the same frequencies
      continue;
    }
    ++bins;
    if (!spec.has("features")) part.features = 0;
    if (!spec.has("bandwidth") && part.bandwidth != "auto") part.bandwidth.clear();  // that of the others
    // The kernel of a mixture is the Fourier part's; bins follow it only where they can.
    if (!spec.has("law") && !spec.has("order") && !spec.has("kernel") &&
        options.kernel.family != Kernel::Family::laplacian)
      part.map += part.map.find(':') == part.map.npos ? ":law=hat" : ",law=hat";
  }
  require(bins <= 1, "map: found binning {} times, expected at most once in a mixture", bins);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!Spec(texts[i]).has("features")) parts[i].sharing = std::max<std::size_t>(1, sharing);
  return parts;
}

bool asks_for_binning(const TrainOptions& options) {
  return split_parts(options.map).size() == 1 && is_binning(options.map);
}

bool asks_for_mixture(const TrainOptions& options) { return !asks_for_binning(options) && asks_for_bins(options); }

bool asks_for_bins(const TrainOptions& options) {
  const std::vector<std::string> parts = split_parts(options.map);
  return std::any_of(parts.begin(), parts.end(), is_binning);
}

}  // namespace bochner
