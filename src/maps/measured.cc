// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/measured.h"

#include "base/archive.h"
#include "base/require.h"
#include "maps/load.h"

namespace bochner {

namespace {

class MeasuredMap final : public Map {
 public:
  MeasuredMap(MapPtr map, Figures figures) : map_(std::move(map)), figures_(std::move(figures)) {
    require(map_ != nullptr, "figures: found no map");
  }

  std::size_t inputs() const override { return map_->inputs(); }
  std::size_t outputs() const override { return map_->outputs(); }
  void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const override {
    map_->apply(on, block, out);
  }
  void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const override {
    map_->apply(on, block, out);
  }
  std::size_t nonzeros() const override { return map_->nonzeros(); }
  bool apply_sparse(const Backend& on, const RowBlock<float>& block, SparseRows<float>& rows) const override {
    return map_->apply_sparse(on, block, rows);
  }
  bool apply_sparse(const Backend& on, const RowBlock<double>& block, SparseRows<double>& rows) const override {
    return map_->apply_sparse(on, block, rows);
  }
  std::size_t rows_at_once() const override { return map_->rows_at_once(); }
  double bound() const override { return map_->bound(); }
  std::optional<Outputs> puts_out() const override { return map_->puts_out(); }
  std::size_t held_bytes() const override { return map_->held_bytes(); }
  MapPtr inverse(const MapPtr&) const override { return map_->inverse(map_); }
  MapParts parts() const override { return map_->parts(); }
  double largest_coefficient() const override { return map_->largest_coefficient(); }
  std::string spec() const override { return map_->spec(); }

  void save(Archive& archive) const override {
    archive.tree["type"] = "measured";
    archive.tree["figures"] = nlohmann::json::object();
    for (const auto& [name, numbers] : figures_) archive.tree["figures"][name] = numbers;
    Archive map;
    map_->save(map);
    archive.put_child("map", std::move(map));
  }

 private:
  MapPtr map_;
  Figures figures_;
};

}  // namespace

MapPtr measured(MapPtr map, Figures figures) {
  return std::make_shared<MeasuredMap>(std::move(map), std::move(figures));
}

namespace {

Figures figures_from(const Archive& archive) {
  Figures figures;
  const nlohmann::json& tree = get_node(archive.tree, "figures");
  require(tree.is_object(), "figures: found no object");
  for (const auto& [name, numbers] : tree.items()) {
    require(numbers.is_array(), "figures: '{}' is no list", name);
    std::vector<double>& list = figures.emplace_back(name, std::vector<double>()).second;
    for (const nlohmann::json& number : numbers) {
      require(number.is_number(), "figures: '{}' holds something that is no number", name);
      list.push_back(number.get<double>());
    }
  }
  return figures;
}

}  // namespace

Figures figures_of(const Map& map) {
  Archive archive;
  map.save(archive);
  return archive.tree.contains("type") && archive.tree["type"] == "measured" ? figures_from(archive) : Figures{};
}

std::vector<double> figure_of(const Map& map, const std::string& name) {
  for (const auto& [known, numbers] : figures_of(map))
    if (known == name) return numbers;
  return {};
}

MapPtr load_measured(const Archive& archive) {
  return build_from_model([&] { return measured(load_map(archive.child("map")), figures_from(archive)); });
}

}  // namespace bochner
