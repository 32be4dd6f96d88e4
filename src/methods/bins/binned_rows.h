// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "methods/bins/binning_map.h"
#include "methods/bins/conjugate.h"

namespace bochner {

// The grids of a fit, their bins and the bins of the rows; the latter for a batch of grids at a time where memory is
// short: then every pass finds them again.
template <class T>
class BinnedRows final : public BinSource {
 public:
  // memory: bytes for the bins of the rows. 0: half of what is free.
  BinnedRows(Threads& threads, const GridRows<T>& rows, std::span<const float> weight, const BinningOptions& binning,
             std::size_t memory);

  std::size_t grids() const override { return ids_.size(); }
  void each(bool ascending, const Visit& visit) override;
  const OccupiedBins& bins(std::size_t g) const override { return bins_[g]; }
  const std::uint32_t* columns(std::size_t g) const override { return columns_.data() + (g % batch_) * rows_.rows; }

  std::size_t batch() const { return batch_; }        // grids that stand together
  std::vector<std::uint64_t>& ids() { return ids_; }  // the draws; a change counts until the grid is first filled
  // Fills grids begin .. begin + count - 1 of one batch, unless they stand.
  void fill(std::size_t begin, std::size_t count);
  // The bins of all grids before `known`, to go on where another run stopped.
  void find(std::size_t known);

  // The map of these grids; their bins go into it.
  std::shared_ptr<const BinningMap> take_map();

 private:
  std::uint32_t* columns_of(std::size_t g) { return columns_.data() + (g % batch_) * rows_.rows; }

  Threads& threads_;
  const GridRows<T>& rows_;
  std::span<const float> weight_;
  const BinningOptions& binning_;
  std::vector<std::uint64_t> ids_;
  std::vector<OccupiedBins> bins_;
  std::vector<BinScratch> scratch_;
  std::size_t batch_ = 1;
  AlignedVector<std::uint32_t> columns_;  // batch x rows
  std::vector<std::size_t> loaded_;       // the grid whose columns are at each place of the batch
};

}  // namespace bochner
