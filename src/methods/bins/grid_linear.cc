// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/grid_linear.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "base/finite.h"
#include "base/lease.h"
#include "base/require.h"
#include "maps/composed.h"

namespace bochner {

GridLinear::GridLinear(std::shared_ptr<const BinningMap> bins, std::vector<float> values, std::vector<double> intercept)
    : bins_(std::move(bins)), values_(std::move(values)), intercept_(std::move(intercept)) {
  require(!intercept_.empty() && values_.size() % intercept_.size() == 0 &&
              values_.size() / intercept_.size() == bins_->outputs(),
          "grid head: {} coefficients for {} outputs, expected {} bins times the outputs", values_.size(),
          intercept_.size(), bins_->outputs());
}

template <class T>
void GridLinear::apply_as(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
  const std::size_t K = outputs();
  require(out.rows == block.rows && out.cols == K, "grid head: output is {} x {}, expected {} x {}", out.rows, out.cols,
          block.rows, K);
  const Lease<double> sums(block.rows * K);
  double* const sum = sums.data();
  for (std::size_t i = 0; i < block.rows; ++i) std::copy_n(intercept_.data(), K, sum + i * K);
  bins_->each_grid(on, block, [&](std::size_t g, const std::uint32_t* columns) {
    const float* v = values_.data() + bins_->offset(g) * K;
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (columns[i] == HashIndex::kNone) continue;
      for (std::size_t k = 0; k < K; ++k) sum[i * K + k] += double(v[columns[i] * K + k]);
    }
  });
  for (std::size_t i = 0; i < block.rows; ++i)
    for (std::size_t k = 0; k < K; ++k) out(i, k) = T(sum[i * K + k]);
}

void GridLinear::apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const {
  apply_as(on, block, out);
}
void GridLinear::apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const {
  apply_as(on, block, out);
}

double GridLinear::largest_coefficient() const {
  return std::max(largest_size<float>(values_), largest_size<double>(intercept_));
}

std::string GridLinear::spec() const {
  return fmt::format("grid_linear:bins={},outputs={},{}", bins_->outputs(), outputs(), bins_->spec());
}

void GridLinear::save(Archive& archive) const {
  archive.tree = {{"type", "grid_linear"}, {"outputs", outputs()}};
  Archive bins;
  bins_->save(bins);
  archive.put_child("bins", std::move(bins));
  archive.put<float>("value", values_, {bins_->outputs(), outputs()});
  archive.put<double>("intercept", intercept_, {outputs()});
}

std::shared_ptr<const BinningMap> bins_held_by(const Map& head) {
  const auto* grids = dynamic_cast<const GridLinear*>(&head);
  return grids ? grids->bins_pointer() : nullptr;
}

MapPtr load_grid_linear(const Archive& archive) {
  if (const std::string type = get_text(archive.tree, "type"); type != "grid_linear")
    fail(Error::Kind::model, "grid head: type is '{}', expected 'grid_linear'", type);
  const std::uint64_t outputs = get_count(archive.tree, "outputs", std::uint64_t{1} << 32);
  auto bins = load_binning(archive.child("bins"));
  try {
    const std::size_t count = bins->outputs();
    std::vector<float> values = archive.get<float>("value", {count, outputs});
    std::vector<double> intercept = archive.get<double>("intercept", {outputs});
    require(all_finite<float>(values) && all_finite<double>(intercept), "grid head: a coefficient is not finite");
    return std::make_shared<GridLinear>(std::move(bins), std::move(values), std::move(intercept));
  } catch (const std::invalid_argument& wrong) {
    fail(Error::Kind::model, "{}", wrong.what());
  }
}

}  // namespace bochner
