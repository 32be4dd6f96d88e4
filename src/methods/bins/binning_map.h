// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.h"
#include "backend/bins.h"
#include "base/hash_index.h"
#include "base/lease.h"
#include "bochner/binning.h"
#include "bochner/map.h"

namespace bochner {

// How rows are packed for the options' grids: grids of a low order look at groups apart.
std::vector<std::uint32_t> packing_groups(std::size_t inputs, const BinningOptions& options);

// Random binning features of the bins that training rows occupy. Grid g puts a row into one bin; output
// offset(g) + c is sqrt(1/P) for the bin numbered c and 0 for the grid's other bins. A row in a bin that no
// training row occupied has no 1 in that grid. The grids are draws; the map keeps the occupied bins' hashes.
class BinningMap final : public Map {
 public:
  // bins[g]: hashes of grid g's bins in column order. ids: which draws the grids are; empty: 0, 1, ...
  BinningMap(std::size_t inputs, BinningOptions options, std::vector<std::vector<std::uint64_t>> bins,
             std::vector<std::uint64_t> ids = {});

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return offsets_.back(); }
  void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const override;
  void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const override;
  std::size_t nonzeros() const override { return options_.grids; }
  bool apply_sparse(const Backend& on, const RowBlock<float>& block, SparseRows<float>& rows) const override;
  bool apply_sparse(const Backend& on, const RowBlock<double>& block, SparseRows<double>& rows) const override;
  double bound() const override;
  std::unique_ptr<CheckSubject> check_subject(const MapPtr& self, bool double_precision) const override;
  std::size_t rows_at_once() const override { return 1024; }  // they read one grid's table at a time
  std::string spec() const override;
  void save(Archive& archive) const override;

  const BinningOptions& options() const { return options_; }
  const std::vector<std::uint64_t>& draws() const { return ids_; }  // which draw each grid is
  std::size_t grids() const { return options_.grids; }
  std::size_t offset(std::size_t g) const { return offsets_[g]; }  // first output of grid g; g <= grids()
  const HashIndex& table(std::size_t g) const { return tables_[g]; }
  std::size_t bytes() const;

  // visit(g, columns): for each grid the bin of every row, HashIndex::kNone where it was never occupied.
  template <class T, class Visit>
  void each_grid(const Backend& on, const RowBlock<T>& block, const Visit& visit) const {
    check(block.cols);
    const Lease<std::uint64_t> hashes(block.rows);
    const Lease<std::uint32_t> columns(block.rows);
    const bool few = block.rows <= kFewRows && !block.sparse();  // packing would cost more than it saves
    const PackedRows<T> rows = few ? PackedRows<T>() : pack_rows<T>(block, packing_groups(inputs_, options_));
    for (std::size_t g = 0; g < options_.grids; ++g) {
      if (few)
        plain_bin_hashes(block, grid_as<T>()[g], hashes.data());
      else
        on.bin_hashes(rows, grid_as<T>()[g], hashes.data());
      tables_[g].find({hashes.data(), block.rows}, columns.data());
      visit(g, columns.data());
    }
  }

  std::size_t held_bytes() const override {
    return options_.grids * inputs_ * (2 * sizeof(float) + 3 * sizeof(std::uint32_t));  // as Grid has them
  }

 private:
  template <class T>
  struct Lazy {
    std::once_flag once;
    std::vector<Grid<T>> grids;
  };
  template <class T>
  const std::vector<Grid<T>>& grid_as() const;
  template <class T>
  void apply_as(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const;
  template <class T>
  void add_sparse(const Backend& on, const RowBlock<T>& block, SparseRows<T>& rows) const;
  void check(std::size_t cols) const;
  static constexpr std::size_t kFewRows = 4;

  std::size_t inputs_;
  BinningOptions options_;
  std::vector<std::uint64_t> ids_;
  std::vector<HashIndex> tables_;
  std::vector<std::size_t> offsets_;
  mutable Lazy<float> float_;
  mutable Lazy<double> double_;
};

template <>
const std::vector<Grid<float>>& BinningMap::grid_as() const;
template <>
const std::vector<Grid<double>>& BinningMap::grid_as() const;

// What save() wrote. Error::Kind::model when a field is absent or makes no sense.
std::shared_ptr<const BinningMap> load_binning(const Archive& archive);

}  // namespace bochner
