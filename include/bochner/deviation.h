// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   TrainOptions options;
//   options.map = parse_map_options("nystroem");
//   options.ridge.deviation = true;
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   const Model model = train(*rows, options);
//   const auto fresh = open_rows("new.csv", model.schema());
//   const Matrix<double> found = model.predict_with_deviation(*fresh);  // a price and its deviation in each row

#include <cstddef>
#include <string>
#include <vector>

#include "bochner/map.h"

namespace bochner {

// How far the value of a new row lies from its prediction, as a standard deviation of each row's own:
//   sd^2 = noise + scale v(x),
// v(x) the variance of what was learnt at x. Of ridge both factors are the noise of the Gaussian process that ridge is
// the mean of: features z, coefficients w ~ N(0, noise / (lambda n)), y = w.z + N(0, noise). Of the automatic machine
// they are learnt from rows held out, in units of the intervals' spread about the prediction.
struct Deviation {
  struct Target {
    double noise = 0, scale = 0;
    bool operator==(const Target&) const = default;
  };

  MapPtr variance;  // maps what the head takes to v(x) >= 0
  std::vector<Target> targets = {};
  double rows = 0;  // held out, that the factors were learnt from; 0: those of a Gaussian process

  double of(double variance, std::size_t target) const;
  std::string text() const;  // "of a Gaussian process with noise of 1.2"
};

}  // namespace bochner
