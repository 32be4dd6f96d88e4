// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "base/archive.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_of.h"

namespace bochner {

namespace {

class ConcatMap final : public SparseMapOf<ConcatMap> {
 public:
  ConcatMap(std::vector<MapPtr> maps, std::vector<double> weights)
      : maps_(std::move(maps)), weights_(std::move(weights)) {
    require(!maps_.empty(), "concat: expected at least one map");
    if (weights_.empty()) weights_.assign(maps_.size(), 1.0);
    require(weights_.size() == maps_.size(), "concat: found {} weights for {} maps", weights_.size(), maps_.size());
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      require(weights_[i] > 0, "concat: weight {} is {}, expected a positive number", i, weights_[i]);
      require(maps_[i]->inputs() == maps_[0]->inputs(), "concat: map {} takes {} inputs, the first takes {}", i,
              maps_[i]->inputs(), maps_[0]->inputs());
      outputs_ += maps_[i]->outputs();
    }
  }

  std::size_t inputs() const override { return maps_[0]->inputs(); }
  std::size_t outputs() const override { return outputs_; }
  std::size_t held_bytes() const override {
    std::size_t sum = 0;
    for (const MapPtr& map : maps_) sum += map->held_bytes();
    return sum;
  }
  double bound() const override {
    double most = 0;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      if (maps_[i]->bound() == 0) return 0;
      most = std::max(most, std::sqrt(weights_[i]) * maps_[i]->bound());
    }
    return most;
  }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    std::size_t begin = 0;
    for (std::size_t m = 0; m < maps_.size(); ++m) {
      const MatrixView<T> part{out.data + begin, out.rows, maps_[m]->outputs(), out.stride};
      maps_[m]->apply(on, block, part);
      if (const T root = T(std::sqrt(weights_[m])); root != T(1))
        for (std::size_t i = 0; i < part.rows; ++i)
          for (std::size_t j = 0; j < part.cols; ++j) part(i, j) *= root;
      begin += part.cols;
    }
  }

  // CSR where a part has it whatever comes in; the others' features are then in every row.
  std::size_t nonzeros() const override {
    std::size_t sum = 0;
    bool any = false;
    for (const MapPtr& map : maps_) {
      any |= map->nonzeros() > 0;
      sum += map->nonzeros() > 0 ? map->nonzeros() : map->outputs();
    }
    return any ? sum : 0;
  }
  template <class T>
  bool add_sparse(const Backend& on, const RowBlock<T>& block, SparseRows<T>& rows) const {
    if (nonzeros() == 0) return false;
    std::vector<SparseRows<T>> sparse(maps_.size());
    std::vector<Matrix<T>> dense(maps_.size());
    for (std::size_t m = 0; m < maps_.size(); ++m) {
      if (maps_[m]->apply_sparse(on, block, sparse[m])) continue;
      dense[m] = Matrix<T>(block.rows, maps_[m]->outputs());
      maps_[m]->apply(on, block, dense[m].view());
    }
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::size_t begin = 0;
      for (std::size_t m = 0; m < maps_.size(); begin += maps_[m++]->outputs()) {
        const T root = T(std::sqrt(weights_[m]));
        if (dense[m].rows() == 0)
          rows.append(sparse[m].view(maps_[m]->outputs()), i, begin, root);
        else
          for (std::size_t j = 0; j < dense[m].cols(); ++j)
            rows.add(begin + j, root == T(1) ? dense[m](i, j) : root * dense[m](i, j));
      }
      rows.end_row();
    }
    return true;
  }

  std::string spec() const override {
    std::string text;
    for (std::size_t i = 0; i < maps_.size(); ++i)
      text += fmt::format("{}{} * {}", i ? " + " : "", weights_[i], maps_[i]->spec());
    return text;
  }
  void save(Archive& archive) const override {
    archive.tree["type"] = "concat";
    archive.put<double>("weights", weights_, {weights_.size()});
    save_parts(archive, maps_);
  }

  MapParts parts() const override { return {MapParts::How::concat, maps_, weights_}; }

 private:
  std::vector<MapPtr> maps_;
  std::vector<double> weights_;
  std::size_t outputs_ = 0;
};

}  // namespace

MapPtr concat(std::vector<MapPtr> maps, std::vector<double> weights) {
  return std::make_shared<ConcatMap>(std::move(maps), std::move(weights));
}

MapPtr load_concat(const Archive& archive) {
  return build_from_model([&] {
    std::vector<MapPtr> parts = load_parts(archive);
    std::vector<double> weights = archive.get<double>("weights", {parts.size()});
    return concat(std::move(parts), std::move(weights));
  });
}

}  // namespace bochner
