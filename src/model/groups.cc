// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/groups.h"

#include <cmath>
#include <unordered_map>

#include "base/require.h"
#include "model/mapped_rows.h"

namespace bochner {

namespace {

// Sums of one group, added in the order of rows.
struct GroupSums {
  std::string name;
  std::uint64_t rows = 0;
  double weight = 0;
  std::vector<double> features, targets;
};

class Grouping {
 public:
  Grouping(const Model& model, std::string path) : schema_(model.schema()), path_(std::move(path)) {}

  void add(const RowBlock<double>& block, KeptCells& cells) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      GroupSums& sums = group_of(cells.lines.front(), block);
      cells.lines.pop_front();
      const double w = block.weights ? block.weights[i] : 1;
      ++sums.rows;
      sums.weight += w;
      if (block.sparse())
        for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
          sums.features[block.columns[p]] += w * block.values[p];
      else
        for (std::size_t j = 0; j < block.cols; ++j) sums.features[j] += w * block.values[i * block.stride + j];
      for (std::size_t t = 0; t < sums.targets.size(); ++t)
        add_target(sums, t, block.targets[i * block.target_count + t], w, block.first + i);
    }
  }

  GroupMeans means(std::size_t features) && {
    if (groups_.empty()) fail(Error::Kind::data, "{}: has no rows, expected at least one", path_);
    GroupMeans found;
    found.means = Matrix<double>(groups_.size(), features);
    found.targets = Matrix<double>(groups_.size(), groups_[0].targets.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const GroupSums& sums = groups_[g];
      if (!(sums.weight > 0))
        fail(Error::Kind::data, "{}: every row of the group {} has the weight 0, expected some above", path_,
             sums.name);
      found.groups.push_back(sums.name);
      found.rows.push_back(sums.rows);
      for (std::size_t j = 0; j < features; ++j) found.means(g, j) = sums.features[j] / sums.weight;
      for (std::size_t t = 0; t < sums.targets.size(); ++t)
        found.targets(g, t) = classes() ? sums.targets[t] : sums.targets[t] / sums.weight;
    }
    return found;
  }

 private:
  bool classes() const { return schema_.task == Task::classification; }

  GroupSums& group_of(const std::string& name, const RowBlock<double>& block) {
    const auto [at, fresh] = places_.try_emplace(name, groups_.size());
    if (fresh)
      groups_.push_back({.name = name,
                         .features = std::vector<double>(block.cols),
                         .targets = std::vector<double>(block.targets ? block.target_count : 0)});
    return groups_[at->second];
  }

  void add_target(GroupSums& sums, std::size_t t, double target, double weight, std::uint64_t row) const {
    if (!classes()) {
      sums.targets[t] += weight * target;
    } else if (sums.rows == 1) {
      sums.targets[t] = target;
    } else if (sums.targets[t] != target) {
      fail(Error::Kind::data,
           "{}: row {}: its class is not that of the other rows of the group {}, expected one class "
           "for each group",
           path_, row, sums.name);
    }
  }

  const Schema& schema_;
  std::string path_;
  std::vector<GroupSums> groups_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

Model feature_model(Rows& rows, const FeatureOptions& given) {
  FeatureOptions options = given;
  if (options.bandwidth.rule == Bandwidth::Rule::searched) options.bandwidth = Bandwidth::Rule::median;
  MappedRows mapped(rows, options, "embed");
  require(!mapped.plan().maps.empty(), "map: found none, expected fourier, nystroem, project or a scaling");
  return std::move(mapped).model(nullptr, {}, Outputs{Outputs::Kind::components}, MappedRows::Targets::kept);
}

GroupMeans group_means(const Model& model, const std::string& path, const std::string& column,
                       const RowsOptions& reading, const Execution& execution) {
  KeptCells cells{.columns = {column}};
  RowsOptions options = reading;
  options.kept = &cells;
  options.target_required = false;
  const std::unique_ptr<Rows> rows = open_rows(path, model.schema(), options);
  const MapPtr map = model.transform_map();
  Grouping grouping(model, path);
  model.transform(*rows, execution, [&](const RowBlock<double>& block) { grouping.add(block, cells); });
  return std::move(grouping).means(map ? map->outputs() : model.schema().inputs);
}

}  // namespace bochner
