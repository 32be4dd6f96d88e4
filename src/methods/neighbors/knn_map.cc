// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/knn_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "backend/radial.h"
#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/finite.h"
#include "base/lease.h"
#include "base/require.h"
#include "bochner/kernel_family.h"
#include "maps/dense_block.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "maps/saved_map.h"

namespace bochner {

namespace {

constexpr std::size_t kGroup = 512;            // points that a block of rows meets at a time
constexpr std::size_t kMostPoints = kNoPoint;  // their numbers have 32 bits
constexpr std::size_t kMostClasses = std::size_t(1) << 24;

// More than asked for, so that the rounding of products does not matter.
std::size_t kept(std::size_t k) { return k + std::max<std::size_t>(8, k / 4); }

std::vector<double> mean_of(const Matrix<float>& points) {
  std::vector<double> mean(points.cols(), 0.0);
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (std::size_t j = 0; j < points.cols(); ++j) mean[j] += double(points(i, j));
  for (double& value : mean) value /= double(std::max<std::size_t>(1, points.rows()));
  return mean;
}

}  // namespace

NearestPoints::NearestPoints(Matrix<float> points) : points_(std::move(points)), center_(mean_of(points_)) {
  for (std::size_t i = 0; i < points_.rows(); ++i)
    for (std::size_t j = 0; j < points_.cols(); ++j) points_(i, j) = float(double(points_(i, j)) - center_[j]);
  pack();
}

NearestPoints::NearestPoints(Matrix<float> centred, std::vector<double> center)
    : points_(std::move(centred)), center_(std::move(center)) {
  require(center_.size() == points_.cols() && all_finite<double>(center_) &&
              all_finite<float>({points_.data(), points_.rows() * points_.cols()}),
          "knn: points or their centre are not finite numbers of {} inputs", points_.cols());
  pack();
}

void NearestPoints::pack() {
  const std::size_t n = points_.rows(), d = points_.cols();
  require(n > 0 && n < kMostPoints && d > 0, "knn: found {} points of {} inputs, expected some", n, d);
  half_.resize(n);
  numbers_.resize(n);
  std::iota(numbers_.begin(), numbers_.end(), 0u);
  for (std::size_t i = 0; i < n; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < d; ++j) squares += double(points_(i, j)) * double(points_(i, j));
    half_[i] = float(squares / 2);
  }
  require(all_finite<float>(half_), "knn: squares of the inputs are beyond the range of float; scale the inputs");
  for (std::size_t begin = 0; begin < n; begin += kGroup)
    groups_.push_back(
        pack_points<float>(MatrixView<const float>(points_.view()).slice(begin, std::min(kGroup, n - begin))));
}

template <class T>
void NearestPoints::centre(MatrixView<const T> x, MatrixView<float> centred) const {
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) centred(i, j) = float(double(x(i, j)) - center_[j]);
}
template void NearestPoints::centre(MatrixView<const float>, MatrixView<float>) const;
template void NearestPoints::centre(MatrixView<const double>, MatrixView<float>) const;

void NearestPoints::find(const Backend& on, MatrixView<const float> centred, std::size_t k, const std::uint32_t* self,
                         NearPoint* near) const {
  const std::size_t keep = std::min(kept(k), count());
  const Lease<float> values(centred.rows * keep);
  const Lease<std::uint32_t> numbers(centred.rows * keep);
  const Lease<double> squared(keep);
  const Lease<NearPoint> ranked(keep);
  std::fill_n(values.data(), centred.rows * keep, std::numeric_limits<float>::infinity());
  std::fill_n(numbers.data(), centred.rows * keep, kNoPoint);
  const NearestView best{keep, values.data(), numbers.data()};
  std::size_t begin = 0;
  for (const PointPanels<float>& group : groups_) {
    on.nearest(centred, group, {half_.data() + begin, numbers_.data() + begin, self}, best);
    begin += group.count;
  }
  for (std::size_t i = 0; i < centred.rows; ++i) {
    const std::uint32_t* at = numbers.data() + i * keep;
    const auto found = std::size_t(std::find(at, at + keep, kNoPoint) - at);
    on.squared_distances(centred.row(i), points_.view(), {at, found}, squared.data());
    for (std::size_t c = 0; c < found; ++c) ranked.data()[c] = {squared.data()[c], at[c]};
    std::partial_sort(ranked.data(), ranked.data() + std::min(k, found), ranked.data() + found);
    std::copy_n(ranked.data(), std::min(k, found), near + i * k);
    // Rows so far away that no value is finite: the first points, as good as any.
    for (std::size_t c = found; c < k; ++c)
      near[i * k + c] = {std::numeric_limits<double>::infinity(), std::uint32_t(c % count())};
  }
}

void weigh_neighbors(const std::optional<Kernel>& kernel, const NearestPoints& points, const float* centred,
                     std::span<const NearPoint> near, double* weights) {
  std::fill_n(weights, near.size(), 1.0);
  if (!kernel) return;
  const std::size_t d = points.inputs();
  const bool radial = kernel->family->law == KernelFamily::Law::radial;  // a function of the distance alone
  const Lease<double> x(radial ? 1 : d), y(radial ? 1 : d);
  for (std::size_t j = 0; !radial && j < d; ++j) x.data()[j] = double(centred[j]);
  double most = 0;
  for (std::size_t c = 0; c < near.size(); ++c) {
    if (radial) {
      x.data()[0] = std::sqrt(near[c].squared);
      y.data()[0] = 0;
    } else {
      const float* point = &points.centred()(near[c].number, 0);
      std::copy_n(point, d, y.data());
    }
    const std::size_t width = radial ? 1 : d;
    weights[c] = std::max(0.0, kernel->family->value(*kernel, {x.data(), width}, {y.data(), width}));
    most = std::max(most, weights[c]);
  }
  if (!(most > 0)) std::fill_n(weights, near.size(), 1.0);
}

void average_neighbors(const KnnTargets& targets, std::span<const NearPoint> near, const double* weights, double* out) {
  const std::size_t outputs = targets.outputs();
  std::fill_n(out, outputs, 0.0);
  double sum = 0;
  for (std::size_t c = 0; c < near.size(); ++c) {
    const std::size_t at = near[c].number;
    const double weight = weights[c] * (targets.weights.empty() ? 1 : targets.weights[at]);
    sum += weight;
    if (targets.classes > 0)
      out[targets.labels[at]] += weight;
    else
      for (std::size_t t = 0; t < outputs; ++t) out[t] += weight * targets.values(at, t);
  }
  // Weights of rows may be so small that their products with the kernel are 0: the nearest then speaks alone.
  if (!(sum > 0)) {
    const double one = 1;
    if (targets.classes > 0)
      out[targets.labels[near[0].number]] = one;
    else
      for (std::size_t t = 0; t < outputs; ++t) out[t] = targets.values(near[0].number, t);
    sum = one;
  }
  for (std::size_t t = 0; t < outputs; ++t) out[t] /= sum;
}

namespace {

class KnnMap final : public MapOf<KnnMap> {
 public:
  KnnMap(NearestPoints points, KnnTargets targets, KnnRule rule)
      : points_(std::move(points)), targets_(std::move(targets)), rule_(std::move(rule)) {
    const std::size_t n = points_.count();
    require(rule_.neighbors >= 1 && rule_.neighbors <= n, "knn: found {} neighbours of {} points, expected 1 to {}",
            rule_.neighbors, n, n);
    require(targets_.classes > 0 ? targets_.labels.size() == n : targets_.values.rows() == n,
            "knn: {} points do not fit their targets", n);
    require(targets_.classes <= kMostClasses && (targets_.classes > 0 || targets_.values.cols() > 0),
            "knn: found {} classes", targets_.classes);
    for (const std::uint32_t label : targets_.labels)
      require(label < targets_.classes, "knn: a point is of class {}, expected one of {}", label, targets_.classes);
    require(all_finite<double>({targets_.values.data(), targets_.values.rows() * targets_.values.cols()}),
            "knn: a target is not finite");
    require(targets_.weights.empty() || targets_.weights.size() == n, "knn: {} points do not fit {} weights", n,
            targets_.weights.size());
    for (const double weight : targets_.weights)
      require(std::isfinite(weight) && weight > 0, "knn: a point weighs {}, expected a positive number", weight);
    require(!rule_.kernel || rule_.kernel->length_scales.size() == 1,
            "knn: the kernel has a length scale for each input, expected one; divide the inputs instead");
  }

  std::size_t inputs() const override { return points_.inputs(); }
  std::size_t outputs() const override { return targets_.outputs(); }
  std::optional<Outputs> puts_out() const override {
    if (targets_.classes == 0) return std::nullopt;
    return Outputs{Outputs::Kind::probabilities};
  }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    require(block.cols == inputs(), "knn: block has {} columns, expected {}", block.cols, inputs());
    const DenseBlock<T> dense(block);
    const std::size_t k = rule_.neighbors, d = inputs();
    const Lease<float> memory(block.rows * d);
    const MatrixView<float> x{memory.data(), block.rows, d, d};
    points_.centre<T>(dense.rows(), x);
    const Lease<NearPoint> near(block.rows * k);
    points_.find(on, x, k, nullptr, near.data());
    const Lease<double> weights(k), answer(outputs());
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (!all_finite<float>({x.row(i), d})) {  // no point is near what is no number
        std::fill_n(out.row(i), outputs(), std::numeric_limits<T>::quiet_NaN());
        continue;
      }
      const std::span<const NearPoint> of(near.data() + i * k, k);
      weigh_neighbors(rule_.kernel, points_, x.row(i), of, weights.data());
      average_neighbors(targets_, of, weights.data(), answer.data());
      for (std::size_t t = 0; t < outputs(); ++t) out(i, t) = T(answer.data()[t]);
    }
  }

  std::size_t held_bytes() const override { return points_.count() * inputs() * sizeof(float); }

  std::string spec() const override {
    return fmt::format("knn:neighbors={},points={},weights={}", rule_.neighbors, points_.count(),
                       rule_.kernel ? kernel_name(*rule_.kernel) : "equal");
  }

  void save(Archive& archive) const override {
    const std::size_t n = points_.count();
    archive.tree = {{"type", "knn"}, {"neighbors", rule_.neighbors}, {"classes", targets_.classes}};
    if (rule_.kernel) {
      archive.tree["kernel"] = kernel_name(*rule_.kernel);
      archive.tree["length_scale"] = rule_.kernel->length_scales[0];
    }
    archive.put_view<float>("points", {points_.centred().data(), n * inputs()}, {n, inputs()});
    archive.put<double>("center", points_.center(), {inputs()});
    if (targets_.classes > 0)
      archive.put<std::uint32_t>("labels", targets_.labels, {n});
    else
      archive.put<double>("values", {targets_.values.data(), n * outputs()}, {n, outputs()});
    if (!targets_.weights.empty()) archive.put<double>("weights", targets_.weights, {n});
  }

 private:
  NearestPoints points_;
  KnnTargets targets_;
  KnnRule rule_;
};

}  // namespace

MapPtr knn_map(NearestPoints points, KnnTargets targets, KnnRule rule) {
  return std::make_shared<KnnMap>(std::move(points), std::move(targets), std::move(rule));
}

namespace {

KnnRule rule_from(const Archive& archive) {
  KnnRule rule{.neighbors = get_count(archive.tree, "neighbors", kMostPoints)};
  if (!archive.tree.contains("kernel")) return rule;
  rule.kernel = parse_kernel(get_text(archive.tree, "kernel"));
  const double scale = get_number(archive.tree, "length_scale");
  require(scale > 0, "knn: the length scale is {}, expected a positive number", scale);
  rule.kernel->length_scales = {scale};
  return rule;
}

}  // namespace

std::optional<KnnRule> rule_of(const Map& map) {
  if (!map.spec().starts_with("knn:")) return std::nullopt;
  const Archive archive = saved_map(map);
  return get_text(archive.tree, "type") == "knn" ? std::optional(rule_from(archive)) : std::nullopt;
}

MapPtr load_knn(const Archive& archive) {
  return build_from_model([&] {
    NearestPoints points(get_matrix<float>(archive, "points"),
                         archive.get<double>("center", {archive.length("center")}));
    KnnTargets targets;
    targets.classes = get_count(archive.tree, "classes", kMostClasses);
    if (targets.classes > 0)
      targets.labels = archive.get<std::uint32_t>("labels", {points.count()});
    else
      targets.values = get_matrix<double>(archive, "values");
    if (archive.arrays.contains("weights")) targets.weights = archive.get<double>("weights", {points.count()});
    return knn_map(std::move(points), std::move(targets), rule_from(archive));
  });
}

}  // namespace bochner
