// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/require.h"

namespace bochner {

namespace {
constexpr const char* kNames[] = {"values",  "scores",   "probabilities", "components", "clusters",
                                  "density", "variance", "neighbours",    "quantiles"};
}

std::string outputs_name(Outputs::Kind kind) { return kNames[std::size_t(kind)]; }

Outputs::Kind parse_outputs_name(const std::string& text) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), text);
  require(found != std::end(kNames), "outputs: found \"{}\", expected {}", text, fmt::join(kNames, ", "));
  return Outputs::Kind(found - std::begin(kNames));
}

}  // namespace bochner
