// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

#include "backend/radial.h"
#include "bochner/matrix.h"

namespace bochner {

// Entries of a radial kernel with what their derivatives are made of, each rows x points. Who wants both the kernel
// and, later, derivatives that depend on what it led to keeps them: a derivative is then some multiplications, where
// Backend::radial_slope computes distances, logarithms and exponentials again.
template <class T>
struct RadialEntries {
  MatrixView<T> k, distance, log, power;  // k, t, ln t, t^{q/2}

  std::size_t rows() const { return k.rows; }
  RadialEntries slice(std::size_t begin, std::size_t count) const {
    return {k.slice(begin, count), distance.slice(begin, count), log.slice(begin, count), power.slice(begin, count)};
  }
};

// On this processor: the entries of Backend::radial_block, and from them the derivatives of Backend::radial_slope, to
// the bit.
void radial_entries(MatrixView<const float> x, const PointPanels<float>& y, double q, const RadialEntries<float>& out);
void radial_entries(MatrixView<const double> x, const PointPanels<double>& y, double q,
                    const RadialEntries<double>& out);
void radial_slope(const RadialEntries<float>& of, double q, const RadialSlope<float>& out);
void radial_slope(const RadialEntries<double>& of, double q, const RadialSlope<double>& out);

}  // namespace bochner
