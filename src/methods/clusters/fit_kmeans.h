// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bochner/kmeans.h"
#include "folds/survey.h"
#include "run/stream.h"

namespace bochner {

struct Clustered {
  Matrix<double> centres;       // k x features, the heaviest first; fewer than asked for where no more rows differ
  std::vector<double> weights;  // one per centre: the sum of its rows' weights
  std::vector<double> inertia;  // sum w |z - c|^2 of each pass, and of the centres at last
  bool converged = false;       // no row changes its cluster, or the centres stand still
  std::size_t mended = 0;       // clusters that were empty and got a centre elsewhere
  std::optional<double> silhouette = {};  // mean over a sample; none: one cluster
  std::vector<std::string> notes;
};

// Lloyd passes over the stream's features from the best of several starts on a sample. A row whose nearest centre
// cannot have changed is not even looked at: lower bounds of the distances to groups of centres are kept for each row
// (Ding et al., Yinyang K-means, ICML 2015; Hamerly 2010).
Clustered kmeans(const Stream& stream, const Survey& survey, const KMeansOptions& options);
// The same passes over the rows of all ranks, every row looked at in each; the sample is the survey's.
Clustered kmeans_on_ranks(const Stream& stream, const Survey& survey, const KMeansOptions& options);

}  // namespace bochner
