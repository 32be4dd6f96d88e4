// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/check/subject.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/archive.h"
#include "base/pieces.h"
#include "base/require.h"
#include "bochner/bounds.h"
#include "bochner/map_kind.h"
#include "bochner/nystroem.h"
#include "maps/fourier.h"
#include "maps/map_rows.h"
#include "maps/nystroem.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/grid_linear.h"
#include "run/compute.h"
#include "run/host.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kTile = 128;

// visit(rows, begin) for tiles of rows in double, shared out.
void each_block(MatrixView<const float> x, Threads& threads,
                const std::function<void(const RowBlock<double>&, std::size_t)>& visit) {
  in_pieces(threads, x.rows, kTile, [&](std::size_t begin, std::size_t count) {
    Matrix<double> rows(count, x.cols);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(x.row(begin + i), x.cols, &rows(i, 0));
    visit(RowBlock<double>::dense(std::as_const(rows).view()), begin);
  });
}

// K(i, j) = kernel, in double.
void kernel_matrix(const Kernel& kernel, MatrixView<const float> x, Threads& threads, MatrixView<double> K) {
  const Landmarks<double> y = kernel_landmarks<double>(kernel, x);
  each_block(x, threads, [&](const RowBlock<double>& block, std::size_t begin) {
    kernel_rows(host_backend(), kernel, block, y, K.slice(begin, block.rows));
  });
}

template <class T>
Matrix<double> features_as(const Map& map, MatrixView<const float> x, Threads& threads) {
  Matrix<double> all(x.rows, map.outputs());
  Matrix<T> rows(x.rows, x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, &rows(i, 0));
  map_pieces<T>(
      workers_on(threads), &map, RowBlock<T>::dense(std::as_const(rows).view()),
      [&](std::size_t begin, MatrixView<const T> z) { std::copy_n(z.data, z.rows * z.cols, &all(begin, 0)); });
  return all;
}

// G = Z Z^T.
void feature_products(const Map& map, bool double_precision, MatrixView<const float> x, Threads& threads,
                      MatrixView<double> G) {
  const Matrix<double> z =
      double_precision ? features_as<double>(map, x, threads) : features_as<float>(map, x, threads);
  in_pieces(threads, x.rows, kTile, [&](std::size_t begin, std::size_t count) {
    multiply_transposed(1.0, z.view().slice(begin, count), z.view(), 0.0, G.slice(begin, count));
  });
}

class FourierSubject final : public CheckSubject {
 public:
  FourierSubject(MapPtr map, const FourierMap& fourier, bool double_precision)
      : map_(std::move(map)), options_(fourier.options()), double_(double_precision) {}

  std::string kernel() const override { return kernel_name(options_.kernel); }
  std::string map() const override { return map_->spec(); }
  std::size_t features() const override { return map_->outputs(); }
  void exact(MatrixView<const float> x, Threads& threads, MatrixView<double> K) const override {
    kernel_matrix(options_.kernel, x, threads, K);
  }
  void estimate(MatrixView<const float> x, std::uint64_t draw, Threads& threads, MatrixView<double> G) const override {
    FourierOptions other = options_;
    other.seed += draw;
    feature_products(draw == 0 ? *map_ : *fourier(map_->inputs(), other), double_, x, threads, G);
  }

  // cos and sin: (1 + k(2D) - 2 k^2) / 2 over F; shifted: (1 + k(2D) / 2 - k^2) / D.
  bool variance(MatrixView<const float> x, Threads& threads, MatrixView<double> V) const override {
    Kernel twice = options_.kernel;
    for (double& scale : twice.length_scales) scale /= 2;
    Matrix<double> K(x.rows, x.rows);
    exact(x, threads, K.view());
    kernel_matrix(twice, x, threads, V);
    const bool pairs = options_.form == FourierOptions::Form::cossin;
    const double F = double(pairs ? options_.features / 2 : options_.features);
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t j = 0; j < x.rows; ++j) {
        const double k = K(i, j), k2 = V(i, j);
        V(i, j) = (pairs ? 0.5 * (1 + k2 - 2 * k * k) : 1 + 0.5 * k2 - k * k) / F;
      }
    return true;
  }

  ErrorBounds bounds(MatrixView<const float> x, std::uint64_t pairs, double delta, Threads& threads) const override {
    if (options_.draw != FourierOptions::Draw::independent) return {};
    ErrorBounds bounds{fourier_epsilon_pointwise(options_.form, options_.features, delta),
                       fourier_epsilon_pointwise(options_.form, options_.features, delta / double(pairs)),
                       {}};
    const double reach = diameter(x, false, threads);
    if (std::isfinite(frequency_second_moment(options_.kernel, x.cols)) && reach > 0)
      bounds.as_far_apart =
          fourier_epsilon_uniform(options_.form, options_.kernel, x.cols, reach, options_.features, delta);
    return bounds;
  }
  std::vector<std::string> notes() const override {
    if (options_.draw == FourierOptions::Draw::independent) return {};
    return {fmt::format("{} frequencies: theory's variance is of independent ones, and no bound is known",
                        draw_name(options_.draw))};
  }

 private:
  MapPtr map_;
  FourierOptions options_;
  bool double_;
};

// The share of grids that put two rows into one bin. A map that was trained knows which bins are kept; one that was not
// keeps all.
class BinningSubject final : public CheckSubject {
 public:
  // owner: of the trained map.
  BinningSubject(std::size_t inputs, const BinningOptions& options, const BinningMap* trained, MapPtr owner)
      : inputs_(inputs), options_(options), trained_(trained), owner_(std::move(owner)) {}

  std::string kernel() const override { return pitch_law_name(options_.law); }
  std::string map() const override {
    return trained_ ? trained_->spec()
                    : fmt::format("binning:kernel={},grids={},seed={}", kernel(), options_.grids, options_.seed);
  }
  std::size_t features() const override { return options_.grids; }
  bool random() const override { return !chosen(); }

  void exact(MatrixView<const float> x, Threads& threads, MatrixView<double> K) const override {
    Matrix<double> rows(x.rows, x.cols);
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, &rows(i, 0));
    threads.run(x.rows, [&](std::size_t i, int) {
      for (std::size_t j = 0; j < x.rows; ++j)
        K(i, j) = j == i ? 1 : binning_kernel(options_, {&rows(i, 0), x.cols}, {&rows(j, 0), x.cols});
    });
  }

  void estimate(MatrixView<const float> x, std::uint64_t draw, Threads& threads, MatrixView<double> G) const override {
    // bins(g, i): a number that rows of one bin share; kNone: a bin that was never kept.
    Matrix<std::uint64_t> bins(options_.grids, x.rows);
    const auto block = RowBlock<float>::dense(x);
    if (trained_ && draw == 0) {
      trained_->each_grid(host_backend(), block, [&](std::size_t g, const std::uint32_t* columns) {
        for (std::size_t i = 0; i < x.rows; ++i) bins(g, i) = columns[i] == HashIndex::kNone ? kNone : columns[i];
      });
    } else {
      BinningOptions other = options_;
      other.seed += draw;
      const PackedRows<float> packed = pack_rows<float>(block, packing_groups(inputs_, other));
      threads.run(other.grids, [&](std::size_t g, int) {
        host_backend().bin_hashes(packed, draw_grid<float>(inputs_, other, g), &bins(g, 0));
        for (std::size_t i = 0; i < x.rows; ++i) bins(g, i) = std::min(bins(g, i), kNone - 1);
      });
    }
    threads.run(x.rows, [&](std::size_t i, int) {
      std::vector<std::uint32_t> together(x.rows);
      for (std::size_t g = 0; g < options_.grids; ++g) {
        const std::uint64_t bin = bins(g, i);
        if (bin == kNone) continue;
        for (std::size_t j = 0; j < x.rows; ++j) together[j] += bins(g, j) == bin;
      }
      for (std::size_t j = 0; j < x.rows; ++j) G(i, j) = double(together[j]) / double(options_.grids);
    });
  }

  // A grid joins two rows or not: k (1 - k) / P.
  bool variance(MatrixView<const float> x, Threads& threads, MatrixView<double> V) const override {
    exact(x, threads, V);
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t j = 0; j < x.rows; ++j) V(i, j) *= (1 - V(i, j)) / double(options_.grids);
    return true;
  }

  ErrorBounds bounds(MatrixView<const float> x, std::uint64_t pairs, double delta, Threads& threads) const override {
    if (chosen() || options_.min_rows > 1 || options_.max_bins > 0) return {};
    ErrorBounds bounds{binning_epsilon_pointwise(options_.grids, delta),
                       binning_epsilon_pointwise(options_.grids, delta / double(pairs)),
                       {}};
    const double reach = diameter(x, true, threads);
    if (options_.law.family == PitchLaw::Family::laplacian && options_.order_high == 0 && reach > 0) {
      Kernel kernel = laplacian();
      kernel.length_scales = options_.length_scales;
      bounds.as_far_apart = binning_epsilon_uniform(kernel, x.cols, reach, options_.grids, delta);
    }
    return bounds;
  }
  std::vector<std::string> notes() const override {
    if (chosen()) return {"grids chosen by pursuit are no draws of the kernel: there is no bound"};
    if (trained_) return {"a row in a bin that no training row fell into counts as far from all rows, even itself"};
    return {};
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  // Grids 0, 1, ... are plain draws; others were picked from several.
  bool chosen() const {
    for (std::size_t g = 0; trained_ && g < trained_->grids(); ++g)
      if (trained_->draws()[g] != g) return true;
    return false;
  }

  std::size_t inputs_;
  BinningOptions options_;
  const BinningMap* trained_;
  MapPtr owner_;
};

class NystroemSubject final : public CheckSubject {
 public:
  NystroemSubject(MapPtr map, const NystroemMap& nystroem, bool double_precision)
      : map_(std::move(map)), nystroem_(nystroem), double_(double_precision) {}

  std::string kernel() const override { return kernel_name(nystroem_.kernel()); }
  std::string map() const override { return map_->spec(); }
  std::size_t features() const override { return map_->outputs(); }
  bool random() const override { return false; }
  bool one_sided() const override { return true; }
  void exact(MatrixView<const float> x, Threads& threads, MatrixView<double> K) const override {
    kernel_matrix(nystroem_.kernel(), x, threads, K);
  }
  void estimate(MatrixView<const float> x, std::uint64_t, Threads& threads, MatrixView<double> G) const override {
    feature_products(*map_, double_, x, threads, G);
  }
  // The residual r(x, y) = k - z.z is a kernel: |r(x, y)| <= sqrt(r(x, x) r(y, y)).
  ErrorBounds bounds(MatrixView<const float> x, std::uint64_t, double, Threads& threads) const override {
    const Matrix<double> z = double_ ? features_as<double>(*map_, x, threads) : features_as<float>(*map_, x, threads);
    double most = 0;
    for (std::size_t i = 0; i < x.rows; ++i)
      most = std::max(most, 1 - std::inner_product(z.view().row(i), z.view().row(i) + z.cols(), z.view().row(i), 0.0));
    return {{}, most, {}, true};
  }

 private:
  MapPtr map_;
  const NystroemMap& nystroem_;
  bool double_;
};

// A map that a program registered, against the kernel it gave.
class OwnSubject final : public CheckSubject {
 public:
  OwnSubject(MapPtr map, const MapKind& kind, bool double_precision)
      : map_(std::move(map)), kind_(kind), double_(double_precision) {}

  std::string kernel() const override { return kind_.name; }
  std::string map() const override { return map_->spec(); }
  std::size_t features() const override { return map_->outputs(); }
  bool random() const override { return bool(kind_.redraw); }
  void exact(MatrixView<const float> x, Threads& threads, MatrixView<double> K) const override {
    each_pair(kind_.kernel, x, threads, K);
  }
  bool variance(MatrixView<const float> x, Threads& threads, MatrixView<double> V) const override {
    if (kind_.variance) each_pair(kind_.variance, x, threads, V);
    return bool(kind_.variance);
  }
  void estimate(MatrixView<const float> x, std::uint64_t draw, Threads& threads, MatrixView<double> G) const override {
    feature_products(draw == 0 ? *map_ : *kind_.redraw(*map_, draw), double_, x, threads, G);
  }
  ErrorBounds bounds(MatrixView<const float>, std::uint64_t, double, Threads&) const override { return {}; }

 private:
  using OfPair = std::function<double(const Map& map, std::span<const double> x, std::span<const double> y)>;

  void each_pair(const OfPair& value, MatrixView<const float> x, Threads& threads, MatrixView<double> K) const {
    Matrix<double> rows(x.rows, x.cols);
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, &rows(i, 0));
    const auto row = [&](std::size_t i) { return std::span<const double>(&rows(i, 0), x.cols); };
    threads.run(x.rows, [&](std::size_t i, int) {
      for (std::size_t j = 0; j < x.rows; ++j) K(i, j) = value(*map_, row(i), row(j));
    });
  }

  MapPtr map_;
  const MapKind& kind_;
  bool double_;
};

// The row of the table of map kinds that a map is of; null where there is none.
const MapKind* kind_of_map(const Map& map) {
  Archive archive;
  map.save(archive);
  return archive.tree.contains("type") ? find_map_kind(archive.get_text("type")) : nullptr;
}

}  // namespace

double diameter(MatrixView<const float> x, bool l1, Threads& threads) {
  if (!l1) {
    Matrix<double> squared(x.rows, x.rows);
    const double unit = 1;
    const Landmarks<double> y = pack_landmarks<double>(x, {&unit, 1}, KernelShape::squared);
    each_block(x, threads, [&](const RowBlock<double>& block, std::size_t begin) {
      host_backend().kernel_block(block, y, squared.view().slice(begin, block.rows));
    });
    return std::sqrt(*std::max_element(squared.data(), squared.data() + x.rows * x.rows));
  }
  std::vector<double> furthest(x.rows);
  threads.run(x.rows, [&](std::size_t i, int) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < x.cols; ++c) sum += std::fabs(double(x(i, c)) - double(x(j, c)));
      furthest[i] = std::max(furthest[i], sum);
    }
  });
  return *std::max_element(furthest.begin(), furthest.end());
}

template <class T>
Matrix<T> mapped(const Map& map, MatrixView<const T> x) {
  Matrix<T> z(x.rows, map.outputs());
  map.apply(host_backend(), RowBlock<T>::dense(x), z.view());
  return z;
}

template Matrix<float> mapped(const Map&, MatrixView<const float>);
template Matrix<double> mapped(const Map&, MatrixView<const double>);

std::unique_ptr<CheckSubject> Map::check_subject(const MapPtr&, bool) const { return nullptr; }

std::unique_ptr<CheckSubject> FourierMap::check_subject(const MapPtr& self, bool double_precision) const {
  if (!chosen_.empty()) return nullptr;  // what the rows chose approximates no kernel that is known
  return std::make_unique<FourierSubject>(self, *this, double_precision);
}

std::unique_ptr<CheckSubject> NystroemMap::check_subject(const MapPtr& self, bool double_precision) const {
  return std::make_unique<NystroemSubject>(self, *this, double_precision);
}

std::unique_ptr<CheckSubject> BinningMap::check_subject(const MapPtr& self, bool) const {
  return std::make_unique<BinningSubject>(inputs_, options_, this, self);
}

// The head's kernel is that of its grids.
std::unique_ptr<CheckSubject> GridLinear::check_subject(const MapPtr& self, bool) const {
  return std::make_unique<BinningSubject>(bins_->inputs(), bins_->options(), bins_.get(), self);
}

std::unique_ptr<CheckSubject> own_subject(const MapPtr& map, bool double_precision) {
  if (auto subject = map->check_subject(map, double_precision)) return subject;
  const MapKind* kind = kind_of_map(*map);
  return kind && kind->kernel ? std::make_unique<OwnSubject>(map, *kind, double_precision) : nullptr;
}

std::unique_ptr<CheckSubject> check_subject(const MapPtr& map, bool double_precision) {
  const MapParts made_of = map ? map->parts() : MapParts();
  std::vector<CheckPart> parts;
  if (made_of.how == MapParts::How::chain) {
    const std::vector<MapPtr> before(made_of.maps.begin(), made_of.maps.end() - 1);
    parts.push_back({1, chain(before), check_subject(made_of.maps.back(), double_precision)});
    return check_mixture(std::move(parts));
  }
  if (made_of.how == MapParts::How::concat) {
    for (std::size_t i = 0; i < made_of.maps.size(); ++i)
      parts.push_back({made_of.weights[i], nullptr, check_subject(made_of.maps[i], double_precision)});
    return check_mixture(std::move(parts));
  }
  if (auto subject = map ? own_subject(map, double_precision) : nullptr) return subject;
  mistake(
      "check: found the map {}, expected fourier, binning, nystroem, a mixture of them, project or a registered "
      "kind that has a kernel",
      map ? map->spec() : "none");
}

std::unique_ptr<CheckSubject> check_grids(std::size_t inputs, const BinningOptions& options) {
  check_binning(inputs, options);
  return std::make_unique<BinningSubject>(inputs, options, nullptr, nullptr);
}

}  // namespace bochner
