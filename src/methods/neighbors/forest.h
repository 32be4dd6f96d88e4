// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "backend/workers.h"
#include "bochner/archive.h"
#include "bochner/matrix.h"

namespace bochner {

// A random-projection tree (Dasgupta & Freund, STOC 2008) over rows of m coordinates: a node looks at some of the
// tree's directions, takes the one along which its rows spread most, and cuts at their median. A direction is like the
// difference of two rows: the spread of a coordinate times a normal draw. With a spill (Dasgupta & Sinha, COLT 2013:
// virtual spill trees) rows lie in one leaf each, and what is searched near a cut goes to both sides of it.
class Tree {
 public:
  static constexpr std::size_t kDirections = 32, kLooks = 16;

  struct Splits {
    std::size_t leaf;  // about so many rows a leaf
    double spill = 0;  // the share of a node's rows, on either side of its cut, that are near it
  };
  // A function of the rows, the seed and the number. spread: that of `coords`.
  static Tree grow(const Workers& on, MatrixView<const float> coords, std::span<const double> spread,
                   std::uint64_t seed, std::uint64_t number, const Splits& splits);

  std::size_t leaves() const { return std::size_t(1) << depth_; }
  std::span<const std::uint32_t> order() const { return order_; }  // places, leaf by leaf
  // The places of its rows, ascending.
  std::span<const std::uint32_t> leaf(std::size_t number) const;
  // The leaves that each row falls into: first that of its own side of every cut.
  std::vector<std::vector<std::uint32_t>> find(const Workers& on, MatrixView<const float> coords) const;

  void save(Archive& archive) const;
  // rows, dims: what it must be of. Error::Kind::model for anything else.
  static Tree load(const Archive& archive, std::size_t rows, std::size_t dims);

 private:
  std::size_t depth_ = 0;
  Matrix<float> directions_;          // m x kDirections
  std::vector<std::uint32_t> look_;   // each inner node's direction, as in a heap
  std::vector<float> cut_;            // rows below it go to the left
  std::vector<float> low_, high_;     // rows between them are near the cut and go both ways; empty: no spill
  std::vector<std::uint32_t> order_;  // places, leaf after leaf
  std::vector<std::size_t> bounds_;   // where each leaf begins in order_, and the end
};

// The standard deviation of each column.
std::vector<double> spreads(MatrixView<const float> x);

// Where leaves begin: `rows` halved `depth` times, the left half the smaller.
std::vector<std::size_t> leaf_bounds(std::size_t rows, std::size_t depth);

}  // namespace bochner
