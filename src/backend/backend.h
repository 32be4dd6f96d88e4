// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "backend/fourier_weights.h"
#include "backend/landmarks.h"
#include "backend/nearest.h"
#include "backend/radial.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"

namespace bochner {

// add_product is fastest where the columns of a and of b are multiples of this, some 10 times it or more.
inline constexpr std::size_t kProductStep = 24;

template <class T>
struct Grid;  // backend/bins.h
template <class T>
struct PackedRows;

// The block operations. `reference` is the specification, plain loops; `cpu` is the fast one. Each call is one thread
// on a moderate number of rows: Workers and maps/map_rows.h share out whole blocks. Nothing here allocates per row or
// throws. One more operation is declared here and in operations-inl.h and defined in reference/ and cpu/.
class Backend {
 public:
  virtual ~Backend() = default;

  // z = scale * cos(x W^T + b), or scale * [cos(x W^T), sin(x W^T)] when the weights have no phase.
  // A row's result is a function of that row alone, to the bit: not of its place in the block, nor of whether
  // it is dense or CSR. Where the product of finite numbers overflows T, the angle counts as 0, as every
  // angle too large to have a fraction does.
  virtual void fourier(const RowBlock<float>& x, const FourierWeights<float>& w, MatrixView<float> z) const = 0;
  virtual void fourier(const RowBlock<double>& x, const FourierWeights<double>& w, MatrixView<double> z) const = 0;

  // sum += round(per_unit * a^T b): a is rows x m, b is rows x n, sum is m x n in 64-bit fixed point.
  // The product is formed in T and rounded once, so sums of the same chunks of rows are equal to the bit
  // in whatever order they are added. Saturation is the caller's to exclude.
  virtual void add_product(MatrixView<const float> a, MatrixView<const float> b, double per_unit,
                           MatrixView<std::int64_t> sum) const = 0;
  virtual void add_product(MatrixView<const double> a, MatrixView<const double> b, double per_unit,
                           MatrixView<std::int64_t> sum) const = 0;

  // sum += a^T b, the product formed in float.
  virtual void add_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<double> sum) const = 0;

  // The same of numbers rounded to bfloat16, for preconditioners and the like. Columns are packed once, in a layout of
  // the backend's own, into bfloat16_bytes that begin at a cache line, and then meet any others of as many rows: a has
  // sum.rows columns, b has sum.cols. has_bfloat16: whether the processor does it faster than add_product.
  virtual bool has_bfloat16() const = 0;
  virtual std::size_t bfloat16_bytes(std::size_t rows, std::size_t cols) const = 0;
  virtual void pack_bfloat16(MatrixView<const float> x, std::byte* packed) const = 0;
  virtual void add_bfloat16_product(const std::byte* a, const std::byte* b, std::size_t rows,
                                    MatrixView<double> sum) const = 0;

  // c = a b + beta c (beta 0 or 1), all row-major. A row's result is a function of that row and of b alone, to the bit.
  virtual void multiply(MatrixView<const float> a, MatrixView<const float> b, float beta,
                        MatrixView<float> c) const = 0;
  virtual void multiply(MatrixView<const double> a, MatrixView<const double> b, double beta,
                        MatrixView<double> c) const = 0;

  // k(i, j) = the kernel of row i and landmark j. Distances are summed from differences, so nothing cancels; CSR rows
  // sum in double the inputs they hold, so that they cost what they hold. A row's result is a function of that row
  // alone, to the bit.
  virtual void kernel_block(const RowBlock<float>& x, const Landmarks<float>& y, MatrixView<float> k) const = 0;
  virtual void kernel_block(const RowBlock<double>& x, const Landmarks<double>& y, MatrixView<double> k) const = 0;

  // z = x R^T, R lower triangular. A row's result is a function of that row alone, to the bit. z is not x.
  virtual void multiply_lower(MatrixView<const float> x, const LowerPanels<float>& r, MatrixView<float> z) const = 0;
  virtual void multiply_lower(MatrixView<const double> x, const LowerPanels<double>& r, MatrixView<double> z) const = 0;

  // k(i, j) = exp(-t^{q/2}) of row i and point j, see backend/radial.h: t by the product |x|^2 + |y|^2 - 2 x.y in T, 0
  // where both are equal. A row's result is a function of that row alone, to the bit. Rows are finite.
  virtual void radial_block(MatrixView<const float> x, const PointPanels<float>& y, double q,
                            MatrixView<float> k) const = 0;
  virtual void radial_block(MatrixView<const double> x, const PointPanels<double>& y, double q,
                            MatrixView<double> k) const = 0;
  // The same with what derivatives need, and from that the derivatives: entries in T, sums over points in double.
  virtual void radial_entries(MatrixView<const float> x, const PointPanels<float>& y, double q,
                              const RadialEntries<float>& entries) const = 0;
  virtual void radial_entries(MatrixView<const double> x, const PointPanels<double>& y, double q,
                              const RadialEntries<double>& entries) const = 0;
  virtual void radial_slope(const RadialEntries<float>& of, double q, const RadialSlope<float>& slope) const = 0;
  virtual void radial_slope(const RadialEntries<double>& of, double q, const RadialSlope<double>& slope) const = 0;

  // Each row meets each point: value = half - x.y, see backend/nearest.h. A pair's value is a function of the pair
  // alone, to the bit, and the same on every machine. Rows and points are finite, and so are their products.
  virtual void nearest(MatrixView<const float> x, const PointPanels<float>& y, const MetPoints& points,
                       const NearestView& best) const = 0;
  // squared[i] = |x - points(at[i])|^2, from differences in double: the same bits on every machine.
  virtual void squared_distances(const float* x, MatrixView<const float> points, std::span<const std::uint32_t> at,
                                 double* squared) const = 0;

  // hashes[i] = the hash of the bin of row i, see backend/bins.h.
  virtual void bin_hashes(const PackedRows<float>& rows, const Grid<float>& grid, std::uint64_t* hashes) const = 0;
  virtual void bin_hashes(const PackedRows<double>& rows, const Grid<double>& grid, std::uint64_t* hashes) const = 0;

  // Rows of x times the Hadamard matrix of x.cols = 2^m columns, in place, by butterflies: (a, b) -> (a + b, a - b) for
  // entries 1, 2, 4, ... apart. Not normalized. The same bits on every machine.
  virtual void hadamard(MatrixView<float> x) const = 0;
  virtual void hadamard(MatrixView<double> x) const = 0;

  // Features from angles: z = scale * cos(y_j factor_j + phase_j), or scale * [cos, sin] where phase is null, angles in
  // turns. An infinite angle counts as 0.
  virtual void cosines(MatrixView<const float> y, const float* factor, const float* phase, float scale,
                       MatrixView<float> z) const = 0;
  virtual void cosines(MatrixView<const double> y, const double* factor, const double* phase, double scale,
                       MatrixView<double> z) const = 0;

  // The random signs of backend/signs.h: of as many rows from `row` on, each the 64-bit words from `first` (even) on.
  virtual void sign_bits(std::uint64_t seed, std::uint64_t row, std::size_t rows, std::size_t first, std::size_t words,
                         std::uint64_t* bits) const = 0;
  // r(i, j) = size where bit j of row i is 0, -size where it is 1.
  virtual void expand_signs(const std::uint64_t* bits, std::size_t words, float size, MatrixView<float> r) const = 0;
  virtual void expand_signs(const std::uint64_t* bits, std::size_t words, double size, MatrixView<double> r) const = 0;

  // Rows kept for many passes. T is std::int16_t (fixed point), float or double; C is double for double, otherwise
  // float. Rows have zeros up to z.cols, a multiple of kKeptColumns, so there are no tails.

  // u = z v^T: v is k x z.cols, u is rows x k. A row's result is a function of that row alone, to the bit.
  virtual void project(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u) const = 0;
  virtual void project(MatrixView<const float> z, MatrixView<const float> v, MatrixView<float> u) const = 0;
  virtual void project(MatrixView<const double> z, MatrixView<const double> v, MatrixView<double> u) const = 0;

  // The same, and the rows as float besides, for whoever needs them again at once: wide is rows x z.cols.
  virtual void project(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u,
                       MatrixView<float> wide) const = 0;

  // sum += u^T z: sum is k x z.cols. A sum in C: of few rows.
  virtual void add_combined(MatrixView<const std::int16_t> z, MatrixView<const float> u,
                            MatrixView<float> sum) const = 0;
  virtual void add_combined(MatrixView<const float> z, MatrixView<const float> u, MatrixView<float> sum) const = 0;
  virtual void add_combined(MatrixView<const double> z, MatrixView<const double> u, MatrixView<double> sum) const = 0;

  // The same in double for rows that may lie anywhere, each as long as v or the sum is wide; of u.rows of them.
  // Pointers beyond those are rows that come next. The sum of several calls is that of one to the bit.
  virtual void project(std::span<const std::int16_t* const> z, MatrixView<const double> v,
                       MatrixView<double> u) const = 0;
  virtual void project(std::span<const float* const> z, MatrixView<const double> v, MatrixView<double> u) const = 0;
  virtual void project(std::span<const double* const> z, MatrixView<const double> v, MatrixView<double> u) const = 0;
  virtual void add_combined(std::span<const std::int16_t* const> z, MatrixView<const double> u,
                            MatrixView<double> sum) const = 0;
  virtual void add_combined(std::span<const float* const> z, MatrixView<const double> u,
                            MatrixView<double> sum) const = 0;
  virtual void add_combined(std::span<const double* const> z, MatrixView<const double> u,
                            MatrixView<double> sum) const = 0;

  // sum.row(to[r]) += factor[r] * z[r], in order.
  virtual void scatter(std::span<const std::int16_t* const> z, const std::uint32_t* to, const float* factor,
                       MatrixView<float> sum) const = 0;
  virtual void scatter(std::span<const float* const> z, const std::uint32_t* to, const float* factor,
                       MatrixView<float> sum) const = 0;
  virtual void scatter(std::span<const double* const> z, const std::uint32_t* to, const float* factor,
                       MatrixView<float> sum) const = 0;

  // q = round(per_unit * z), any number of columns.
  virtual void to_fixed(MatrixView<const float> z, float per_unit, MatrixView<std::int16_t> q) const = 0;
};

// What the width of kept rows is a multiple of: a cache line of the narrowest, a vector of the widest.
constexpr std::size_t kKeptColumns = 32;

// What sums of kept rows are formed in.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

// The backend of a device, from the class of its operations.
template <class Operations>
class BackendOf final : public Backend {
 public:
  void fourier(const RowBlock<float>& x, const FourierWeights<float>& w, MatrixView<float> z) const override {
    Operations::fourier(x, w, z);
  }
  void fourier(const RowBlock<double>& x, const FourierWeights<double>& w, MatrixView<double> z) const override {
    Operations::fourier(x, w, z);
  }
  void add_product(MatrixView<const float> a, MatrixView<const float> b, double per_unit,
                   MatrixView<std::int64_t> sum) const override {
    Operations::add_product(a, b, per_unit, sum);
  }
  void add_product(MatrixView<const double> a, MatrixView<const double> b, double per_unit,
                   MatrixView<std::int64_t> sum) const override {
    Operations::add_product(a, b, per_unit, sum);
  }
  void add_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<double> sum) const override {
    Operations::add_product(a, b, sum);
  }
  bool has_bfloat16() const override { return Operations::has_bfloat16(); }
  std::size_t bfloat16_bytes(std::size_t rows, std::size_t cols) const override {
    return Operations::bfloat16_bytes(rows, cols);
  }
  void pack_bfloat16(MatrixView<const float> x, std::byte* packed) const override {
    Operations::pack_bfloat16(x, packed);
  }
  void add_bfloat16_product(const std::byte* a, const std::byte* b, std::size_t rows,
                            MatrixView<double> sum) const override {
    Operations::add_bfloat16_product(a, b, rows, sum);
  }
  void multiply(MatrixView<const float> a, MatrixView<const float> b, float beta, MatrixView<float> c) const override {
    Operations::multiply(a, b, beta, c);
  }
  void multiply(MatrixView<const double> a, MatrixView<const double> b, double beta,
                MatrixView<double> c) const override {
    Operations::multiply(a, b, beta, c);
  }
  void kernel_block(const RowBlock<float>& x, const Landmarks<float>& y, MatrixView<float> k) const override {
    Operations::kernel_block(x, y, k);
  }
  void kernel_block(const RowBlock<double>& x, const Landmarks<double>& y, MatrixView<double> k) const override {
    Operations::kernel_block(x, y, k);
  }
  void multiply_lower(MatrixView<const float> x, const LowerPanels<float>& r, MatrixView<float> z) const override {
    Operations::multiply_lower(x, r, z);
  }
  void multiply_lower(MatrixView<const double> x, const LowerPanels<double>& r, MatrixView<double> z) const override {
    Operations::multiply_lower(x, r, z);
  }
  void radial_block(MatrixView<const float> x, const PointPanels<float>& y, double q,
                    MatrixView<float> k) const override {
    Operations::radial_block(x, y, q, k);
  }
  void radial_entries(MatrixView<const float> x, const PointPanels<float>& y, double q,
                      const RadialEntries<float>& entries) const override {
    Operations::radial_entries(x, y, q, entries);
  }
  void radial_slope(const RadialEntries<float>& of, double q, const RadialSlope<float>& slope) const override {
    Operations::radial_slope(of, q, slope);
  }
  void radial_block(MatrixView<const double> x, const PointPanels<double>& y, double q,
                    MatrixView<double> k) const override {
    Operations::radial_block(x, y, q, k);
  }
  void radial_entries(MatrixView<const double> x, const PointPanels<double>& y, double q,
                      const RadialEntries<double>& entries) const override {
    Operations::radial_entries(x, y, q, entries);
  }
  void radial_slope(const RadialEntries<double>& of, double q, const RadialSlope<double>& slope) const override {
    Operations::radial_slope(of, q, slope);
  }
  void nearest(MatrixView<const float> x, const PointPanels<float>& y, const MetPoints& points,
               const NearestView& best) const override {
    Operations::nearest(x, y, points, best);
  }
  void squared_distances(const float* x, MatrixView<const float> points, std::span<const std::uint32_t> at,
                         double* squared) const override {
    Operations::squared_distances(x, points, at, squared);
  }
  void bin_hashes(const PackedRows<float>& rows, const Grid<float>& grid, std::uint64_t* hashes) const override {
    Operations::bin_hashes(rows, grid, hashes);
  }
  void bin_hashes(const PackedRows<double>& rows, const Grid<double>& grid, std::uint64_t* hashes) const override {
    Operations::bin_hashes(rows, grid, hashes);
  }
  void hadamard(MatrixView<float> x) const override { Operations::hadamard(x); }
  void hadamard(MatrixView<double> x) const override { Operations::hadamard(x); }
  void cosines(MatrixView<const float> y, const float* factor, const float* phase, float scale,
               MatrixView<float> z) const override {
    Operations::cosines(y, factor, phase, scale, z);
  }
  void cosines(MatrixView<const double> y, const double* factor, const double* phase, double scale,
               MatrixView<double> z) const override {
    Operations::cosines(y, factor, phase, scale, z);
  }
  void sign_bits(std::uint64_t seed, std::uint64_t row, std::size_t rows, std::size_t first, std::size_t words,
                 std::uint64_t* bits) const override {
    Operations::sign_bits(seed, row, rows, first, words, bits);
  }
  void expand_signs(const std::uint64_t* bits, std::size_t words, float size, MatrixView<float> r) const override {
    Operations::expand_signs(bits, words, size, r);
  }
  void expand_signs(const std::uint64_t* bits, std::size_t words, double size, MatrixView<double> r) const override {
    Operations::expand_signs(bits, words, size, r);
  }
  void project(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u) const override {
    Operations::project(z, v, u);
  }
  void project(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u,
               MatrixView<float> wide) const override {
    Operations::project_and_widen(z, v, u, wide);
  }
  void project(MatrixView<const float> z, MatrixView<const float> v, MatrixView<float> u) const override {
    Operations::project(z, v, u);
  }
  void project(MatrixView<const double> z, MatrixView<const double> v, MatrixView<double> u) const override {
    Operations::project(z, v, u);
  }
  void add_combined(MatrixView<const std::int16_t> z, MatrixView<const float> u, MatrixView<float> sum) const override {
    Operations::add_combined(z, u, sum);
  }
  void add_combined(MatrixView<const float> z, MatrixView<const float> u, MatrixView<float> sum) const override {
    Operations::add_combined(z, u, sum);
  }
  void add_combined(MatrixView<const double> z, MatrixView<const double> u, MatrixView<double> sum) const override {
    Operations::add_combined(z, u, sum);
  }
  void project(std::span<const std::int16_t* const> z, MatrixView<const double> v,
               MatrixView<double> u) const override {
    Operations::project(z, v, u);
  }
  void add_combined(std::span<const std::int16_t* const> z, MatrixView<const double> u,
                    MatrixView<double> sum) const override {
    Operations::add_combined(z, u, sum);
  }
  void scatter(std::span<const std::int16_t* const> z, const std::uint32_t* to, const float* factor,
               MatrixView<float> sum) const override {
    Operations::scatter(z, to, factor, sum);
  }
  void project(std::span<const float* const> z, MatrixView<const double> v, MatrixView<double> u) const override {
    Operations::project(z, v, u);
  }
  void add_combined(std::span<const float* const> z, MatrixView<const double> u,
                    MatrixView<double> sum) const override {
    Operations::add_combined(z, u, sum);
  }
  void scatter(std::span<const float* const> z, const std::uint32_t* to, const float* factor,
               MatrixView<float> sum) const override {
    Operations::scatter(z, to, factor, sum);
  }
  void project(std::span<const double* const> z, MatrixView<const double> v, MatrixView<double> u) const override {
    Operations::project(z, v, u);
  }
  void add_combined(std::span<const double* const> z, MatrixView<const double> u,
                    MatrixView<double> sum) const override {
    Operations::add_combined(z, u, sum);
  }
  void scatter(std::span<const double* const> z, const std::uint32_t* to, const float* factor,
               MatrixView<float> sum) const override {
    Operations::scatter(z, to, factor, sum);
  }
  void to_fixed(MatrixView<const float> z, float per_unit, MatrixView<std::int16_t> q) const override {
    Operations::to_fixed(z, per_unit, q);
  }
};

const Backend& reference_backend();
const Backend& cpu_backend();

}  // namespace bochner
