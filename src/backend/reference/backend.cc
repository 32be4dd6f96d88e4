// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/backend.h"

#include "backend/reference/operations.h"

namespace bochner {

namespace {

class ReferenceBackend final : public Backend {
 public:
  void fourier(const RowBlock<float>& x, const FourierWeights<float>& w, MatrixView<float> z) const override {
    reference::fourier(x, w, z);
  }
  void fourier(const RowBlock<double>& x, const FourierWeights<double>& w, MatrixView<double> z) const override {
    reference::fourier(x, w, z);
  }
  void add_product(MatrixView<const float> a, MatrixView<const float> b, double per_unit,
                   MatrixView<std::int64_t> sum) const override {
    reference::add_product(a, b, per_unit, sum);
  }
  void add_product(MatrixView<const double> a, MatrixView<const double> b, double per_unit,
                   MatrixView<std::int64_t> sum) const override {
    reference::add_product(a, b, per_unit, sum);
  }
  void add_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<double> sum) const override {
    reference::add_product(a, b, sum);
  }
  bool has_bfloat16() const override { return reference::has_bfloat16(); }
  std::size_t bfloat16_bytes(std::size_t rows, std::size_t cols) const override {
    return reference::bfloat16_bytes(rows, cols);
  }
  void pack_bfloat16(MatrixView<const float> x, std::byte* packed) const override {
    reference::pack_bfloat16(x, packed);
  }
  void add_bfloat16_product(const std::byte* a, const std::byte* b, std::size_t rows,
                            MatrixView<double> sum) const override {
    reference::add_bfloat16_product(a, b, rows, sum);
  }
  void multiply(MatrixView<const float> a, MatrixView<const float> b, float beta, MatrixView<float> c) const override {
    reference::multiply(a, b, beta, c);
  }
  void multiply(MatrixView<const double> a, MatrixView<const double> b, double beta,
                MatrixView<double> c) const override {
    reference::multiply(a, b, beta, c);
  }
  void kernel_block(const RowBlock<float>& x, const Landmarks<float>& y, MatrixView<float> k) const override {
    reference::kernel_block(x, y, k);
  }
  void kernel_block(const RowBlock<double>& x, const Landmarks<double>& y, MatrixView<double> k) const override {
    reference::kernel_block(x, y, k);
  }
  void multiply_lower(MatrixView<const float> x, const LowerPanels<float>& r, MatrixView<float> z) const override {
    reference::multiply_lower(x, r, z);
  }
  void multiply_lower(MatrixView<const double> x, const LowerPanels<double>& r, MatrixView<double> z) const override {
    reference::multiply_lower(x, r, z);
  }
  void radial_block(MatrixView<const float> x, const PointPanels<float>& y, double q,
                    MatrixView<float> k) const override {
    reference::radial_block(x, y, q, k);
  }
  void radial_slope(MatrixView<const float> x, const PointPanels<float>& y, double q,
                    const RadialSlope<float>& slope) const override {
    reference::radial_slope(x, y, q, slope);
  }
  void radial_block(MatrixView<const double> x, const PointPanels<double>& y, double q,
                    MatrixView<double> k) const override {
    reference::radial_block(x, y, q, k);
  }
  void radial_slope(MatrixView<const double> x, const PointPanels<double>& y, double q,
                    const RadialSlope<double>& slope) const override {
    reference::radial_slope(x, y, q, slope);
  }
  void project(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u) const override {
    reference::project(z, v, u);
  }
  void project(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u,
               MatrixView<float> wide) const override {
    reference::project_and_widen(z, v, u, wide);
  }
  void project(MatrixView<const float> z, MatrixView<const float> v, MatrixView<float> u) const override {
    reference::project(z, v, u);
  }
  void project(MatrixView<const double> z, MatrixView<const double> v, MatrixView<double> u) const override {
    reference::project(z, v, u);
  }
  void add_combined(MatrixView<const std::int16_t> z, MatrixView<const float> u, MatrixView<float> sum) const override {
    reference::add_combined(z, u, sum);
  }
  void add_combined(MatrixView<const float> z, MatrixView<const float> u, MatrixView<float> sum) const override {
    reference::add_combined(z, u, sum);
  }
  void add_combined(MatrixView<const double> z, MatrixView<const double> u, MatrixView<double> sum) const override {
    reference::add_combined(z, u, sum);
  }
  void scatter(MatrixView<const std::int16_t> z, std::span<const std::uint32_t> from, const std::uint32_t* to,
               const float* factor, MatrixView<float> sum) const override {
    reference::scatter(z, from, to, factor, sum);
  }
  void scatter(MatrixView<const float> z, std::span<const std::uint32_t> from, const std::uint32_t* to,
               const float* factor, MatrixView<float> sum) const override {
    reference::scatter(z, from, to, factor, sum);
  }
  void scatter(MatrixView<const double> z, std::span<const std::uint32_t> from, const std::uint32_t* to,
               const float* factor, MatrixView<float> sum) const override {
    reference::scatter(z, from, to, factor, sum);
  }
  void to_fixed(MatrixView<const float> z, float per_unit, MatrixView<std::int16_t> q) const override {
    reference::to_fixed(z, per_unit, q);
  }
};

}  // namespace

const Backend& reference_backend() {
  static const ReferenceBackend backend;
  return backend;
}

}  // namespace bochner
