// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/clusters/clusters_map.h"

#include <algorithm>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/finite.h"
#include "base/require.h"
#include "maps/composed.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "maps/saved_map.h"

namespace bochner {

namespace {

class ClustersMap final : public MapOf<ClustersMap> {
 public:
  explicit ClustersMap(Matrix<double> centres)
      : centres_(std::move(centres)),
        across_(centres_.cols(), centres_.rows()),
        across_float_(centres_.cols(), centres_.rows()),
        squares_(centres_.rows()) {
    require(centres_.rows() > 0 && centres_.cols() > 0, "clusters: {} x {} centres, expected at least 1 x 1",
            centres_.rows(), centres_.cols());
    for (std::size_t k = 0; k < outputs(); ++k)
      for (std::size_t j = 0; j < inputs(); ++j) {
        across_(j, k) = centres_(k, j);
        across_float_(j, k) = float(centres_(k, j));
        squares_[k] += centres_(k, j) * centres_(k, j);
      }
  }

  std::size_t inputs() const override { return centres_.cols(); }
  std::size_t outputs() const override { return centres_.rows(); }
  std::optional<Outputs> puts_out() const override { return Outputs{Outputs::Kind::clusters}; }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& x, MatrixView<T> y) const {
    if (x.sparse())
      multiply_sparse(x, y);
    else
      on.multiply(x.view(), across<T>(), T(0), y);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const std::size_t begin = x.sparse() ? x.offsets[i] : i * x.stride;
      const std::size_t end = x.sparse() ? x.offsets[i + 1] : begin + x.cols;
      double square = 0;
      for (std::size_t p = begin; p < end; ++p) square += double(x.values[p]) * double(x.values[p]);
      for (std::size_t k = 0; k < outputs(); ++k)
        y(i, k) = T(std::min(2 * double(y(i, k)) - squares_[k] - square, 0.0));
    }
  }

  double largest_coefficient() const override { return largest_size<double>({centres_.data(), inputs() * outputs()}); }

  std::string spec() const override { return fmt::format("clusters:inputs={},outputs={}", inputs(), outputs()); }
  void save(Archive& archive) const override {
    archive.tree["type"] = "clusters";
    archive.put<double>("centres", {centres_.data(), inputs() * outputs()}, {outputs(), inputs()});
  }

 private:
  template <class T>
  MatrixView<const T> across() const {
    if constexpr (std::is_same_v<T, float>)
      return across_float_.view();
    else
      return across_.view();
  }
  template <class T>
  void multiply_sparse(const RowBlock<T>& x, MatrixView<T> y) const {
    for (std::size_t i = 0; i < x.rows; ++i) {
      std::fill_n(y.row(i), outputs(), T(0));
      for (std::size_t p = x.offsets[i]; p < x.offsets[i + 1]; ++p)
        for (std::size_t k = 0; k < outputs(); ++k) y(i, k) += x.values[p] * across<T>()(x.columns[p], k);
    }
  }

  Matrix<double> centres_, across_;
  Matrix<float> across_float_;
  std::vector<double> squares_;
};

}  // namespace

MapPtr clusters(Matrix<double> centres) { return std::make_shared<ClustersMap>(std::move(centres)); }

std::optional<Matrix<double>> centres_of(const Map& map) {
  if (!map.spec().starts_with("clusters:")) return std::nullopt;
  const Archive archive = saved_map(map);
  if (get_text(archive.tree, "type") != "clusters") return std::nullopt;
  return get_matrix<double>(archive, "centres");
}

MapPtr load_clusters(const Archive& archive) {
  return build_from_model([&] {
    Matrix<double> centres = get_matrix<double>(archive, "centres");
    require(all_finite<double>({centres.data(), centres.rows() * centres.cols()}), "clusters: a number is not finite");
    return clusters(std::move(centres));
  });
}

}  // namespace bochner
