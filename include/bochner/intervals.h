// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Model model = Model::load("cars.model");
//   const auto unseen = open_rows("others.csv", model.schema());  // rows that the training did not see
//   model.learn_uncertainty(*unseen);
//   const auto fresh = open_rows("new.csv", model.schema());
//   const Matrix<double> prices = model.predict(*fresh);
//   const auto [lower, upper] = model.intervals()->around(prices(0, 0), 0.9);

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

// Where the values of new rows lie, from the residuals of rows that the training did not see:
//   [yhat + s(yhat) r_(alpha/2), yhat + s(yhat) r_(1 - alpha/2)]
// r_(p): the order statistics of the residuals (y - yhat) / s(yhat) with the place of conformal prediction (Vovk et al.
// 2005; Barber et al. 2021), so that a share 1 - alpha of rows like these lies inside. s: how far they spread about a
// prediction of this size, where that makes intervals narrower; otherwise 1.
struct Intervals {
  struct Target {
    std::vector<double> predictions = {}, spreads = {};  // s, linear between; empty: 1
    std::vector<double> residuals = {};                  // divided by s, ascending, each of the same weight

    double spread(double prediction) const;
    double root_mean_square() const;  // root mean square of the residuals: times the spread, a standard deviation
    bool operator==(const Target&) const = default;
  };

  std::vector<Target> targets = {};
  double rows = 0;  // they were learnt from

  // lower, upper. level: the share of rows inside, at most greatest_level(): otherwise std::invalid_argument.
  std::pair<double, double> around(double prediction, double level, std::size_t target = 0) const;
  // A greater level would need an order statistic that so few rows do not have.
  double greatest_level() const;
  std::string text() const;  // "from the residuals of 1000 rows held out, wider where they spread more"
  bool operator==(const Intervals&) const = default;
};

// predictions and targets: rows x targets; weights: none: all 1.
Intervals learn_intervals(MatrixView<const double> predictions, MatrixView<const double> targets,
                          std::span<const double> weights = {});

}  // namespace bochner
