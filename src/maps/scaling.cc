// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "base/archive.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "random/elementary.h"

namespace bochner {

namespace {

using Method = ColumnScaling::Method;

constexpr const char* kMethodNames[] = {"none", "standardize", "minmax", "log", "quantile"};

// Fraction of the training values below x, linear between the stored quantiles.
double quantile_rank(const std::vector<double>& quantiles, double x) {
  const auto low = std::lower_bound(quantiles.begin(), quantiles.end(), x);
  const auto high = std::upper_bound(low, quantiles.end(), x);
  const double last = double(quantiles.size() - 1);
  if (low != high)
    return 0.5 * double((low - quantiles.begin()) + (high - 1 - quantiles.begin())) / last;  // ties: middle
  if (low == quantiles.begin()) return 0;
  if (low == quantiles.end()) return 1;
  const double below = *(low - 1);
  return (double(low - quantiles.begin()) - 1 + (x - below) / (*low - below)) / last;
}

double scale_value(const ColumnScaling& c, double x) {
  switch (c.method) {
    case Method::none:
    case Method::whiten:
      return x;
    case Method::standardize:
    case Method::minmax:
      break;
    case Method::log: {
      const double u = (x - c.offset) / c.unit;
      x = std::copysign(portable_log1p(std::abs(u)), u);
      break;
    }
    case Method::quantile:
      x = quantile_rank(c.quantiles, x);
      break;
  }
  return (x - c.center) * c.factor;
}

// What was x where scale_value gave y. Ranks lie between 0 and 1, and a column left out comes back as 0.
double unscale_value(const ColumnScaling& c, double y) {
  if (c.method == Method::none) return y;
  if (c.factor == 0) return 0;
  const double t = y / c.factor + c.center;
  if (c.method == Method::log) {
    const double size = portable_exp(std::min(std::abs(t), 700.0)) - 1;
    return std::copysign(size, t) * c.unit + c.offset;
  }
  if (c.method != Method::quantile) return t;
  const double place = std::clamp(t, 0.0, 1.0) * double(c.quantiles.size() - 1);
  const std::size_t below = std::min(std::size_t(place), c.quantiles.size() - 2);
  return c.quantiles[below] + (place - double(below)) * (c.quantiles[below + 1] - c.quantiles[below]);
}

void save_columns(Archive& archive, const char* type, const std::vector<ColumnScaling>& columns) {
  archive.tree["type"] = type;
  archive.tree["columns"] = columns.size();
  std::vector<std::uint8_t> methods;
  std::vector<double> parameters, quantiles;
  std::vector<std::uint64_t> quantile_counts;
  for (const ColumnScaling& c : columns) {
    methods.push_back(std::uint8_t(c.method));
    parameters.insert(parameters.end(), {c.center, c.factor, c.offset, c.unit});
    quantile_counts.push_back(c.quantiles.size());
    quantiles.insert(quantiles.end(), c.quantiles.begin(), c.quantiles.end());
  }
  archive.put<std::uint8_t>("methods", methods, {methods.size()});
  archive.put<double>("parameters", parameters, {columns.size(), 4});
  archive.put<std::uint64_t>("quantile_counts", quantile_counts, {columns.size()});
  archive.put<double>("quantiles", quantiles, {quantiles.size()});
}

// The way back from what a scaling put out.
class UnscalingMap final : public MapOf<UnscalingMap> {
 public:
  explicit UnscalingMap(std::vector<ColumnScaling> columns) : columns_(std::move(columns)) {}

  std::size_t inputs() const override { return columns_.size(); }
  std::size_t outputs() const override { return columns_.size(); }
  std::optional<Outputs> puts_out() const override { return Outputs{Outputs::Kind::components}; }

  template <class T>
  void apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (block.sparse()) std::fill_n(out.row(i), columns_.size(), T(0));
      for (std::size_t p = block.sparse() ? block.offsets[i] : 0; block.sparse() && p < block.offsets[i + 1]; ++p)
        out(i, block.columns[p]) = block.values[p];
      for (std::size_t j = 0; j < columns_.size(); ++j)
        out(i, j) =
            T(unscale_value(columns_[j], double(block.sparse() ? out(i, j) : block.values[i * block.stride + j])));
    }
  }

  std::string spec() const override { return fmt::format("unscaling:columns={}", columns_.size()); }
  void save(Archive& archive) const override { save_columns(archive, "unscaling", columns_); }

 private:
  std::vector<ColumnScaling> columns_;
};

class ScalingMap final : public SparseMapOf<ScalingMap> {
 public:
  explicit ScalingMap(std::vector<ColumnScaling> columns) : columns_(std::move(columns)) {
    require(!columns_.empty(), "scaling: expected at least one column");
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const ColumnScaling& c = columns_[j];
      require(std::isfinite(c.center) && std::isfinite(c.factor) && std::isfinite(c.offset) && std::isfinite(c.unit) &&
                  c.unit > 0,
              "scaling: column {} has a parameter that is not finite", j);
      require(c.method != Method::whiten, "scaling: column {} is to be whitened, which takes all columns", j);
      require(c.method != Method::quantile ||
                  (c.quantiles.size() >= 2 && std::is_sorted(c.quantiles.begin(), c.quantiles.end())),
              "scaling: column {} needs at least two quantiles in ascending order", j);
      keeps_zeros_ = keeps_zeros_ && scale_value(c, 0.0) == 0.0;
    }
  }

  std::size_t inputs() const override { return columns_.size(); }
  std::size_t outputs() const override { return columns_.size(); }

  template <class T>
  void apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
    if (block.sparse()) {
      for (std::size_t i = 0; i < block.rows; ++i) {
        for (std::size_t j = 0; j < columns_.size(); ++j) out(i, j) = T(scale_value(columns_[j], 0.0));
        for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
          out(i, block.columns[p]) = T(scale_value(columns_[block.columns[p]], double(block.values[p])));
      }
      return;
    }
    // Affine columns in one sweep over the row, the others by themselves.
    for (std::size_t i = 0; i < block.rows; ++i)
      std::copy_n(block.values + i * block.stride, columns_.size(), out.row(i));
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const ColumnScaling& c = columns_[j];
      if (c.method == Method::none) continue;
      if (c.factor == 0) {  // left out
        for (std::size_t i = 0; i < block.rows; ++i) out(i, j) = 0;
        continue;
      }
      for (std::size_t i = 0; i < block.rows; ++i) out(i, j) = T(scale_value(c, double(out(i, j))));
    }
  }

  // Where no column moves its zeros.
  template <class T>
  bool add_sparse(const Backend&, const RowBlock<T>& block, SparseRows<T>& rows) const {
    if (!block.sparse() || !keeps_zeros_) return false;
    for (std::size_t i = 0; i < block.rows; ++i) {
      for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
        rows.add(block.columns[p], T(scale_value(columns_[block.columns[p]], double(block.values[p]))));
      rows.end_row();
    }
    return true;
  }

  std::string spec() const override {
    std::size_t counts[6] = {};
    for (const ColumnScaling& c : columns_) ++counts[c.factor == 0 ? 5 : int(c.method)];
    std::string text = "scaling:";
    for (int m = 0; m < 6; ++m)
      if (counts[m])
        text += fmt::format("{}{}={}", text.back() == ':' ? "" : ",", m == 5 ? "left_out" : kMethodNames[m], counts[m]);
    return text;
  }

  MapPtr inverse(const MapPtr&) const override { return std::make_shared<UnscalingMap>(columns_); }
  void save(Archive& archive) const override { save_columns(archive, "scaling", columns_); }

 private:
  std::vector<ColumnScaling> columns_;
  bool keeps_zeros_ = true;
};

}  // namespace

MapPtr scaling(std::vector<ColumnScaling> columns) { return std::make_shared<ScalingMap>(std::move(columns)); }

namespace {

std::vector<ColumnScaling> load_columns(const Archive& archive) {
  const std::size_t d = archive.length("methods");
  const auto methods = archive.get<std::uint8_t>("methods", {d});
  const auto parameters = archive.get<double>("parameters", {d, 4});
  const auto counts = archive.get<std::uint64_t>("quantile_counts", {d});
  const auto quantiles = archive.get<double>("quantiles", {archive.length("quantiles")});
  std::vector<ColumnScaling> columns(d);
  std::size_t used = 0;
  for (std::size_t j = 0; j < d; ++j) {
    require(methods[j] <= 4, "scaling: column {} has method {}, expected 0 to 4", j, methods[j]);
    require(counts[j] <= quantiles.size() - used, "scaling: column {} has more quantiles than are stored", j);
    const double* p = &parameters[4 * j];
    const auto begin = quantiles.begin() + std::ptrdiff_t(used);
    columns[j] = {Method(methods[j]), p[0], p[1], p[2], p[3], {begin, begin + std::ptrdiff_t(counts[j])}};
    used += counts[j];
  }
  return columns;
}

}  // namespace

MapPtr load_scaling(const Archive& archive) {
  return build_from_model([&] { return scaling(load_columns(archive)); });
}

MapPtr load_unscaling(const Archive& archive) {
  return build_from_model([&] {
    const MapPtr forth = scaling(load_columns(archive));  // which checks them
    return forth->inverse(forth);
  });
}

}  // namespace bochner
