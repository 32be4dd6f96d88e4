// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/nearest_codes.h"
#include "backend/radial.h"
#include "methods/neighbors/compare.h"

namespace bochner {

// Points in cells of some that lie together: the leaves of a random-projection tree, whose points then move to the
// nearest centre (Lloyd 1982). Points are compared as signed bytes of their coordinates, whose products are exact, or
// by the coordinates themselves. By bytes a point meets those of the cells whose centres are nearest to it, among the
// cells that its own knows; by coordinates those of the cells nearest to its own.
class Cells {
 public:
  Cells(const Workers& on, const Field& coords, std::uint64_t seed);

  std::size_t count() const { return first_.size() - 1; }
  std::span<const std::uint32_t> order() const { return order_; }  // places, cell by cell
  bool by_bytes() const { return !codes_.empty(); }
  // Points are compared by their coordinates from now on.
  void leave_bytes(const Workers& on);

  // How many of the nearest cells each cell knows.
  std::size_t known() const { return known_; }
  void know(const Workers& on, std::size_t nearest);
  // The cells that the points at some places meet, nearest first: places x known.
  std::vector<std::uint32_t> near(const Workers& on, std::span<const std::uint32_t> places) const;
  // The points at some places meet those of their near cells from the begin-th to the end-th. Numbers of `best` are
  // places in order().
  void meet(const Workers& on, std::span<const std::uint32_t> places, std::span<const std::uint32_t> near,
            std::size_t begin, std::size_t end, Best& best) const;
  // The same with every point, by bytes.
  void meet_every(const Workers& on, std::span<const std::uint32_t> places, Best& best) const;
  // The best of every point of its `nearest` cells, by places, in no order.
  Best meet_all(const Workers& on, std::size_t nearest, std::size_t keep) const;
  // Turns numbers in order() into places.
  void name(std::uint32_t* numbers, std::size_t count) const;

 private:
  void make_codes(const Workers& on);
  void find_centres(std::span<const std::uint32_t> cell_of, std::size_t step);
  void move_points(const Workers& on, std::vector<std::uint32_t>& cell_of, std::size_t step) const;
  void split_large(std::vector<std::uint32_t>& cell_of);
  void sort_points(const Workers& on, std::span<const std::uint32_t> cell_of);
  void meet_cell(const Workers& on, std::size_t row, std::size_t rows, std::size_t cell, const NearestView& best) const;
  void measure_centres(std::size_t cell, std::size_t panel, std::int32_t* far) const;
  void meet_near(std::size_t cell, std::size_t nearest, NearCodes& near) const;

  Field coords_;
  std::size_t depth_ = 0;
  AlignedVector<std::int8_t> codes_;  // rows x depth, in the order of places while cells are made, then cell by cell
  std::vector<std::int8_t> centres_;  // cells x depth
  std::vector<std::int32_t> half_centres_;   // half the squared length of each, rounded down
  std::vector<std::uint32_t> order_, rank_;  // rank_: where each place is in order_
  std::vector<std::uint32_t> cell_;          // the cell of each entry of order_
  std::vector<std::size_t> first_;           // where each cell begins in order_, and the end
  std::vector<std::uint32_t> self_;
  std::vector<CodePanels> panels_;
  std::size_t known_ = 0;
  std::vector<std::uint32_t> near_;  // cells x known, nearest first
  Matrix<float> rows_;               // coordinates cell by cell, with their halves and panels, where compared by them
  std::vector<float> half_;
  std::vector<PointPanels<float>> float_panels_;
};

}  // namespace bochner
