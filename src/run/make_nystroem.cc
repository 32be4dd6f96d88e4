// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/make_nystroem.h"

#include <algorithm>
#include <utility>

#include "base/require.h"
#include "bochner/nystroem.h"
#include "run/host.h"
#include "solve/fixed_order.h"

namespace bochner {

std::shared_ptr<const NystroemMap> make_nystroem(const Backend& on, const Kernel& kernel,
                                                 const Matrix<float>& landmarks, double tolerance,
                                                 const std::string& chosen_by) {
  const std::size_t all = landmarks.rows(), d = landmarks.cols();
  check_landmarks(kernel, landmarks);
  require(tolerance > 0 && tolerance < 1, "nystroem map: tolerance = {}, expected between 0 and 1", tolerance);

  // K_mm in double, of the landmarks as float holds them.
  Matrix<double> points(all, d), K(all, all);
  std::copy_n(landmarks.data(), all * d, points.data());
  const auto block = RowBlock<double>::dense(std::as_const(points).view());
  kernel_rows(on, kernel, block, kernel_landmarks<double>(kernel, landmarks.view()), K.view());

  // P^T K P = L L^T up to pivots of the tolerance.
  std::vector<std::size_t> pivots(all);
  const std::size_t m = fixed_order::pivoted_factor(K.view(), tolerance, pivots);
  Matrix<float> kept(m, d);
  for (std::size_t i = 0; i < m; ++i) std::copy_n(&landmarks(pivots[i], 0), d, &kept(i, 0));
  Matrix<double> inverse = fixed_order::inverse_lower({K.data(), m, m, all});  // L^-1
  return std::make_shared<const NystroemMap>(kernel, std::move(kept), std::move(inverse), chosen_by);
}

MapPtr nystroem_at(MatrixView<const double> landmarks, const Kernel& kernel, double tolerance) {
  Matrix<float> points(landmarks.rows, landmarks.cols);
  for (std::size_t i = 0; i < landmarks.rows; ++i)
    std::transform(landmarks.row(i), landmarks.row(i) + landmarks.cols, points.data() + i * landmarks.cols,
                   [](double v) { return float(v); });
  return make_nystroem(host_backend(), kernel, points, tolerance, "given");
}

}  // namespace bochner
