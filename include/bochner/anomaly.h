// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.target_required = false});
//   const Model model = anomaly(*rows, {.rate = 0.01});
//   const Matrix<double> found = model.predict(*rows);  // each row: its score, and 1 or 0
//   if (found(0, 1) > 0) std::puts("the first car is like few others");

#include <cstddef>
#include <string>

#include "bochner/feature_options.h"
#include "bochner/figures.h"
#include "bochner/gaussians.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct AnomalyOptions {
  enum class Method {
    embedding,  // 1 - <z(x), mean z>: a kernel density by features
    bins,       // how full the row's bins are in random grids of a few inputs each
    isolation,  // how few random cuts part the row from others: an isolation forest
    mixture,    // minus the log density of a mixture of Gaussians
  };

  Method method = Method::embedding;
  double rate = 0.01;       // the share of rows like those of training that count as anomalies
  std::string normal = {};  // label of the rows that are none, where there is a target; empty: the most frequent
  // embedding: no map is Fourier features. bins, isolation: no map, features are the grids (200) or trees (100).
  // isolation, mixture: inputs are not scaled unless it is asked for.
  FeatureOptions features = {};
  std::size_t components = 0;      // mixture; 0: as many as BIC finds best on a sample
  CovarianceForm covariance = {};  // mixture
};

// How unlike the rows a row is, and a threshold that `rate` of them are above. Rows that are anomalies themselves may
// be among them: a few change little. A target is no input; eval holds its labels against the scores.
// A model that puts out the score, larger where rows are rarer, and 1 where it is above the threshold. The head has
// the figures "threshold" and "rate". Weights count. The same bytes for any threads and blocks. Calls may run at the
// same time in several threads, each on rows of its own.
Model anomaly(Rows& rows, const AnomalyOptions& options = {});

}  // namespace bochner
