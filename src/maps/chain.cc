// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/aligned.h"
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
  }

  std::size_t inputs() const override { return maps_.front()->inputs(); }
  std::size_t outputs() const override { return maps_.back()->outputs(); }
  double bound() const override { return maps_.back()->bound(); }
  std::size_t rows_at_once() const override {
    std::size_t most = 0;
    for (const MapPtr& map : maps_) most = std::max(most, map->rows_at_once());
    return most;
  }

  template <class T>
  void apply_rows(const Backend& on, RowBlock<T> block, MatrixView<T> out) const {
    AlignedVector<T> buffers[2];  // one holds the block, the other takes the next
    for (std::size_t i = 0; i + 1 < maps_.size(); ++i) {
      AlignedVector<T>& buffer = buffers[i % 2];
      if (block.sparse()) {
        // Positions in a slice of a CSR block are absolute, so the buffer spans from 0.
        buffer.resize(block.offsets[block.rows]);
        if (maps_[i]->apply_sparse(block, buffer.data())) {
          block.values = buffer.data();
          continue;
        }
      }
      buffer.resize(block.rows * maps_[i]->outputs());
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

  std::span<const MapPtr> parts() const { return maps_; }

 private:
  std::vector<MapPtr> maps_;
};

}  // namespace

MapPtr chain(std::vector<MapPtr> maps) {
  if (maps.size() == 1) return maps[0];
  return std::make_shared<ChainMap>(std::move(maps));
}

std::span<const MapPtr> chain_parts(const Map& map) {
  const auto* chain = dynamic_cast<const ChainMap*>(&map);
  return chain ? chain->parts() : std::span<const MapPtr>();
}

MapPtr load_chain(const Archive& archive) {
  return build_from_model([&] { return chain(load_parts(archive)); });
}

}  // namespace bochner
