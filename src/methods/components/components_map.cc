// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/components/components_map.h"

#include <algorithm>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/finite.h"
#include "base/lease.h"
#include "base/require.h"
#include "maps/composed.h"
#include "maps/load.h"
#include "maps/map_of.h"

namespace bochner {

namespace {

void save_factor(Archive& archive, const Factor& factor) {
  archive.tree["singular_values"] = factor.singular_values;
  archive.tree["total"] = factor.total;
  archive.tree["error"] = factor.error;
  archive.tree["passes"] = factor.passes;
  archive.tree["method"] = factor.method;
  if (factor.above_best) archive.tree["above_best"] = *factor.above_best;
}

std::optional<Factor> load_factor(const Archive& archive) {
  if (!archive.tree.contains("singular_values")) return std::nullopt;
  Factor factor;
  const nlohmann::json& values = get_node(archive.tree, "singular_values");
  require(values.is_array(), "components: the singular values are no list");
  for (const nlohmann::json& value : values) {
    require(value.is_number(), "components: a singular value is no number");
    factor.singular_values.push_back(value.get<double>());
  }
  factor.total = get_number(archive.tree, "total");
  factor.error = get_number(archive.tree, "error");
  factor.passes = get_count(archive.tree, "passes", std::uint64_t(1) << 53);
  factor.method = get_text(archive.tree, "method");
  if (archive.tree.contains("above_best")) factor.above_best = get_number(archive.tree, "above_best");
  return factor;
}

// Coordinates in the directions of a low-rank factor. Inputs lose their mean in double before they are rounded and
// multiplied; of CSR rows the product of the mean is taken away, in double.
class ComponentsMap final : public MapOf<ComponentsMap> {
 public:
  ComponentsMap(Matrix<double> directions, std::vector<double> mean, Factor factor)
      : directions_(std::move(directions)),
        mean_(std::move(mean)),
        factor_(std::move(factor)),
        directions_float_(directions_.rows(), directions_.cols()),
        center_(directions_.cols()) {
    require(directions_.rows() > 0 && directions_.cols() > 0, "components: {} x {} directions, expected at least 1 x 1",
            directions_.rows(), directions_.cols());
    require(mean_.empty() || mean_.size() == inputs(), "components: found {} means for {} inputs", mean_.size(),
            inputs());
    const std::size_t values = factor_.singular_values.size();
    require(values == 0 || values == outputs(), "components: found {} singular values for {} outputs", values,
            outputs());
    std::copy_n(directions_.data(), inputs() * outputs(), directions_float_.data());
    for (std::size_t j = 0; j < mean_.size(); ++j)
      for (std::size_t k = 0; k < outputs(); ++k) center_[k] += mean_[j] * directions_(j, k);
  }

  std::size_t inputs() const override { return directions_.rows(); }
  std::size_t outputs() const override { return directions_.cols(); }
  std::optional<Outputs> puts_out() const override { return Outputs{Outputs::Kind::components}; }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& x, MatrixView<T> y) const {
    const MatrixView<const T> v = directions<T>();
    if (x.sparse()) {
      const Lease<double> sum(outputs());
      for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t k = 0; k < outputs(); ++k) sum.data()[k] = -center_[k];
        for (std::size_t p = x.offsets[i]; p < x.offsets[i + 1]; ++p) {
          const T* const row = v.row(x.columns[p]);
          const double value = double(x.values[p]);
          for (std::size_t k = 0; k < outputs(); ++k) sum.data()[k] += value * double(row[k]);
        }
        std::copy_n(sum.data(), outputs(), y.row(i));
      }
    } else if (mean_.empty()) {
      on.multiply(x.view(), v, T(0), y);
    } else {
      const Lease<T> centered(x.rows * x.cols);
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j)
          centered.data()[i * x.cols + j] = T(double(x.values[i * x.stride + j]) - mean_[j]);
      on.multiply(MatrixView<const T>{centered.data(), x.rows, x.cols, x.cols}, v, T(0), y);
    }
  }

  // The nearest row of the space: V^T is the inverse where V is orthonormal.
  MapPtr inverse(const MapPtr&) const override {
    Matrix<double> back(outputs(), inputs());
    for (std::size_t j = 0; j < inputs(); ++j)
      for (std::size_t k = 0; k < outputs(); ++k) back(k, j) = directions_(j, k);
    return linear(std::move(back), mean_.empty() ? std::vector<double>(inputs()) : mean_);
  }

  double largest_coefficient() const override {
    return std::max(largest_size<double>({directions_.data(), inputs() * outputs()}), largest_size<double>(mean_));
  }

  std::string spec() const override {
    return fmt::format("components:inputs={},outputs={}{}", inputs(), outputs(), mean_.empty() ? "" : ",centered");
  }
  void save(Archive& archive) const override {
    archive.tree["type"] = "components";
    archive.put<double>("directions", {directions_.data(), inputs() * outputs()}, {inputs(), outputs()});
    archive.put<double>("mean", mean_, {mean_.size()});
    if (!factor_.singular_values.empty()) save_factor(archive, factor_);
  }

 private:
  template <class T>
  MatrixView<const T> directions() const {
    if constexpr (std::is_same_v<T, float>)
      return directions_float_.view();
    else
      return directions_.view();
  }

  Matrix<double> directions_;
  std::vector<double> mean_;
  Factor factor_;
  Matrix<float> directions_float_;
  std::vector<double> center_;  // V^T m
};

}  // namespace

MapPtr components(Matrix<double> directions, std::vector<double> mean, Factor factor) {
  return std::make_shared<ComponentsMap>(std::move(directions), std::move(mean), std::move(factor));
}

std::optional<Factor> factor_of(const Map& map) {
  Archive archive;
  map.save(archive);
  if (archive.tree.contains("type") && archive.tree["type"] == "measured") return load_factor(archive.child("map"));
  if (!archive.tree.contains("type") || archive.tree["type"] != "components") return std::nullopt;
  return load_factor(archive);
}

MapPtr load_components(const Archive& archive) {
  return build_from_model([&] {
    Matrix<double> directions = get_matrix<double>(archive, "directions");
    std::vector<double> mean = archive.get<double>("mean", {archive.length("mean")});
    require(all_finite<double>({directions.data(), directions.rows() * directions.cols()}) && all_finite<double>(mean),
            "components: a number is not finite");
    return components(std::move(directions), std::move(mean), load_factor(archive).value_or(Factor{}));
  });
}

}  // namespace bochner
