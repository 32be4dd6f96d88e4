// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/radial.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/checked_arrays.h"
#include "base/finite.h"
#include "base/require.h"
#include "bochner/nystroem.h"
#include "kernels/stable.h"
#include "maps/check_subject.h"
#include "maps/load.h"

namespace bochner {

template <class T>
PackedPoints<T> pack_groups(MatrixView<const float> points) {
  PackedPoints<T> packed;
  Matrix<T> group;
  for (std::size_t begin = 0; begin < points.rows; begin += PackedPoints<T>::kGroup) {
    const std::size_t count = std::min(PackedPoints<T>::kGroup, points.rows - begin);
    group = Matrix<T>(count, points.cols);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(points.row(begin + i), points.cols, &group(i, 0));
    packed.groups.push_back(pack_points<T>(group.view()));
  }
  return packed;
}

template <class T>
void add_expansion(const Backend& on, MatrixView<const T> x, const PackedPoints<T>& points, double q,
                   MatrixView<const double> coefficients, MatrixView<double> sum) {
  constexpr std::size_t kGroup = PackedPoints<T>::kGroup;
  thread_local AlignedVector<T> entries;
  thread_local AlignedVector<double> wide;
  entries.resize(std::max(entries.size(), x.rows * kGroup));
  wide.resize(std::max(wide.size(), x.rows * kGroup));
  std::size_t begin = 0;
  for (const PointPanels<T>& group : points.groups) {
    const MatrixView<T> k{entries.data(), x.rows, group.count, group.count};
    on.radial_block(x, group, q, k);
    std::copy_n(entries.data(), x.rows * group.count, wide.data());
    on.multiply(MatrixView<const double>{wide.data(), x.rows, group.count, group.count},
                coefficients.slice(begin, group.count), 1.0, sum);
    begin += group.count;
  }
}

template PackedPoints<float> pack_groups(MatrixView<const float>);
template PackedPoints<double> pack_groups(MatrixView<const float>);
template void add_expansion(const Backend&, MatrixView<const float>, const PackedPoints<float>&, double,
                            MatrixView<const double>, MatrixView<double>);
template void add_expansion(const Backend&, MatrixView<const double>, const PackedPoints<double>&, double,
                            MatrixView<const double>, MatrixView<double>);

RadialMachine::RadialMachine(Matrix<float> landmarks, double q, Matrix<double> coefficients,
                             std::vector<double> intercept)
    : landmarks_(std::move(landmarks)),
      q_(q),
      coefficients_(std::move(coefficients)),
      intercept_(std::move(intercept)) {
  const std::size_t m = landmarks_.rows();
  require(m > 0 && landmarks_.cols() > 0 && coefficients_.rows() == m && coefficients_.cols() > 0 &&
              intercept_.size() == coefficients_.cols(),
          "radial machine: {} x {} landmarks, {} x {} coefficients and {} intercepts do not fit", m, landmarks_.cols(),
          coefficients_.rows(), coefficients_.cols(), intercept_.size());
  require(q > 0 && q <= 2, "radial machine: exponent = {}, expected above 0 and at most 2", q);
  require(all_finite<float>({landmarks_.data(), m * landmarks_.cols()}) &&
              all_finite<double>({coefficients_.data(), m * coefficients_.cols()}) && all_finite<double>(intercept_),
          "radial machine: a number of it is not finite");
}

template <class T>
void RadialMachine::apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
  require(!block.sparse() && block.cols == inputs(), "radial machine: block has {} columns, expected {}", block.cols,
          inputs());
  Matrix<double> sum(block.rows, outputs());
  for (std::size_t i = 0; i < block.rows; ++i) std::copy(intercept_.begin(), intercept_.end(), &sum(i, 0));
  add_expansion<T>(on, {block.values, block.rows, block.cols, block.stride},
                   packed_.get<T>([&] { return landmarks_.view(); }), q_, coefficients_.view(), sum.view());
  for (std::size_t i = 0; i < block.rows; ++i)
    for (std::size_t k = 0; k < outputs(); ++k) out(i, k) = T(sum(i, k));
}

template void RadialMachine::apply_rows(const Backend&, const RowBlock<float>&, MatrixView<float>) const;
template void RadialMachine::apply_rows(const Backend&, const RowBlock<double>&, MatrixView<double>) const;

std::string RadialMachine::spec() const {
  return fmt::format("radial:exponent={:.4g},landmarks={},outputs={}", q_, landmarks_.rows(), outputs());
}

void RadialMachine::save(Archive& archive) const {
  const std::size_t m = landmarks_.rows();
  archive.tree = {{"type", "radial_machine"}, {"exponent", q_}};
  archive.put<float>("landmarks", {landmarks_.data(), m * inputs()}, {m, inputs()});
  archive.put<double>("coefficients", {coefficients_.data(), m * outputs()}, {m, outputs()});
  archive.put<double>("intercept", intercept_, {outputs()});
}

MapPtr radial_machine(Matrix<float> landmarks, double q, Matrix<double> coefficients, std::vector<double> intercept) {
  return std::make_shared<RadialMachine>(std::move(landmarks), q, std::move(coefficients), std::move(intercept));
}

MapPtr load_radial_machine(const Archive& archive) {
  return build_from_model([&] {
    return radial_machine(get_matrix<float>(archive, "landmarks"), get_number(archive.tree, "exponent"),
                          get_matrix<double>(archive, "coefficients"),
                          archive.get<double>("intercept", {archive.length("intercept")}));
  });
}

// The kernel of its landmarks, as Nystroem features have it.
std::unique_ptr<CheckSubject> RadialMachine::check_subject(const MapPtr&, bool double_precision) const {
  Matrix<double> points(landmarks_.rows(), inputs());
  std::copy_n(landmarks_.data(), landmarks_.rows() * inputs(), points.data());
  const MapPtr features = nystroem_at(std::as_const(points).view(), stable(2, q_));
  return features->check_subject(features, double_precision);
}

}  // namespace bochner
