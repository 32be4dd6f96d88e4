// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/variance.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "backend/backend.h"
#include "base/aligned.h"
#include "base/finite.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/lower_factor.h"
#include "maps/map_of.h"

namespace bochner {

namespace {

constexpr std::size_t kMostOfVariance = 40000;  // 6.4 GB of triangle

class VarianceMap final : public MapOf<VarianceMap> {
 public:
  explicit VarianceMap(VarianceForm form) : form_(std::move(form)) {
    const std::size_t d = form_.inputs;
    require(d > 0 && d <= kMostOfVariance, "variance map: {} inputs, expected 1 to {}", d, kMostOfVariance);
    const std::size_t size = form_.center.size();
    require((size == 0 || size == d) && form_.lower.rows() == size && form_.lower.cols() == size,
            "variance map: a center of {} and a factor of {} x {}, expected those of {} inputs or none", size,
            form_.lower.rows(), form_.lower.cols(), d);
    require(std::isfinite(form_.constant) && std::isfinite(form_.square) && all_finite<double>(form_.center) &&
                all_finite<double>({form_.lower.data(), size * size}),
            "variance map: a number of it is not finite");
  }

  std::size_t inputs() const override { return form_.inputs; }
  std::size_t outputs() const override { return 1; }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    const std::size_t d = inputs();
    require(block.cols == d, "variance map: block has {} columns, expected {}", block.cols, d);
    thread_local AlignedVector<double> scratch;
    scratch.resize(std::max(scratch.size(), 2 * block.rows * d));
    const MatrixView<double> z{scratch.data(), block.rows, d, d}, turned{z.data + block.rows * d, block.rows, d, d};
    widen(block, z);
    std::vector<double> sums(block.rows);
    for (std::size_t i = 0; i < block.rows; ++i) sums[i] = form_.constant + form_.square * squares(z.row(i));
    if (!form_.center.empty()) {
      for (std::size_t i = 0; i < block.rows; ++i)
        for (std::size_t j = 0; j < d; ++j) z(i, j) -= form_.center[j];
      on.multiply_lower(MatrixView<const double>(z), panels(), turned);
      for (std::size_t i = 0; i < block.rows; ++i) sums[i] += squares(turned.row(i));
    }
    for (std::size_t i = 0; i < block.rows; ++i) out(i, 0) = T(std::max(sums[i], 0.0));
  }

  std::string spec() const override { return fmt::format("variance:inputs={}", inputs()); }
  void save(Archive& archive) const override {
    archive.tree["type"] = "variance";
    archive.put_count("inputs", inputs());
    archive.put_number("constant", form_.constant);
    archive.put_number("square", form_.square);
    archive.put<double>("center", form_.center, {form_.center.size()});
    const std::vector<double> triangle = triangle_of(form_.lower.view());
    archive.put<double>("inverse_factor", triangle, {triangle.size()});
  }

 private:
  double squares(const double* row) const {
    double sum = 0;
    for (std::size_t j = 0; j < inputs(); ++j) sum += row[j] * row[j];
    return sum;
  }

  template <class T>
  static void widen(const RowBlock<T>& block, MatrixView<double> z) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (!block.sparse()) {
        std::copy_n(block.values + i * block.stride, block.cols, &z(i, 0));
        continue;
      }
      std::fill_n(&z(i, 0), block.cols, 0.0);
      for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
        z(i, block.columns[p]) = double(block.values[p]);
    }
  }

  const LowerPanels<double>& panels() const {
    std::call_once(once_, [&] { panels_ = pack_lower<double>(form_.lower.view()); });
    return panels_;
  }

  VarianceForm form_;
  mutable std::once_flag once_;
  mutable LowerPanels<double> panels_;
};

}  // namespace

MapPtr variance_map(VarianceForm form) { return std::make_shared<VarianceMap>(std::move(form)); }

MapPtr load_variance(const Archive& archive) {
  return build_from_model([&] {
    VarianceForm form{archive.get_count("inputs", kMostOfVariance),
                      archive.get_number("constant"),
                      archive.get_number("square"),
                      archive.get<double>("center", {archive.length("center")}),
                      {}};
    const std::size_t size = form.center.size();
    require(size <= kMostOfVariance, "variance map: a center of {}, expected at most {}", size, kMostOfVariance);
    form.lower = lower_from(archive.get<double>("inverse_factor", {size * (size + 1) / 2}), size);
    return variance_map(std::move(form));
  });
}

}  // namespace bochner
