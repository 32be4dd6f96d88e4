// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/pieces.h"
#include "base/require.h"
#include "methods/embeddings/reduction.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr double kMostValues = 5e8;  // values of mu at candidates
constexpr std::size_t kMostThinned = 8192;

// Rows drawn by their weights, in random order: systematic sampling, each row about as often as its weight says.
std::vector<std::size_t> draw_rows(const KernelSum& mu, std::size_t count, std::uint64_t seed) {
  double total = 0;
  for (const double a : mu.alpha()) {
    require(a >= 0,
            "method: herding and thinning want weights that are not negative, found {}; take joint or "
            "fixed-point",
            a);
    total += a;
  }
  require(total > 0, "weights: all are 0, expected some above");
  std::vector<std::size_t> rows;
  const double begin = uniform(seed, Draw::sample, 0);
  double below = 0;
  for (std::size_t i = 0; i < mu.size(); ++i) {
    below += mu.alpha()[i] / total * double(count);
    while (double(rows.size()) + begin < below && rows.size() < count) rows.push_back(i);
  }
  while (rows.size() < count) rows.push_back(rows.empty() ? mu.size() - 1 : rows.back());
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const double draw = uniform(seed, Draw::visit, i);
    std::swap(rows[i], rows[i + std::min(rows.size() - i - 1, std::size_t(draw * double(rows.size() - i)))]);
  }
  return rows;
}

Matrix<double> take(const Matrix<double>& x, const std::vector<std::size_t>& rows) {
  Matrix<double> some(rows.size(), x.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(&x(rows[i], 0), x.cols(), &some(i, 0));
  return some;
}

double total_of(const KernelSum& mu) { return std::accumulate(mu.alpha().begin(), mu.alpha().end(), 0.0); }

// k(x_i, z) for all rows of x.
std::vector<double> kernels_at(const KernelSum& of, const double* z) {
  std::vector<double> values(of.size());
  const std::span<const double> point(z, of.inputs());
  const auto& x = of.x();
  constexpr std::size_t kPiece = 1024;
  each_in_pieces(of.on().threads, of.size(), kPiece, [&](std::size_t i) {
    values[i] = of.kernel().value({&x(i, 0), of.inputs()}, point);
  });
  return values;
}

// Halves points by pairs so that both halves have nearly the same embedding (kernel halving of Dwivedi & Mackey 2021):
// of a pair one goes to each half, the way round that a balancing walk draws.
std::vector<std::size_t> halved(const KernelSum& of, const std::vector<std::size_t>& rows, std::uint64_t seed,
                                const std::function<void()>& between) {
  const auto& x = of.x();
  const auto value = [&](std::size_t a, std::size_t b) {
    return of.kernel().value({&x(a, 0), of.inputs()}, {&x(b, 0), of.inputs()});
  };
  std::vector<std::size_t> kept, left;
  double sigma = 0;
  const double delta = 0.5 / double(rows.size()), reach = std::sqrt(2 * std::log(2 / delta));
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    if (between) between();
    std::size_t a = rows[i], b = rows[i + 1];
    const double square = 2 - 2 * value(a, b);
    // <k_a - k_b, sum of (those left - those kept)>
    std::vector<double> part(kept.size());
    each_in_pieces(of.on().threads, kept.size(), 256, [&](std::size_t s) {
      part[s] = value(left[s], a) - value(left[s], b) - value(kept[s], a) + value(kept[s], b);
    });
    const double alpha = std::accumulate(part.begin(), part.end(), 0.0);
    const double bound = std::max(std::sqrt(square) * sigma * reach, square);
    if (bound > 0) {
      sigma =
          std::sqrt(sigma * sigma + square * std::max(0.0, 1 + (square - 2 * bound) * sigma * sigma / (bound * bound)));
      // alpha > 0: a resembles those left, so it is kept.
      if (uniform(seed, Draw::flip, rows.size(), i) >= std::clamp(0.5 * (1 + alpha / bound), 0.0, 1.0)) std::swap(a, b);
    }
    kept.push_back(a);
    left.push_back(b);
  }
  return kept;
}

}  // namespace

// x_t = argmax mu(x) - (1/t) sum_{s < t} k(x, x_s) over the rows. Chen, Welling & Smola, UAI 2010.
Reduced reduce_by_herding(const ReduceTask& task) {
  const KernelSum& mu = task.mu;
  const std::size_t most = std::max<std::size_t>(std::size_t(kMostValues / double(mu.size())), 2 * task.points);
  std::vector<std::size_t> rows(mu.size());
  std::iota(rows.begin(), rows.end(), std::size_t(0));
  const double total = total_of(mu);
  const std::vector<std::size_t> drawn = draw_rows(mu, std::min(most, mu.size()), task.seed);
  if (mu.size() > most) rows = drawn;
  const KernelSum candidates(mu.on(), mu.kernel(), take(mu.x(), rows), std::vector<double>(rows.size(), 1.0));
  std::vector<double> value(rows.size()), met(rows.size());
  mu.evaluate(candidates.x().view(), value);
  Reduced found{Matrix<double>(task.points, mu.inputs()), std::vector<double>(task.points, total / double(task.points)),
                task.points};
  for (std::size_t t = 0; t < task.points; ++t) {
    if (task.between) task.between();
    std::size_t best = 0;
    double largest = -1e300;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (const double score = value[i] / total - met[i] / double(t + 1); score > largest) largest = score, best = i;
    std::copy_n(&candidates.x()(best, 0), mu.inputs(), &found.points(t, 0));
    const std::vector<double> k = kernels_at(candidates, &found.points(t, 0));
    for (std::size_t i = 0; i < rows.size(); ++i) met[i] += k[i];
  }
  return found;
}

// Kernel thinning: a sample of n 2^g rows halved g times, then every point is swapped for the row that serves best.
Reduced reduce_by_thinning(const ReduceTask& task) {
  const KernelSum& mu = task.mu;
  std::size_t size = task.points, halvings = 0;
  while (2 * size <= std::max(kMostThinned, task.points) && 2 * size <= mu.size()) size *= 2, ++halvings;
  const std::vector<std::size_t> sample = draw_rows(mu, std::max(size, task.points), task.seed);
  std::vector<std::size_t> kept = sample;
  for (std::size_t g = 0; g < halvings; ++g) kept = halved(mu, kept, task.seed + g, task.between);
  const double total = total_of(mu), n = double(task.points);
  const KernelSum candidates(mu.on(), mu.kernel(), take(mu.x(), sample),
                             std::vector<double>(sample.size(), 1 / double(sample.size())));
  std::vector<double> value(sample.size()), met(sample.size());
  candidates.evaluate(candidates.x().view(), value);
  Matrix<double> points = take(mu.x(), kept);
  for (std::size_t t = 0; t < points.rows(); ++t) {
    const std::vector<double> k = kernels_at(candidates, &points(t, 0));
    for (std::size_t i = 0; i < met.size(); ++i) met[i] += k[i];
  }
  for (std::size_t t = 0; t < points.rows(); ++t) {
    if (task.between) task.between();
    const std::vector<double> old = kernels_at(candidates, &points(t, 0));
    std::size_t best = 0;
    double least = 1e300;
    for (std::size_t i = 0; i < met.size(); ++i)  // |.|^2 with row i in place of t, less what all share
      if (const double cost = (met[i] - old[i]) / n - value[i]; cost < least) least = cost, best = i;
    std::copy_n(&candidates.x()(best, 0), mu.inputs(), &points(t, 0));
    const std::vector<double> k = kernels_at(candidates, &points(t, 0));
    for (std::size_t i = 0; i < met.size(); ++i) met[i] += k[i] - old[i];
  }
  return {std::move(points), std::vector<double>(task.points, total / n), halvings};
}

}  // namespace bochner
