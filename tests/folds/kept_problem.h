// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>

#include "folds/normal_product.h"
#include "random/draw.h"

namespace bochner::testing {

// Rows as a feature cache keeps them: 16-bit numbers in a padded width, two regression targets, weights.
struct KeptProblem {
  KeptRows kept;
  std::vector<std::int16_t> q;
  std::vector<double> targets, weights;
  TargetCode code{Task::regression, 0, {0, 1}, {50, 60}};

  KeptProblem(std::size_t n, std::size_t D) : kept{D, (D + 31) / 32 * 32, 1.0 / 32767, 1.0, n, 3.0} {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < kept.width; ++j)
        q.push_back(j < D ? std::int16_t(std::lrint(32767 * (1.6 * uniform(1, Draw::frequency, i, j) - 0.6))) : 0);
      for (std::size_t k = 0; k < 2; ++k) targets.push_back(10 * normal(2, Draw::frequency, i, k));
      weights.push_back(0.5 + 2 * uniform(3, Draw::frequency, i));
    }
  }

  double z(std::size_t i, std::size_t j) const { return q[i * kept.width + j] * kept.unit; }
  double t(std::size_t i, std::size_t k) const { return k == 2 ? 1 : code.encode(&targets[2 * i], k); }
  double w(std::size_t i, bool weighted) const { return weighted ? weights[i] : 1; }
  bool is_held(std::size_t i) const { return std::binary_search(kept.held.begin(), kept.held.end(), i); }

  RowBlock<std::int16_t> block(bool weighted) const {
    RowBlock<std::int16_t> b;
    b.rows = kept.rows;
    b.cols = b.stride = kept.width;
    b.values = q.data();
    b.targets = targets.data();
    b.target_count = 2;
    b.weights = weighted ? weights.data() : nullptr;
    return b;
  }

  template <class Fold>
  Fold fold(Fold f, int threads, std::size_t block_rows, bool weighted) const {
    Threads team(threads);
    for (std::size_t begin = 0; begin < kept.rows; begin += block_rows)
      f.add({cpu_backend(), team}, block(weighted).slice(begin, std::min(block_rows, kept.rows - begin)));
    return f;
  }
};

}  // namespace bochner::testing
