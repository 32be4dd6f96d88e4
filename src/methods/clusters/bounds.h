// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/workers.h"
#include "folds/stored_rows.h"
#include "methods/clusters/lloyd.h"

namespace bochner {

// Where every row is, and how far at most from its centre and at least from each group of others. Bounds hold whatever
// rounding does: they are widened by what a distance in float may be wrong.
class Assignments {
 public:
  // group_edges: group g has the centres group_edges[g] .. group_edges[g + 1].
  Assignments(std::size_t rows, std::vector<std::size_t> group_edges);

  // The centres that distances are to from now on. Where there were others before, bounds are moved by their steps.
  void set_centres(std::shared_ptr<const Centres> centres, Threads& threads);
  // Whether the nearest centre of a row may be another than its own.
  bool open(std::size_t row) const { return open_[row]; }
  std::uint32_t label(std::size_t row) const { return labels_[row]; }
  bool fresh() const { return fresh_; }
  void settle() { fresh_ = false; }  // every row has a label now
  // A row that was taken to another cluster by somebody else.
  void take(std::size_t row, std::uint32_t label);

  // How many rows are looked at together: those that look at one group have their numbers in a core's own cache.
  std::size_t piece_rows(std::size_t width) const { return std::clamp<std::size_t>(65536 / width * groups(), 8, 192); }
  // Where rows are, their bounds about `centres`, for a run that goes on later.
  void save(Archive& archive) const;
  void load(const Archive& archive, std::shared_ptr<const Centres> centres);

  // Looks at some rows of a store again: their labels, bounds and, in `moves`, who changed; `squares`: w |z|^2 of rows
  // that had no label. One thread.
  template <class T>
  void look(const Backend& ops, const StoredRows<T>& rows, double unit, const std::vector<double>& weights,
            std::vector<Move<T>>& moves, std::vector<double>& squares);

 private:
  template <class C>
  struct Looking;

  std::size_t groups() const { return edges_.size() - 1; }
  std::size_t group_of(std::size_t centre) const { return group_of_[centre]; }
  float* lower(std::size_t row) { return &lower_[row * groups()]; }
  template <class C, class T>
  bool closed_by_own(const T* z, double unit, std::size_t row, C* to, double& own);
  template <class C>
  void look_at_group(const Backend& ops, Looking<C>& at, std::size_t g);
  template <class C>
  std::uint32_t settle_row(const Looking<C>& at, std::size_t i);

  std::vector<std::size_t> edges_;
  std::vector<std::uint32_t> group_of_;
  std::shared_ptr<const Centres> centres_;
  double largest_square_ = 0;  // the largest |centre|^2
  bool fresh_ = true;
  std::vector<std::uint32_t> labels_;
  std::vector<double> squares_;  // |z|^2
  std::vector<float> upper_, lower_;
  std::vector<std::uint8_t> open_;
};

}  // namespace bochner
