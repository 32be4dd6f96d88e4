// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/backend.h"
#include "backend/fourier_weights.h"
#include "backend/landmarks.h"
#include "backend/radial.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"

// The specification: plain loops, double inside. What each does is said in backend/backend.h. T is float or double.
namespace bochner::reference {

template <class T>
void fourier(const RowBlock<T>& x, const FourierWeights<T>& w, MatrixView<T> z);

template <class T>
void add_product(MatrixView<const T> a, MatrixView<const T> b, double per_unit, MatrixView<std::int64_t> sum);

void add_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<double> sum);

bool has_bfloat16();
std::size_t bfloat16_bytes(std::size_t rows, std::size_t cols);
void pack_bfloat16(MatrixView<const float> x, std::byte* packed);
void add_bfloat16_product(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<double> sum);

template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c);

template <class T>
void kernel_block(const RowBlock<T>& x, const Landmarks<T>& y, MatrixView<T> k);

template <class T>
void multiply_lower(MatrixView<const T> x, const LowerPanels<T>& r, MatrixView<T> z);

template <class T>
void radial_block(MatrixView<const T> x, const PointPanels<T>& y, double q, MatrixView<T> k);

template <class T>
void radial_slope(MatrixView<const T> x, const PointPanels<T>& y, double q, const RadialSlope<T>& slope);

template <class T>
void project(MatrixView<const T> z, MatrixView<const Computed<T>> v, MatrixView<Computed<T>> u);

template <class T>
void add_combined(MatrixView<const T> z, MatrixView<const Computed<T>> u, MatrixView<Computed<T>> sum);

template <class T>
void scatter(MatrixView<const T> z, std::span<const std::uint32_t> from, const std::uint32_t* to, const float* factor,
             MatrixView<float> sum);

void project_and_widen(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u,
                       MatrixView<float> wide);

void to_fixed(MatrixView<const float> z, float per_unit, MatrixView<std::int16_t> q);

}  // namespace bochner::reference
