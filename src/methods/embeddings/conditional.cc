// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/conditional.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "folds/covariance.h"
#include "maps/map_rows.h"
#include "methods/embeddings/pair_features.h"
#include "run/stream.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kSliceRows = 4096;
constexpr double kRidge = 1e-9;  // ridge on the points' features when weights of points are solved for

void check(const Schema& schema, const MapPtr& z, const MapPtr& u, double lambda) {
  require(z && u, "conditional embedding: found no map, expected two");
  require(z->inputs() == schema.inputs, "conditional embedding: the map of inputs takes {}, the rows have {}",
          z->inputs(), schema.inputs);
  require(schema.targets > 0 && schema.task == Task::regression,
          "conditional embedding: the rows have no targets that are numbers, expected some");
  require(u->inputs() == schema.targets, "conditional embedding: the map of targets takes {}, the rows have {}",
          u->inputs(), schema.targets);
  require(z->bound() > 0 && u->bound() > 0,
          "conditional embedding: features without a bound, expected maps that have one, such as fourier");
  require(lambda > 0 && std::isfinite(lambda), "lambda: found {}, expected a number above 0", lambda);
}

std::vector<double> mapped(const MapPtr& map, MatrixView<const double> x) {
  Threads threads(1);
  std::vector<double> out(x.rows * map->outputs());
  map_rows(workers_on(threads), *map, RowBlock<double>::dense(x),
           MatrixView<double>{out.data(), x.rows, map->outputs(), map->outputs()});
  return out;
}

}  // namespace

ConditionalEmbedding::ConditionalEmbedding(Rows& rows, MapPtr inputs, MapPtr targets, double lambda,
                                           const Execution& execution)
    : targets_(std::move(targets)) {
  check(rows.schema(), inputs, targets_, lambda);
  Threads threads(execution);
  const Workers on = workers_on(threads);
  const std::size_t d = inputs->outputs(), width = d + targets_->outputs();
  CovarianceFold products(width, {}, std::max(inputs->bound(), targets_->bound()), true);
  double total = 0;
  const Stream stream(rows, nullptr, threads, execution);
  stream.each("conditional", [&](const auto& any) {
    if constexpr (std::is_same_v<std::decay_t<decltype(any)>, RowBlock<float>>) {
      for (std::size_t begin = 0; begin < any.rows; begin += kSliceRows) {
        const RowBlock<float> slice = any.slice(begin, std::min(kSliceRows, any.rows - begin));
        Matrix<float> joint = joint_features(on, slice, *inputs, *targets_);
        for (std::size_t i = 0; i < slice.rows; ++i) {
          const double w = slice.weights ? slice.weights[i] : 1;
          require(w <= 1, "weights: found {}, expected 0 to 1; divide them by the largest", w);
          total += w;
          for (std::size_t j = 0; w != 1 && j < width; ++j) joint(i, j) *= float(std::sqrt(w));
        }
        products.add(on, RowBlock<float>::dense(joint.view(), slice.first));
      }
    }
  });
  if (!(total > 0)) fail(Error::Kind::data, "conditional embedding: found no rows with a weight, expected some");
  const Matrix<double> s = products.matrix(threads);
  Matrix<double> l(d, d), c(d, targets_->outputs());  // (Z'WZ + lambda sum w I) C' = Z'WU
  for (std::size_t i = 0; i < d; ++i) {
    std::copy_n(&s(i, 0), d, &l(i, 0));
    std::copy_n(&s(i, d), c.cols(), &c(i, 0));
    l(i, i) += lambda * total;
  }
  require(factor_lower(l.view()) == 0, "lambda: {} is too small for these rows, expected more", lambda);
  solve_lower(l.view(), c.view());
  solve_lower_transposed(l.view(), c.view());
  mean_ = chain({std::move(inputs), linear(std::move(c), std::vector<double>(targets_->outputs()))});
}

std::vector<double> ConditionalEmbedding::mean_at(std::span<const double> x) const {
  require(x.size() == mean_->inputs(), "conditional embedding: found {} inputs, expected {}", x.size(),
          mean_->inputs());
  return mapped(mean_, {x.data(), 1, x.size(), x.size()});
}

std::vector<double> ConditionalEmbedding::at(std::span<const double> x, MatrixView<const double> y) const {
  require(y.cols == targets_->inputs(), "conditional embedding: targets of {} numbers, expected {}", y.cols,
          targets_->inputs());
  const std::vector<double> mu = mean_at(x), u = mapped(targets_, y);
  std::vector<double> values(y.rows);
  for (std::size_t i = 0; i < y.rows; ++i)
    for (std::size_t j = 0; j < mu.size(); ++j) values[i] += mu[j] * u[i * mu.size() + j];
  return values;
}

double ConditionalEmbedding::expected(std::span<const double> x, MatrixView<const double> y,
                                      std::span<const double> f) const {
  require(f.size() == y.rows && y.rows > 0, "conditional embedding: {} values of f at {} points", f.size(), y.rows);
  std::vector<double> weights = at(x, y);  // U U' w = U mu
  const std::vector<double> u = mapped(targets_, y);
  const std::size_t n = y.rows, d = targets_->outputs();
  Matrix<double> l(n, n);
  outer_product({u.data(), n, d, d}, l.view());
  for (std::size_t i = 0; i < n; ++i) l(i, i) += kRidge * double(n);
  require(factor_lower(l.view()) == 0, "conditional embedding: points too near to each other, expected others");
  const MatrixView<double> column{weights.data(), n, 1, 1};
  solve_lower(l.view(), column);
  solve_lower_transposed(l.view(), column);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += weights[i] * f[i];
  return sum;
}

}  // namespace bochner
