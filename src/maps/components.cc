// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/components.h"

#include <algorithm>

#include "base/archive.h"
#include "base/finite.h"
#include "base/lease.h"
#include "base/require.h"
#include "maps/composed.h"
#include "maps/load.h"
#include "maps/map_of.h"

namespace bochner {

namespace {

// Coordinates in the directions of a low-rank factor. Inputs lose their mean in double before they are rounded and
// multiplied; of CSR rows the product of the mean is taken away, in double.
class ComponentsMap final : public MapOf<ComponentsMap> {
 public:
  ComponentsMap(Matrix<double> directions, std::vector<double> mean, std::vector<double> singular_values)
      : directions_(std::move(directions)),
        mean_(std::move(mean)),
        singular_values_(std::move(singular_values)),
        directions_float_(directions_.rows(), directions_.cols()),
        center_(directions_.cols()) {
    require(directions_.rows() > 0 && directions_.cols() > 0, "components: {} x {} directions, expected at least 1 x 1",
            directions_.rows(), directions_.cols());
    require(mean_.empty() || mean_.size() == inputs(), "components: found {} means for {} inputs", mean_.size(),
            inputs());
    require(singular_values_.empty() || singular_values_.size() == outputs(),
            "components: found {} singular values for {} outputs", singular_values_.size(), outputs());
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
    archive.put<double>("singular_values", singular_values_, {singular_values_.size()});
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
  std::vector<double> mean_, singular_values_;
  Matrix<float> directions_float_;
  std::vector<double> center_;  // V^T m
};

}  // namespace

MapPtr components(Matrix<double> directions, std::vector<double> mean, std::vector<double> singular_values) {
  return std::make_shared<ComponentsMap>(std::move(directions), std::move(mean), std::move(singular_values));
}

MapPtr load_components(const Archive& archive) {
  return build_from_model([&] {
    const std::vector<std::size_t> shape = archive.shape("directions");
    require(shape.size() == 2, "components: directions have {} dimensions, expected 2", shape.size());
    Matrix<double> directions(shape[0], shape[1]);
    archive.get_into("directions", shape, std::span(directions.data(), shape[0] * shape[1]));
    std::vector<double> mean = archive.get<double>("mean", {archive.length("mean")});
    std::vector<double> values = archive.get<double>("singular_values", {archive.length("singular_values")});
    require(all_finite<double>({directions.data(), shape[0] * shape[1]}) && all_finite<double>(mean) &&
                all_finite<double>(values),
            "components: a number is not finite");
    return components(std::move(directions), std::move(mean), std::move(values));
  });
}

}  // namespace bochner
