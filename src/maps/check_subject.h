// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/threads.h"
#include "bochner/check.h"

namespace bochner {

// What the error stays within with probability 1 - delta; absent where no bound is known. Those of one pair and of
// these pairs bound a sum of independent terms by their moment generating function, or hold always.
struct ErrorBounds {
  std::optional<double> one_pair, these_pairs, as_far_apart;  // the last: of all pairs no further apart than the rows
  bool always = false;                                        // whatever the draw
};

// A map as a check sees it: what it estimates and what theory says of it. Matrices are n x n for n rows.
class CheckSubject {
 public:
  virtual ~CheckSubject() = default;

  virtual std::string kernel() const = 0;
  virtual std::string map() const = 0;
  virtual std::size_t features() const = 0;
  virtual bool random() const { return true; }        // other draws exist
  virtual bool unbiased() const { return random(); }  // z(x).z(y) is k(x, y) on average over draws
  virtual bool one_sided() const { return false; }
  // What a mixture's kernel and estimate are divided by, so that k(x, x) = 1: the sum of its weights.
  virtual double weight() const { return 1; }

  virtual void exact(MatrixView<const float> x, Threads& threads, MatrixView<double> K) const = 0;
  // z(x).z(y) of draw `draw`; 0: of the map itself.
  virtual void estimate(MatrixView<const float> x, std::uint64_t draw, Threads& threads,
                        MatrixView<double> G) const = 0;
  // The variance of one pair's estimate over draws; none: not known.
  virtual bool variance(MatrixView<const float>, Threads&, MatrixView<double>) const { return false; }
  virtual ErrorBounds bounds(MatrixView<const float> x, std::uint64_t pairs, double delta, Threads& threads) const = 0;
  virtual std::vector<std::string> notes() const { return {}; }
  virtual bool projects() const { return false; }  // it has distances in place of a kernel
  // The distortion that a projection allows, without the measured errors; none if this is not a projection.
  virtual std::optional<MapCheck::Distortion> distortion(MatrixView<const float>) const { return std::nullopt; }
};

}  // namespace bochner
