// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/grids/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bochner {

GridTrial held_out_loss(const GridTargets& y, const std::vector<double>& f, Task task, double steep) {
  const std::size_t K = y.outputs;
  GridTrial trial;
  trial.outputs.resize(K);
  trial.rows = y.rows();
  double soft = 0;
  for (std::size_t i = 0; i < y.rows(); ++i) {
    const double w = y.weight_of(i);
    trial.weight += w;
    double own = 0, other = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < K; ++k) {
      const double code = y.code[i * K + k], at = f[i * K + k];
      GridTrial::Sums& of = trial.outputs[k];
      of.sum += w * code;
      of.squares += w * code * code;
      of.residual += w * (code - at) * (code - at);
      if (K == 1)
        own = code * at, other = -own;
      else if (code > 0)
        own = at;
      else
        other = std::max(other, at);
    }
    soft += w / (1 + std::exp(steep * (own - other)));
    if (own <= other) trial.error += w;
  }
  const double weight = trial.weight;
  if (weight == 0) return trial;
  double residual = 0, variance = 0;
  for (const GridTrial::Sums& of : trial.outputs) {
    residual += of.residual;
    variance += of.squares - of.sum * of.sum / weight;
  }
  trial.error /= weight;
  trial.unexplained = variance > 0 ? residual / variance : 0;
  trial.loss = task == Task::classification ? soft / weight : trial.unexplained;
  return trial;
}

Score GridTrial::score(const TargetCode& code) const {
  Score score;
  score.rows = rows;
  if (weight <= 0) return score;
  if (code.task == Task::classification) {
    score.error = error;
    return score;
  }
  double residual = 0, squares = 0, r2 = 0;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const Sums& of = outputs[k];
    const double unit = code.unit[k], center = code.center[k], variance = of.squares - of.sum * of.sum / weight;
    residual += unit * unit * of.residual;
    squares += unit * unit * of.squares + 2 * unit * center * of.sum + center * center * weight;
    r2 += variance > 0 ? 1 - of.residual / variance : 0;
  }
  score.relative_error = squares > 0 ? std::sqrt(residual / squares) : 0;
  score.rmse = std::sqrt(residual / weight / double(outputs.size()));
  score.r2 = r2 / double(outputs.size());
  return score;
}

void GridTrial::append_to(std::vector<double>& numbers) const {
  numbers.insert(numbers.end(), {loss, error, unexplained, weight, double(rows)});
  for (const Sums& of : outputs) numbers.insert(numbers.end(), {of.sum, of.squares, of.residual});
}

GridTrial GridTrial::from(const double* n, std::size_t outputs) {
  GridTrial trial{.loss = n[0], .error = n[1], .unexplained = n[2], .weight = n[3], .rows = std::size_t(n[4])};
  for (std::size_t k = 0; k < outputs; ++k) trial.outputs.push_back({n[5 + 3 * k], n[6 + 3 * k], n[7 + 3 * k]});
  return trial;
}

}  // namespace bochner
