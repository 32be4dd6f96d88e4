// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Matrix<double> x(3, 2);  // 3 rows of 2, all 0
//   x(0, 1) = 5;
//   const MatrixView<const double> last_two = MatrixView<const double>(x.view()).slice(1, 2);

#include <cstddef>
#include <vector>

namespace bochner {

// A view of a row-major matrix that someone else owns.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;  // elements from one row to the next

  T* row(std::size_t i) const { return data + i * stride; }
  T& operator()(std::size_t i, std::size_t j) const { return data[i * stride + j]; }
  operator MatrixView<const T>() const { return {data, rows, cols, stride}; }

  // Rows begin .. begin + count.
  MatrixView slice(std::size_t begin, std::size_t count) const { return {data + begin * stride, count, cols, stride}; }
};

// An owned row-major matrix, zero at first.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), values_(rows * cols) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T& operator()(std::size_t i, std::size_t j) { return values_[i * cols_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return values_[i * cols_ + j]; }
  MatrixView<T> view() { return {values_.data(), rows_, cols_, cols_}; }
  MatrixView<const T> view() const { return {values_.data(), rows_, cols_, cols_}; }
  bool operator==(const Matrix&) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<T> values_;
};

}  // namespace bochner
