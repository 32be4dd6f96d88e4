// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "random/elementary.h"

namespace bochner {

GridTrial held_out_loss(const GridTargets& y, const std::vector<double>& f, Task task, double steep) {
  const std::size_t K = y.outputs;
  GridTrial trial{.sums = Scorer(task, K)};
  std::vector<double> codes(K);
  double soft = 0, weight = 0;
  for (std::size_t i = 0; i < y.rows(); ++i) {
    const double w = y.weight_of(i);
    weight += w;
    double own = 0, other = -std::numeric_limits<double>::infinity();
    double label = 0;
    for (std::size_t k = 0; k < K; ++k) {
      const double code = codes[k] = y.code[i * K + k], at = f[i * K + k];
      if (K == 1)
        own = code * at, other = -own, label = code > 0 ? 1 : 0;
      else if (code > 0)
        own = at, label = double(k);
      else
        other = std::max(other, at);
    }
    trial.sums.add(&f[i * K], task == Task::classification ? &label : codes.data(), w);
    soft += w / (1 + portable_exp(steep * (own - other)));
  }
  trial.sums.settle();
  if (weight > 0) trial.loss = task == Task::classification ? soft / weight : trial.sums.loss();
  return trial;
}

void GridTrial::append_to(std::vector<double>& numbers) const {
  numbers.push_back(loss);
  sums.append_to(numbers);
}

GridTrial GridTrial::from(Task task, std::size_t outputs, const double* numbers) {
  return {.loss = numbers[0], .sums = Scorer::from(task, outputs, numbers + 1)};
}

}  // namespace bochner
