// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/nystroem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/aligned.h"
#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/lease.h"
#include "base/require.h"
#include "bochner/nystroem.h"
#include "kernels/law.h"
#include "maps/load.h"
#include "maps/lower_factor.h"

namespace bochner {

namespace {

constexpr std::size_t kMostValues = std::size_t{1} << 31;  // numbers of the landmarks, and of their factor
constexpr std::size_t kMostLandmarks = 40000;              // 12.8 GB of factor

void check_sizes(const Kernel& kernel, std::size_t count, std::size_t inputs) {
  require(count > 0 && inputs > 0, "nystroem map: {} landmarks of {} inputs, expected at least 1 of 1", count, inputs);
  require(count <= kMostLandmarks && inputs <= kMostValues / count,
          "nystroem map: {} landmarks of {} inputs, expected at most {} and {} values; lower the features", count,
          inputs, kMostLandmarks, kMostValues);
  check_kernel(kernel, inputs);
}

// For a kernel without a shape: value() of every pair, in double.
template <class T>
void kernel_pairs(const Kernel& unit, const RowBlock<T>& block, const Landmarks<T>& y, MatrixView<T> k) {
  constexpr std::size_t kPanel = Landmarks<T>::kPanel;
  const Lease<double> row_memory(y.inputs), point_memory(y.inputs);
  const std::span<double> row(row_memory.data(), y.inputs), point(point_memory.data(), y.inputs);
  for (std::size_t c = 0; c < k.cols; ++c) {
    const T* panel = y.panels.data() + c / kPanel * y.inputs * kPanel + c % kPanel;
    for (std::size_t j = 0; j < y.inputs; ++j) point[j] = double(panel[j * kPanel]);
    for (std::size_t i = 0; i < k.rows; ++i) {
      if (block.sparse()) {
        std::fill(row.begin(), row.end(), 0.0);
        for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
          row[block.columns[p]] = double(block.values[p] * y.factor[block.columns[p]]);
      } else {
        for (std::size_t j = 0; j < y.inputs; ++j) row[j] = double(block.values[i * block.stride + j] * y.factor[j]);
      }
      k(i, c) = T(unit.family->value(unit, row, point));
    }
  }
}

}  // namespace

void check_landmarks(const Kernel& kernel, const Matrix<float>& y) {
  check_sizes(kernel, y.rows(), y.cols());
  require(std::all_of(y.data(), y.data() + y.rows() * y.cols(), [](float v) { return std::isfinite(v); }),
          "nystroem map: a landmark holds no number that a float can");
}

template <class T>
Landmarks<T> kernel_landmarks(const Kernel& kernel, MatrixView<const float> points) {
  return pack_landmarks<T>(points, kernel.length_scales, kernel.family->shape(kernel).value_or(KernelShape::squared),
                           kernel.family->parameters.empty() ? 1 : kernel.parameter(0));
}

template <class T>
void kernel_rows(const Backend& on, const Kernel& kernel, const RowBlock<T>& block, const Landmarks<T>& y,
                 MatrixView<T> k) {
  const std::optional<KernelShape> shape = kernel.family->shape(kernel);
  if (shape) on.kernel_block(block, y, k);
  if (shape && *shape != KernelShape::squared) return;
  thread_local Kernel unit;  // its length scale is 1; kept, so that a call repeated allocates nothing
  unit.family = kernel.family;
  unit.parameters = kernel.parameters;
  if (!shape) return kernel_pairs(unit, block, y, k);
  const double zero = 0;
  for (std::size_t i = 0; i < k.rows; ++i)
    for (std::size_t j = 0; j < k.cols; ++j) {
      const double distance = std::sqrt(double(k(i, j)));
      k(i, j) = T(kernel_value(unit, {&distance, 1}, {&zero, 1}));
    }
}

template Landmarks<float> kernel_landmarks(const Kernel&, MatrixView<const float>);
template Landmarks<double> kernel_landmarks(const Kernel&, MatrixView<const float>);
template void kernel_rows(const Backend&, const Kernel&, const RowBlock<float>&, const Landmarks<float>&,
                          MatrixView<float>);
template void kernel_rows(const Backend&, const Kernel&, const RowBlock<double>&, const Landmarks<double>&,
                          MatrixView<double>);

NystroemMap::NystroemMap(Kernel kernel, Matrix<float> landmarks, Matrix<double> inverse, std::string chosen_by)
    : kernel_(std::move(kernel)),
      landmarks_(std::move(landmarks)),
      inverse_(std::move(inverse)),
      chosen_by_(std::move(chosen_by)) {
  check_landmarks(kernel_, landmarks_);
  const std::size_t m = landmarks_.rows();
  require(inverse_.rows() == m && inverse_.cols() == m, "nystroem map: its factor is {} x {}, expected {} x {}",
          inverse_.rows(), inverse_.cols(), m, m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      require(j <= i ? std::isfinite(inverse_(i, j)) : inverse_(i, j) == 0,
              "nystroem map: its factor holds {} at row {}, column {}, expected a lower triangle of numbers",
              inverse_(i, j), i, j);
}

template <class T>
const NystroemMap::Packed<T>& NystroemMap::packed() const {
  Packed<T>* packed = nullptr;
  if constexpr (std::is_same_v<T, float>)
    packed = &float_;
  else
    packed = &double_;
  std::call_once(packed->once, [&] {
    packed->landmarks = kernel_landmarks<T>(kernel_, landmarks_.view());
    packed->inverse = pack_lower<T>(inverse_.view());
  });
  return *packed;
}

template <class T>
void NystroemMap::apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
  require(block.cols == inputs(), "nystroem map: block has {} columns, expected {}", block.cols, inputs());
  require(out.rows == block.rows && out.cols == outputs(), "nystroem map: output is {} x {}, expected {} x {}",
          out.rows, out.cols, block.rows, outputs());
  const Packed<T>& y = packed<T>();
  thread_local AlignedVector<T> scratch;
  if (scratch.size() < block.rows * outputs()) scratch.resize(block.rows * outputs());
  const MatrixView<T> k{scratch.data(), block.rows, outputs(), outputs()};
  kernel_rows(on, kernel_, block, y.landmarks, k);  // k_m(x)
  on.multiply_lower(k, y.inverse, out);             // L^-1 k_m(x)
  // Rounding may pass the bound that the sums rely on.
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < out.cols; ++j) out(i, j) = std::clamp(out(i, j), T(-1), T(1));
}

template void NystroemMap::apply_rows(const Backend&, const RowBlock<float>&, MatrixView<float>) const;
template void NystroemMap::apply_rows(const Backend&, const RowBlock<double>&, MatrixView<double>) const;

std::string NystroemMap::spec() const {
  return fmt::format("nystroem:kernel={},landmarks={},count={}", kernel_name(kernel_), chosen_by_, outputs());
}

void NystroemMap::save(Archive& archive) const {
  const std::size_t m = outputs();
  archive.tree = {{"type", "nystroem"},      {"kernel", kernel_name(kernel_)},
                  {"landmarks", chosen_by_}, {"features", m},
                  {"inputs", inputs()},      {"length_scales", kernel_.length_scales.size()}};
  archive.put<double>("length_scale", kernel_.length_scales, {kernel_.length_scales.size()});
  archive.put<float>("landmark", {landmarks_.data(), m * inputs()}, {m, inputs()});
  const std::vector<double> triangle = triangle_of(inverse_.view());
  archive.put<double>("inverse_factor", triangle, {triangle.size()});
}

MapPtr load_nystroem(const Archive& archive) {
  const nlohmann::json& tree = archive.tree;
  if (const std::string type = get_text(tree, "type"); type != "nystroem")
    fail(Error::Kind::model, "nystroem map: type is '{}', expected 'nystroem'", type);
  return build_from_model([&] {
    const std::size_t m = get_count(tree, "features", kMostLandmarks);
    const std::size_t inputs = get_count(tree, "inputs", kMostValues);
    Kernel kernel = parse_kernel(get_text(tree, "kernel"));
    kernel.length_scales = archive.get<double>("length_scale", {get_count(tree, "length_scales", inputs)});
    check_sizes(kernel, m, inputs);
    const std::string chosen_by = get_text(tree, "landmarks");
    if (chosen_by != "given") parse_landmark_choice(chosen_by);
    Matrix<float> landmarks = get_matrix<float>(archive, "landmark", m, inputs);
    const std::vector<double> triangle = archive.get<double>("inverse_factor", {m * (m + 1) / 2});
    return std::make_shared<const NystroemMap>(std::move(kernel), std::move(landmarks), lower_from(triangle, m),
                                               chosen_by);
  });
}

NystroemOptions::Choice parse_landmark_choice(const std::string& text) {
  using Choice = NystroemOptions::Choice;
  for (const Choice choice : {Choice::uniform, Choice::leverage, Choice::rpcholesky})
    if (text == landmark_choice_name(choice)) return choice;
  mistake("map: found landmarks={}, expected uniform, leverage or rpcholesky", text);
}

std::string landmark_choice_name(NystroemOptions::Choice choice) {
  switch (choice) {
    case NystroemOptions::Choice::uniform:
      return "uniform";
    case NystroemOptions::Choice::leverage:
      return "leverage";
    case NystroemOptions::Choice::rpcholesky:
      return "rpcholesky";
  }
  return "";
}

}  // namespace bochner
