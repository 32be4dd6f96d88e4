// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/binned_rows.h"

#include <algorithm>
#include <numeric>

#include "base/memory.h"
#include "methods/bins/draw_grid.h"

namespace bochner {

namespace {

constexpr std::size_t kEmpty = ~std::size_t{0};

}  // namespace

template <class T>
BinnedRows<T>::BinnedRows(Threads& threads, const GridRows<T>& rows, std::span<const float> weight,
                          const BinningOptions& binning, std::size_t memory)
    : threads_(threads),
      rows_(rows),
      weight_(weight),
      binning_(binning),
      ids_(binning.grids),
      bins_(binning.grids),
      scratch_(std::size_t(threads.count())) {
  std::iota(ids_.begin(), ids_.end(), std::uint64_t(0));
  const std::size_t budget = memory ? memory : default_memory() / 2;
  batch_ = std::clamp<std::size_t>(budget / (sizeof(std::uint32_t) * rows.rows), 1, binning.grids);
  columns_.resize(batch_ * rows.rows);
  loaded_.assign(batch_, kEmpty);
}

template <class T>
void BinnedRows<T>::each(bool ascending, const Visit& visit) {
  const std::size_t batches = (grids() + batch_ - 1) / batch_;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t begin = (ascending ? b : batches - 1 - b) * batch_, count = std::min(batch_, grids() - begin);
    fill(begin, count);
    visit(begin, count);
  }
}

template <class T>
void BinnedRows<T>::fill(std::size_t begin, std::size_t count) {
  threads_.run(count, [&](std::size_t k, int thread) {
    const std::size_t g = begin + k;
    if (loaded_[g % batch_] == g) return;
    loaded_[g % batch_] = kEmpty;
    const Grid<T> grid = draw_grid<T>(rows_.inputs, binning_, ids_[g]);
    if (bins_[g].size() == 0) {
      bins_[g] = occupy(rows_, grid, binning_, weight_, scratch_[std::size_t(thread)], columns_of(g));
    } else {
      const HashIndex table(bins_[g].hashes);
      std::vector<std::uint64_t> hashes(GridRows<T>::kBlock);
      for (const PackedRows<T>& block : rows_.blocks) {
        rows_.on->bin_hashes(block, grid, hashes.data());
        table.find({hashes.data(), block.rows}, columns_of(g) + block.first);
      }
      std::replace(columns_of(g), columns_of(g) + rows_.rows, HashIndex::kNone, std::uint32_t(bins_[g].size()));
    }
    loaded_[g % batch_] = g;
  });
}

template <class T>
void BinnedRows<T>::find(std::size_t known) {
  for (std::size_t begin = 0; begin < known; begin += batch_) fill(begin, std::min(batch_, known - begin));
}

template <class T>
std::shared_ptr<const BinningMap> BinnedRows<T>::take_map() {
  columns_ = AlignedVector<std::uint32_t>();
  scratch_.clear();
  std::vector<std::vector<std::uint64_t>> hashes;
  for (OccupiedBins& bins : bins_) {
    hashes.push_back(std::move(bins.hashes));
    bins = OccupiedBins();
  }
  return std::make_shared<BinningMap>(rows_.inputs, binning_, std::move(hashes), std::move(ids_));
}

template class BinnedRows<float>;
template class BinnedRows<double>;

}  // namespace bochner
