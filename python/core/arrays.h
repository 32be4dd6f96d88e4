// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

#include "bochner/matrix.h"

namespace bochner::python {

namespace nb = nanobind;

template <class T>
using Array1 = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using AnyArray2 = nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::device::cpu>;  // steps may be any

template <class T>
MatrixView<const T> view_of(const Array2<T>& array) {
  return {array.data(), array.shape(0), array.shape(1), array.shape(1)};
}

// An array that owns what was moved into it.
template <class T, class Owner>
nb::ndarray<nb::numpy, T> given_away(Owner owner, T* (*data)(Owner&), std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<Owner>(std::move(owner));
  T* const begin = data(*kept);
  nb::capsule freed(kept.get(), [](void* p) noexcept { delete static_cast<Owner*>(p); });
  kept.release();
  return nb::ndarray<nb::numpy, T>(begin, shape, freed);
}

template <class T>
nb::ndarray<nb::numpy, T> to_array(Matrix<T> matrix) {
  const std::size_t rows = matrix.rows(), cols = matrix.cols();
  return given_away<T, Matrix<T>>(std::move(matrix), [](Matrix<T>& m) { return m.data(); }, {rows, cols});
}

template <class T>
nb::ndarray<nb::numpy, T> to_array(std::vector<T> values, std::size_t rows, std::size_t cols) {
  return given_away<T, std::vector<T>>(std::move(values), [](std::vector<T>& v) { return v.data(); }, {rows, cols});
}
template <class T>
nb::ndarray<nb::numpy, T> to_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return given_away<T, std::vector<T>>(std::move(values), [](std::vector<T>& v) { return v.data(); }, {size});
}

}  // namespace bochner::python
