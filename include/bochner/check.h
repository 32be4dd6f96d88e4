// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   const MapCheck found = check(*rows, {.kernel = gaussian(), .features = 500});
//   std::puts(found.text().c_str());  // how far z(x).z(y) is from k(x, y), beside what theory says

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bochner/model.h"
#include "bochner/rows.h"
#include "bochner/train.h"

namespace bochner {

struct CheckOptions {
  std::size_t sample = 1000;          // rows, drawn by the seed; n^2 numbers are held
  std::size_t draws = 20;             // draws of a random map: the map itself and draws - 1 like it of other seeds
  std::optional<double> lambda = {};  // for the ridge-relative error, as in training; none: the model's, otherwise 1e-3
  double delta = 0.01;                // probability that the bounds may fail
  std::uint64_t seed = 0;
};

// How a map stands to the kernel it is for, on a sample of rows. The error of a pair of rows is z(x).z(y) - k(x, y).
struct MapCheck {
  // Pairs whose kernel value lies in [low, high).
  struct Band {
    double low = 0, high = 0;
    std::uint64_t pairs = 0;
    double mean_error = 0, rms_error = 0, worst_error = 0;
    std::optional<double> expected_rms;  // what theory says
  };
  struct Bound {
    std::string of;          // "one pair", "these pairs", ...
    double epsilon = 0;      // infinity: no epsilon below 1 is guaranteed, of a projection
    double probability = 1;  // least probability that the errors stay within epsilon: 1 - delta, or 1 whatever the draw
  };

  // What a random projection does to | |f(x) - f(y)|^2 / |x - y|^2 - 1 | over the pairs of rows that differ; that of
  // fastjl for the norm 1 to | sqrt(pi / 2k) |f(x) - f(y)|_1 / |x - y|_2 - 1 |.
  struct Distortion {
    double mean = 0, high = 0, worst = 0;      // high: 99 % of the pairs are below
    std::size_t map_bytes = 0, row_bytes = 0;  // the map holds, and a row that it puts out
    double row_seconds = 0;                    // time to project a row on one thread
  };

  std::string map, kernel;  // for people
  std::size_t rows = 0, features = 0, draws = 1;
  std::uint64_t pairs = 0;  // pairs of different rows
  double weight = 1;        // a mixture's sum of weights: kernel and estimate are divided by it

  // The map itself.
  double mean_error = 0, rms_error = 0, worst_error = 0;
  std::pair<std::uint64_t, std::uint64_t> worst_pair;  // rows of the file
  double worst_kernel = 0, worst_estimate = 0;
  double spectral_error = 0;           // |Z Z^T - K|_2 / |K|_2
  double lambda = 0, ridge_error = 0;  // |(K + lambda n I)^-1/2 (Z Z^T - K) (K + lambda n I)^-1/2|_2;
                                       // lambda of a mixture is divided by its weight too
  double trace_error = 0;              // tr(K - Z Z^T) / tr K

  // Results over several draws, if the map is random.
  std::optional<double> bias, bias_deviation;          // mean error over pairs and draws, and its standard deviation
  std::optional<double> variance, variance_deviation;  // mean over pairs of the variance over draws, and its deviation
  std::optional<double> expected_variance;             // what theory says for independent draws
  bool one_sided = false;                              // K - Z Z^T is not negative by construction
  // Empty: none is known. Of a projection: by the moment generating function if its entries have moments of at most a
  // Gaussian's (gaussian, sign, sparse of density 1/3 and more), by the variance (Chebyshev) for the other kinds.
  std::vector<Bound> bounds;
  std::vector<Band> bands;  // bands of kernel values, ascending
  // Set for a projection, which has no kernel: errors above are then of the ratio of (squared) distances, the kernel
  // and the estimate of the worst pair are its (squared) distances, and there is no spectrum and no band.
  std::optional<Distortion> distortion;
  std::vector<std::string> notes;

  std::string text() const;
};

// The map that train() would make with these options: scaling and bandwidth are chosen from the rows. Without a
// bandwidth it is the median rule's, which needs no target; "auto" is the search of train(), which does. The kernel of
// a mixture is the weighted mean of its parts', each weight 1 unless the options say.
MapCheck check(Rows& rows, const TrainOptions& options, const CheckOptions& check = {});

// A model's own map, with its scaling, on rows read by its schema.
MapCheck check(Rows& rows, const Model& model, const CheckOptions& check = {}, const Execution& execution = {});

// A map on rows that are as it sees them. Fourier, binning and nystroem maps, projections, registered kinds that have a
// kernel (bochner/map_kind.h) and what chain and concat make of them can be checked; others are refused.
MapCheck check(const MapPtr& map, MatrixView<const float> rows, const CheckOptions& check = {},
               const Execution& execution = {});

}  // namespace bochner
