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

class ChainMap final : public MapOf<ChainMap> {
 public:
  explicit ChainMap(std::vector<MapPtr> maps) : maps_(std::move(maps)) {
    require(!maps_.empty(), "chain: expected at least one map");
    for (std::size_t i = 1; i < maps_.size(); ++i)
      require(maps_[i]->inputs() == maps_[i - 1]->outputs(),
              "chain: map {} takes {} inputs, but the one before gives {}", i, maps_[i]->inputs(),
              maps_[i - 1]->outputs());
    for (std::size_t i = 0; i + 1 < maps_.size(); ++i) widest_ = std::max(widest_, maps_[i]->outputs());
  }

  std::size_t inputs() const override { return maps_.front()->inputs(); }
  std::size_t outputs() const override { return maps_.back()->outputs(); }
  double bound() const override { return maps_.back()->bound(); }
  std::optional<Outputs> puts_out() const override { return maps_.back()->puts_out(); }
  std::size_t rows_at_once() const override {
    std::size_t most = 0;
    for (const MapPtr& map : maps_) most = std::max(most, map->rows_at_once());
    return most;
  }

  template <class T>
  void apply_rows(const Backend& on, RowBlock<T> block, MatrixView<T> out) const {
    // One holds the block, the other takes the next. Positions in a slice of a CSR block are absolute, so that a
    // buffer spans from 0.
    const std::size_t size = std::max(block.rows * widest_, block.sparse() ? block.offsets[block.rows] : 0);
    const Lease<T> first(size), second(maps_.size() > 2 ? size : 0);
    for (std::size_t i = 0; i + 1 < maps_.size(); ++i) {
      const Lease<T>& buffer = i % 2 ? second : first;
      if (block.sparse()) {
        if (maps_[i]->apply_sparse(block, buffer.data())) {
          block.values = buffer.data();
          continue;
        }
      }
      const MatrixView<T> next{buffer.data(), block.rows, maps_[i]->outputs(), maps_[i]->outputs()};
      maps_[i]->apply(on, block, next);
      block.values = next.data;
      block.stride = block.cols = next.cols;
      block.offsets = nullptr;
      block.columns = nullptr;
    }
    maps_.back()->apply(on, block, out);
  }

  std::string spec() const override {
    std::string text;
    for (const MapPtr& map : maps_) text += (text.empty() ? "" : " | ") + map->spec();
    return text;
  }
  void save(Archive& archive) const override {
    archive.tree["type"] = "chain";
    save_parts(archive, maps_);
  }

  MapParts parts() const override { return {MapParts::How::chain, maps_}; }
  double largest_coefficient() const override { return largest_coefficient_of(maps_); }

 private:
  std::vector<MapPtr> maps_;
  std::size_t widest_ = 0;  // of what lies between two maps
};

}  // namespace

MapPtr chain(std::vector<MapPtr> maps) {
  if (maps.size() == 1) return maps[0];
  return std::make_shared<ChainMap>(std::move(maps));
}

MapPtr load_chain(const Archive& archive) {
  return build_from_model([&] { return chain(load_parts(archive)); });
}

}  // namespace bochner
