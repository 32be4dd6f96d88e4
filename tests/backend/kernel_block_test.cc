// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::Block;
using testing::numbers;

constexpr KernelShape kShapes[] = {KernelShape::squared,      KernelShape::gaussian, KernelShape::exponential2,
                                   KernelShape::matern32,     KernelShape::matern52, KernelShape::rational,
                                   KernelShape::exponential1, KernelShape::cauchy};

Matrix<float> points(std::size_t count, std::size_t inputs, std::uint32_t seed) {
  const std::vector<float> values = numbers<float>(count * inputs, seed);
  Matrix<float> y(count, inputs);
  std::copy(values.begin(), values.end(), y.data());
  return y;
}

template <class T>
Matrix<T> kernels(const Backend& on, const RowBlock<T>& x, const Landmarks<T>& y) {
  Matrix<T> k(x.rows, y.count);
  on.kernel_block(x, y, k.view());
  return k;
}

template <class T>
class KernelBlock : public ::testing::Test {
 public:
  static constexpr double kTolerance = std::is_same_v<T, float> ? 4e-6 : 1e-14;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KernelBlock, Precisions);

TYPED_TEST(KernelBlock, AgreesWithTheReferenceForEveryShapeAndOddSizes) {
  for (const KernelShape shape : kShapes)
    for (const auto& [rows, inputs, count] :
         {std::array<std::size_t, 3>{1, 1, 1}, {5, 3, 15}, {6, 7, 16}, {7, 8, 17}, {63, 21, 65}, {65, 130, 33}}) {
      const Block<TypeParam> block(rows, inputs, 1);
      const double scale = std::sqrt(double(inputs));
      const Landmarks<TypeParam> y =
          pack_landmarks<TypeParam>(points(count, inputs, 2).view(), std::vector<double>{scale}, shape, 1.7);
      const Matrix<TypeParam> expected = kernels(reference_backend(), block.dense, y);
      for (const RowBlock<TypeParam>& x : {block.dense, block.sparse}) {
        const Matrix<TypeParam> found = kernels(cpu_backend(), x, y);
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < count; ++j)
            ASSERT_NEAR(found(i, j), expected(i, j), TestFixture::kTolerance * (1 + std::abs(expected(i, j))))
                << "shape " << int(shape) << ", row " << i << ", landmark " << j << (x.sparse() ? ", CSR" : "");
      }
    }
}

TYPED_TEST(KernelBlock, ARowsValuesDoNotDependOnItsPlace) {
  const Block<TypeParam> block(41, 19, 3);
  for (const KernelShape shape : kShapes) {
    const auto y = pack_landmarks<TypeParam>(points(37, 19, 4).view(), std::vector<double>{3.0}, shape, 2);
    for (const RowBlock<TypeParam>& x : {block.dense, block.sparse}) {
      const Matrix<TypeParam> all = kernels(cpu_backend(), x, y);
      for (std::size_t begin : {1, 4, 6, 17})
        for (std::size_t count : {1, 5, 6, 13}) {
          const Matrix<TypeParam> part = kernels(cpu_backend(), x.slice(begin, count), y);
          for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < 37; ++j) ASSERT_EQ(part(i, j), all(begin + i, j));
        }
    }
  }
}

// Rows far from 0 and near each other: |x|^2 + |y|^2 - 2 x y would have no digit left in float.
TYPED_TEST(KernelBlock, KeepsItsDigitsFarFromTheOrigin) {
  Matrix<float> y(16, 4), x(16, 4);
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      y(i, j) = 4096;
      x(i, j) = 4096 + float(i) / 16;
    }
  Matrix<TypeParam> rows(16, 4);
  std::copy_n(x.data(), 64, rows.data());
  RowBlock<TypeParam> block;
  block.rows = 16;
  block.cols = block.stride = 4;
  block.values = rows.data();
  const auto landmarks = pack_landmarks<TypeParam>(y.view(), std::vector<double>{1.0}, KernelShape::gaussian);
  const Matrix<TypeParam> k = kernels(cpu_backend(), block, landmarks);
  for (std::size_t i = 0; i < 16; ++i) {
    const double delta = double(i) / 16;
    EXPECT_NEAR(k(i, 3), std::exp(-2 * delta * delta), 1e-6);
  }
}

TYPED_TEST(KernelBlock, GivesZeroAtInfinityAndKeepsNaN) {
  std::vector<TypeParam> values = {std::numeric_limits<TypeParam>::infinity(), 0,
                                   std::numeric_limits<TypeParam>::quiet_NaN(), 0};
  RowBlock<TypeParam> block;
  block.rows = block.cols = block.stride = 2;
  block.values = values.data();
  for (const KernelShape shape : kShapes) {
    if (shape == KernelShape::squared) continue;
    const auto y = pack_landmarks<TypeParam>(points(3, 2, 5).view(), std::vector<double>{1.0}, shape);
    const Matrix<TypeParam> k = kernels(cpu_backend(), block, y);
    EXPECT_NEAR(k(0, 2), 0, 1e-20) << int(shape);
    EXPECT_TRUE(std::isnan(k(1, 2))) << int(shape);
  }
}

TYPED_TEST(KernelBlock, TheLowerProductAgreesWithTheReferenceWhereverARowStands) {
  for (const std::size_t size : {1, 15, 16, 17, 511, 513, 1100}) {
    const std::vector<double> triangle = numbers<double>(size * size, 6);
    const LowerPanels<TypeParam> lower = pack_lower<TypeParam>({triangle.data(), size, size, size});
    const std::size_t rows = 14;
    const std::vector<TypeParam> x = numbers<TypeParam>(rows * size, 7);
    const MatrixView<const TypeParam> view{x.data(), rows, size, size};
    Matrix<TypeParam> expected(rows, size), found(rows, size), part(rows, size);
    reference_backend().multiply_lower(view, lower, expected.view());
    cpu_backend().multiply_lower(view, lower, found.view());
    const double tolerance = TestFixture::kTolerance * std::sqrt(double(size));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < size; ++j) ASSERT_NEAR(found(i, j), expected(i, j), 3 * tolerance) << size;
    cpu_backend().multiply_lower(view.slice(3, 8), lower, part.view().slice(0, 8));
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < size; ++j) ASSERT_EQ(part(i, j), found(3 + i, j)) << size;
  }
}

}  // namespace
}  // namespace bochner
