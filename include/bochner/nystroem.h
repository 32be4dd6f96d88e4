// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Matrix<double> sample(500, 4);  // rows in random order
//   const MapPtr map = nystroem(sample.view(), {.kernel = laplacian(2.0), .landmarks = 100});

#include <cstddef>
#include <cstdint>
#include <string>

#include "bochner/execution.h"
#include "bochner/kernel.h"
#include "bochner/map.h"
#include "bochner/matrix.h"

namespace bochner {

// The Nystroem map: kernel values against m landmarks, whitened. Williams & Seeger, NIPS 2000.
//   z(x) = L^-1 k_m(x),  k_m(x) = [k(x, y_1) ... k(x, y_m)],  K_mm = L L^T,
// so that z(x).z(y) = k_m(x)^T K_mm^-1 k_m(y): exact at the landmarks, and K - Z Z^T is never negative.
// K_mm is factored by Cholesky with pivoting. A landmark that the ones before explain up to `tolerance` is left out:
// what is lost is below it, and what it would have added is below the rounding of the features.
struct NystroemOptions {
  // How landmarks are chosen among the rows of a sample.
  //   uniform     each as likely
  //   leverage    by ridge leverage scores l_i = [K (K + mu I)^-1]_ii; Alaoui & Mahoney, NIPS 2015
  //   rpcholesky  each by its residual k(x, x) - z(x).z(x) given those before; Chen, Epperly, Tropp, Webber 2022
  enum class Choice { uniform, leverage, rpcholesky };

  Kernel kernel = {};
  std::size_t landmarks = 1000;
  Choice choice = Choice::rpcholesky;
  double tolerance = 1e-6;  // suits float features; 1e-12 suits double
  std::uint64_t seed = 0;
};

// Landmarks chosen from the rows of a sample that is in random order. Same bits for any number of threads.
MapPtr nystroem(MatrixView<const double> sample, const NystroemOptions& options, const Execution& execution = {});

// Landmarks the caller chose, in order of importance.
MapPtr nystroem_at(MatrixView<const double> landmarks, const Kernel& kernel, double tolerance = 1e-6);

// "uniform", "leverage", "rpcholesky" and back.
NystroemOptions::Choice parse_landmark_choice(const std::string& text);
std::string landmark_choice_name(NystroemOptions::Choice choice);

}  // namespace bochner
