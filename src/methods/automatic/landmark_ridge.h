// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "base/tiled_symmetric.h"
#include "bochner/map.h"
#include "bochner/matrix.h"

namespace bochner {

// Rows that a metric has multiplied, all in memory, with coded targets.
struct MetricRows {
  MatrixView<const float> u;
  MatrixView<const double> y;
  std::span<const double> weights = {};  // one per row; empty: all 1

  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

// Ridge on kernel values against landmarks, k(x, z) = exp(-|x - z|^q):
//   min sum_i w_i |y_i - mean - k(x_i) alpha|^2 + lambda w alpha'K_M alpha,  w the weight of the rows.
// Entries are float, as in serving; sums and solves double. The sums of the rows held out stand apart, so that a refit
// on all rows is an addition. Same bits for any number of threads and on every machine.
class LandmarkRidge {
 public:
  // held: whether a row is held out.
  LandmarkRidge(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> landmarks,
                const std::vector<char>& held, double q);

  // all: of all rows, otherwise of those not held out. lambdas: one per target. The map is radial_machine().
  MapPtr fit(std::span<const double> lambdas, bool all) const;
  MapPtr fit(double lambda, bool all) const { return fit(std::vector<double>(fitted_.mean.size(), lambda), all); }

 private:
  struct Sums {
    TiledSymmetric<double> gram;  // K'DK
    Matrix<double> moment;        // K'D [y, 1]
    std::vector<double> mean;     // sum of w y
    double weight = 0;
  };
  void add(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> chosen, Sums& sums) const;
  void solve(double lambda, bool all, MatrixView<double> alpha) const;  // alpha holds the moments at first

  Threads& threads_;
  Matrix<float> landmarks_;
  double q_;
  TiledSymmetric<double> kernel_;  // K_M
  Sums fitted_, held_;
};

Matrix<float> gathered(MatrixView<const float> u, std::span<const std::uint32_t> rows);

// K(i, j) = exp(-|x_i - z_j|^q) of rows and points, in double.
void kernel_values(const Workers& on, MatrixView<const float> x, const PointPanels<float>& points, double q,
                   MatrixView<double> K);

// Predictions of the rows, one block of a thread after the other: rows x outputs.
Matrix<double> predict_rows(const Workers& on, const Map& map, MatrixView<const float> u);

// The weighted mean of (y - prediction)^2 of each target over the rows listed (empty: all), and their sum.
std::vector<double> squared_errors(const MetricRows& rows, const Matrix<double>& predictions,
                                   std::span<const std::uint32_t> of);
double squared_error(const MetricRows& rows, const Matrix<double>& predictions, std::span<const std::uint32_t> of);

}  // namespace bochner
