// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "methods/bins/binning_map.h"

namespace bochner {

// A linear head on binning features, looked up without writing them: y_k = intercept_k + sum_g v[bin_g(x), k].
// The sqrt(1/P) of the features is inside v. Coefficients are float: there are millions of them, each the
// shrunken mean of a bin, and the grids' scatter is thousands of times their rounding.
class GridLinear final : public Map {
 public:
  // values: bins->outputs() x intercept.size(), row-major.
  GridLinear(std::shared_ptr<const BinningMap> bins, std::vector<float> values, std::vector<double> intercept);

  std::size_t inputs() const override { return bins_->inputs(); }
  std::size_t held_bytes() const override { return bins_->held_bytes(); }
  std::size_t outputs() const override { return intercept_.size(); }
  void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const override;
  void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const override;
  std::unique_ptr<CheckSubject> check_subject(const MapPtr& self, bool double_precision) const override;
  double largest_coefficient() const override;
  std::size_t rows_at_once() const override { return 1024; }  // they read one grid's table at a time
  std::string spec() const override;
  void save(Archive& archive) const override;

  const BinningMap& bins() const { return *bins_; }
  const std::shared_ptr<const BinningMap>& bins_pointer() const { return bins_; }
  const std::vector<float>& values() const { return values_; }
  const std::vector<double>& intercept() const { return intercept_; }
  std::size_t bytes() const { return bins_->bytes() + values_.size() * sizeof(float); }  // held in memory

 private:
  template <class T>
  void apply_as(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const;

  std::shared_ptr<const BinningMap> bins_;
  std::vector<float> values_;
  std::vector<double> intercept_;
};

// The bins that a head of grids holds; null: the map is no such head.
std::shared_ptr<const BinningMap> bins_held_by(const Map& head);

// What save() wrote. Error::Kind::model when a field is absent or makes no sense.
MapPtr load_grid_linear(const Archive& archive);

}  // namespace bochner
