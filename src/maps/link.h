// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "bochner/archive.h"
#include "bochner/map.h"

namespace bochner {

// What answers are made of a head's scores, row by row.
//   exponential  mean = exp(score): the log link of a generalised linear model (Nelder & Wedderburn 1972), whose
//   variance
//                grows as mean^power: 1 Poisson's law, 2 Gamma's, Tweedie's between
//   ascending    the scores of one target's quantiles, sorted, so that none crosses another: their error grows nowhere
//                (Chernozhukov, Fernandez-Val & Galichon 2010)
struct Link {
  enum class Kind { exponential, ascending };

  Kind kind = Kind::exponential;
  double power = 1;                 // exponential: 1 to 2
  std::vector<double> levels = {};  // ascending: of the quantiles, growing

  bool operator==(const Link&) const = default;
};

// The head, and behind it a map from its scores to answers.
MapPtr linked(MapPtr head, Link link);
// The link of a head that linked() made; none: it is another map.
std::optional<Link> link_of(const Map& head);
// The head before its link; the head itself where there is none.
MapPtr unlinked(const MapPtr& head);

MapPtr load_link(const Archive& archive);

}  // namespace bochner
