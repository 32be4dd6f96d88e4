// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/normal_equations.h"

#include <algorithm>

#include "base/require.h"
#include "bochner/map.h"
#include "maps/map_rows.h"

namespace bochner {

NormalEquations::NormalEquations(const GramFold& given, bool has_intercept)
    : sums(given),
      moment(sums.features(), sums.code().columns()),
      feature_mean(sums.features(), 0.0),
      target_mean(sums.code().columns(), 0.0),
      weight(sums.weight()),
      intercept(has_intercept) {
  require(weight > 0, "ridge: the weights of all rows are zero");
  const std::size_t D = sums.features(), outputs = moment.cols();
  const Matrix<double> r = sums.moment();
  if (intercept) {
    for (std::size_t j = 0; j < D; ++j) feature_mean[j] = r(j, outputs) / weight;
    for (std::size_t k = 0; k < outputs; ++k) target_mean[k] = sums.target_sum(k, outputs) / weight;
  }
  // R - n m t^T
  for (std::size_t j = 0; j < D; ++j)
    for (std::size_t k = 0; k < outputs; ++k) moment(j, k) = r(j, k) - weight * feature_mean[j] * target_mean[k];
}

Cholesky NormalEquations::shifted_factor(double shift, Threads& threads) const {
  TiledSymmetric<double> gram = sums.gram(threads);
  threads.run(gram.tile_count(), [&](std::size_t t, int) {  // G - n m m^T
    const auto [I, J] = tile_index(t);
    const MatrixView<double> g = gram.block(I, J);
    const double* mi = feature_mean.data() + I * gram.tile();
    const double* mj = feature_mean.data() + J * gram.tile();
    for (std::size_t i = 0; i < g.rows; ++i)
      for (std::size_t j = 0; j < g.cols; ++j) g(i, j) -= weight * mi[i] * mj[j];
  });
  return Cholesky(std::move(gram), shift, threads, Cholesky::Arithmetic::same_bits);
}

Cholesky NormalEquations::factor(double lambda, Threads& threads) const {
  Cholesky factor = try_factor(lambda, threads);
  if (const auto column = factor.failed_column())
    fail(Error::Kind::data, "ridge: the Gram matrix is not positive definite at feature {}; raise lambda (now {:g})",
         *column, lambda);
  return factor;
}

std::optional<Coefficients> NormalEquations::try_solve(double lambda, Threads& threads) const {
  const Cholesky factor = try_factor(lambda, threads);
  if (factor.failed_column()) return std::nullopt;
  return solve(factor);
}

Coefficients NormalEquations::solve(const Cholesky& factor) const {
  Coefficients c{moment, target_mean};
  factor.solve(c.weights.view());
  for (std::size_t j = 0; j < c.weights.rows(); ++j)
    for (std::size_t k = 0; k < c.weights.cols(); ++k) c.intercept[k] -= feature_mean[j] * c.weights(j, k);
  return c;
}

Coefficients decode(Coefficients c, const TargetCode& code) {
  if (code.task == Task::classification) return c;
  for (std::size_t k = 0; k < c.weights.cols(); ++k) {
    for (std::size_t j = 0; j < c.weights.rows(); ++j) c.weights(j, k) *= code.unit[k];
    c.intercept[k] = c.intercept[k] * code.unit[k] + code.center[k];
  }
  return c;
}

template <class T>
void score_rows(const Workers& on, const RowBlock<T>& z, const Coefficients& head, Scorer& to) {
  const std::size_t outputs = head.weights.cols();
  const MapPtr map = linear(head.weights, head.intercept);
  Matrix<T> predictions(z.rows, outputs);
  map_rows(on, *map, z, predictions.view());
  std::vector<double> row(outputs);
  for (std::size_t i = 0; i < z.rows; ++i) {
    std::copy_n(&predictions(i, 0), outputs, row.begin());
    to.add(row.data(), z.targets + i * z.target_count, weight_of(z.weights, i));
  }
}

template <class T>
Scorer score_rows(const Workers& on, const RowBlock<T>& z, const Coefficients& head, Task task) {
  Scorer scorer(task, head.weights.cols());
  score_rows(on, z, head, scorer);
  return scorer;
}

template void score_rows(const Workers&, const RowBlock<float>&, const Coefficients&, Scorer&);
template Scorer score_rows(const Workers&, const RowBlock<float>&, const Coefficients&, Task);
template Scorer score_rows(const Workers&, const RowBlock<double>&, const Coefficients&, Task);

Coefficients stack(const std::vector<Coefficients>& heads) {
  const std::size_t D = heads[0].weights.rows(), outputs = heads[0].weights.cols();
  Coefficients all{Matrix<double>(D, outputs * heads.size()), {}};
  for (std::size_t h = 0; h < heads.size(); ++h) {
    for (std::size_t j = 0; j < D; ++j)
      for (std::size_t k = 0; k < outputs; ++k) all.weights(j, h * outputs + k) = heads[h].weights(j, k);
    all.intercept.insert(all.intercept.end(), heads[h].intercept.begin(), heads[h].intercept.end());
  }
  return all;
}

}  // namespace bochner
