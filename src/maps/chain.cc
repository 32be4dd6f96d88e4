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

class ChainMap final : public SparseMapOf<ChainMap> {
 public:
  explicit ChainMap(std::vector<MapPtr> maps) : maps_(std::move(maps)) {
    require(!maps_.empty(), "chain: expected at least one map");
    for (std::size_t i = 1; i < maps_.size(); ++i)
      require(maps_[i]->inputs() == maps_[i - 1]->outputs(),
              "chain: map {} takes {} inputs, but the one before gives {}", i, maps_[i]->inputs(),
              maps_[i - 1]->outputs());
    for (std::size_t i = 0; i + 1 < maps_.size(); ++i)
      if (maps_[i]->nonzeros() == 0) widest_ = std::max(widest_, maps_[i]->outputs());
  }

  std::size_t inputs() const override { return maps_.front()->inputs(); }
  std::size_t outputs() const override { return maps_.back()->outputs(); }
  double bound() const override { return maps_.back()->bound(); }
  std::optional<Outputs> puts_out() const override { return maps_.back()->puts_out(); }
  std::size_t held_bytes() const override {
    std::size_t sum = (maps_.size() > 2 ? 2 : 1) * widest_ * sizeof(float);
    for (const MapPtr& map : maps_) sum += map->held_bytes();
    return sum;
  }
  // Fewer where what lies between two maps is wide, so that it does not take much memory.
  std::size_t rows_at_once() const override {
    constexpr std::size_t kBetween = std::size_t(1) << 24;  // numbers
    std::size_t most = 0;
    for (const MapPtr& map : maps_) most = std::max(most, map->rows_at_once());
    return widest_ > 0 ? std::clamp<std::size_t>(kBetween / widest_, 1, most) : most;
  }

  MapPtr inverse(const MapPtr&) const override {
    std::vector<MapPtr> back;
    for (auto map = maps_.rbegin(); map != maps_.rend(); ++map) {
      back.push_back((*map)->inverse(*map));
      if (!back.back()) return nullptr;
    }
    return chain(std::move(back));
  }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    before_last(on, block, [&](const RowBlock<T>& last) { maps_.back()->apply(on, last, out); });
  }

  std::size_t nonzeros() const override { return maps_.back()->nonzeros(); }
  template <class T>
  bool add_sparse(const Backend& on, const RowBlock<T>& block, SparseRows<T>& rows) const {
    bool able = false;
    before_last(on, block, [&](const RowBlock<T>& last) { able = maps_.back()->apply_sparse(on, last, rows); });
    return able;
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
  // use(the block that the last map takes). One buffer holds a block, the other takes the next.
  template <class T, class Use>
  void before_last(const Backend& on, RowBlock<T> block, const Use& use) const {
    const std::size_t size = block.rows * widest_;
    const Lease<T> first(size), second(maps_.size() > 2 ? size : 0);
    const Leased<SparseRows<T>> even, odd;
    for (std::size_t i = 0; i + 1 < maps_.size(); ++i) {
      SparseRows<T>& sparse = i % 2 ? *odd : *even;
      sparse.clear();
      const std::size_t cols = maps_[i]->outputs();
      if ((block.sparse() || maps_[i]->nonzeros() > 0) && maps_[i]->apply_sparse(on, block, sparse)) {
        block = sparse.view(cols, block);
        continue;
      }
      const MatrixView<T> next{(i % 2 ? second : first).data(), block.rows, cols, cols};
      maps_[i]->apply(on, block, next);
      block = block.with_values(next);
    }
    use(block);
  }

  std::vector<MapPtr> maps_;
  std::size_t widest_ = 0;  // outputs of the widest dense map that is not the last
};

}  // namespace

MapPtr Map::inverse(const MapPtr&) const { return nullptr; }

MapPtr chain(std::vector<MapPtr> maps) {
  if (maps.size() == 1) return maps[0];
  return std::make_shared<ChainMap>(std::move(maps));
}

MapPtr load_chain(const Archive& archive) {
  return build_from_model([&] { return chain(load_parts(archive)); });
}

}  // namespace bochner
