// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "base/archive.h"
#include "base/lease.h"
#include "base/require.h"
#include "maps/composed.h"
#include "maps/load.h"
#include "maps/map_of.h"

namespace bochner {

namespace {

class SumMap final : public MapOf<SumMap> {
 public:
  explicit SumMap(std::vector<MapPtr> maps) : maps_(std::move(maps)) {
    require(!maps_.empty(), "sum: expected at least one map");
    for (std::size_t i = 1; i < maps_.size(); ++i)
      require(maps_[i]->inputs() == maps_[0]->inputs() && maps_[i]->outputs() == maps_[0]->outputs(),
              "sum: map {} is {} -> {}, the first is {} -> {}", i, maps_[i]->inputs(), maps_[i]->outputs(),
              maps_[0]->inputs(), maps_[0]->outputs());
  }

  std::size_t inputs() const override { return maps_[0]->inputs(); }
  std::size_t outputs() const override { return maps_[0]->outputs(); }
  std::optional<Outputs> puts_out() const override { return maps_[0]->puts_out(); }
  std::size_t held_bytes() const override {
    std::size_t sum = 0;
    for (const MapPtr& map : maps_) sum += map->held_bytes();
    return sum;
  }
  std::size_t rows_at_once() const override {
    std::size_t most = 0;
    for (const MapPtr& map : maps_) most = std::max(most, map->rows_at_once());
    return most;
  }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    maps_[0]->apply(on, block, out);
    const Lease<T> buffer(out.rows * out.cols);
    const MatrixView<T> next{buffer.data(), out.rows, out.cols, out.cols};
    for (std::size_t m = 1; m < maps_.size(); ++m) {
      maps_[m]->apply(on, block, next);
      for (std::size_t i = 0; i < out.rows; ++i)
        for (std::size_t k = 0; k < out.cols; ++k) out(i, k) += next(i, k);
    }
  }

  std::string spec() const override {
    std::string text;
    for (const MapPtr& map : maps_) text += (text.empty() ? "" : " + ") + map->spec();
    return text;
  }
  void save(Archive& archive) const override {
    archive.tree["type"] = "sum";
    save_parts(archive, maps_);
  }

  MapParts parts() const override { return {MapParts::How::sum, maps_}; }
  double largest_coefficient() const override { return largest_coefficient_of(maps_); }

 private:
  std::vector<MapPtr> maps_;
};

}  // namespace

MapPtr sum(std::vector<MapPtr> maps) { return std::make_shared<SumMap>(std::move(maps)); }

MapPtr load_sum(const Archive& archive) {
  return build_from_model([&] { return sum(load_parts(archive)); });
}

}  // namespace bochner
