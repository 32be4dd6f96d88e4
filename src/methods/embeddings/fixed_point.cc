// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/require.h"
#include "methods/embeddings/reduction.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kStarts = 10, kMostIterations = 100;
constexpr double kNear = 1e-5;  // a step below ends the iteration

// What is left over: alpha over x, and minus the weights over the points found so far.
class Residual {
 public:
  explicit Residual(const KernelSum& mu) : mu_(mu) {}

  void set(const Matrix<double>& points, const std::vector<double>& beta) {
    std::vector<double> minus;
    for (const double b : beta) minus.push_back(-b);
    found_ = std::make_unique<KernelSum>(mu_.on(), mu_.kernel(), points, std::move(minus));
  }
  // Its values and, of the gaussian, gradients at the points: those of all starts at once.
  void evaluate(MatrixView<const double> at, std::span<double> values, MatrixView<double> gradients) const {
    mu_.evaluate(at, values, gradients);
    if (!found_) return;
    std::vector<double> more(at.rows);
    Matrix<double> slopes(at.rows, at.cols);
    found_->evaluate(at, more, slopes.view());
    for (std::size_t i = 0; i < at.rows; ++i) {
      values[i] += more[i];
      for (std::size_t j = 0; j < at.cols; ++j) gradients(i, j) += slopes(i, j);
    }
  }
  // z <- sum w_i x_i / sum w_i, w_i = alpha_i (-2 dk/ds): by the gradient g = sum w_i (x_i - z), that is z + g / sum w.
  double pull(std::span<const double> z) const {
    double sum = 0;
    const auto add = [&](const KernelSum& of) {
      for (std::size_t i = 0; i < of.size(); ++i)
        sum += of.alpha()[i] * of.kernel().pull(z, {&of.x()(i, 0), of.inputs()});
    };
    add(mu_);
    if (found_) add(*found_);
    return sum;
  }
  bool gaussian() const { return mu_.kernel().gaussian(); }

 private:
  const KernelSum& mu_;
  std::unique_ptr<KernelSum> found_;
};

// One pre-image: of several random starts, taken together, the place with the largest |residual(z)| that any met.
std::vector<double> pre_image(const ReduceTask& task, const Residual& residual, std::size_t number,
                              std::size_t& steps) {
  const KernelSum& mu = task.mu;
  const std::size_t d = mu.inputs(), starts = task.starts ? task.starts : kStarts;
  Matrix<double> z(starts, d), slope(starts, d);
  for (std::size_t s = 0; s < starts; ++s) {
    const double draw = uniform(task.seed, Draw::candidate, number, s);
    std::copy_n(&mu.x()(std::min(mu.size() - 1, std::size_t(draw * double(mu.size()))), 0), d, &z(s, 0));
  }
  std::vector<double> value(starts), best(d);
  double largest = -1;
  for (std::size_t moving = starts, step = 0; moving > 0 && step < kMostIterations; ++step) {
    if (task.between) task.between();
    const MatrixView<double> those{z.data(), moving, d, d}, slopes{slope.data(), moving, d, d};
    residual.evaluate(those, {value.data(), moving}, slopes);
    ++steps;
    std::size_t on = 0;  // those that still move close up
    for (std::size_t s = 0; s < moving; ++s) {
      if (std::isfinite(value[s]) && std::fabs(value[s]) > largest) {
        largest = std::fabs(value[s]);
        best.assign(those.row(s), those.row(s) + d);
      }
      const double weight = residual.gaussian() ? value[s] : residual.pull({those.row(s), d});
      if (!(std::fabs(weight) > 1e-12)) continue;  // the iteration is not defined here
      double moved = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const double by = slopes(s, j) / weight;
        those(on, j) = those(s, j) + by;
        moved += by * by;
      }
      if (moved > kNear * kNear) ++on;
    }
    moving = on;
  }
  return best;
}

}  // namespace

// Schoelkopf, Mika, Burges, Knirsch, Mueller, Raetsch & Smola 1999: pre-images of what is left over, one after the
// other by the fixed-point iteration; after each all weights are solved for.
Reduced reduce_by_fixed_point(const ReduceTask& task) {
  const std::size_t d = task.mu.inputs();
  require(task.mu.kernel().radial(),
          "method: fixed-point has no iteration for the kernel {}, expected one of the L2 "
          "distance, such as gaussian; or take another method",
          task.mu.kernel().kernel().family->name);
  Reduced found;
  Residual residual(task.mu);
  for (std::size_t number = 0; number < task.points; ++number) {
    const std::vector<double> z = pre_image(task, residual, number, found.steps);
    Matrix<double> points(number + 1, d);
    std::copy_n(found.points.data(), number * d, points.data());
    std::copy(z.begin(), z.end(), &points(number, 0));
    std::vector<double> b(number + 1);
    task.mu.evaluate(points.view(), b);
    found.weights = project_weights(kernel_matrix(task.mu.kernel(), points.view()), b).beta;
    found.points = std::move(points);
    residual.set(found.points, found.weights);
  }
  return found;
}

}  // namespace bochner
