// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "methods/embeddings/reduction.h"

namespace bochner {

namespace {

// Products of points with points of the expansion below which the distance itself is descended from the start.
constexpr double kSmallWork = 1e8;
constexpr double kMostFeatureWork = 1.5e9;  // rows x features, for the features of all rows
constexpr std::size_t kRaceIterations = 8, kExactIterations = 150, kPolishIterations = 12;

struct Candidate {
  Matrix<double> points;
  double value = 0;
};

std::span<double> numbers_of(Matrix<double>& x) { return {x.data(), x.rows() * x.cols()}; }

// A step of about a length scale for every point at most.
double first_step(const Matrix<double>& x) { return 0.3 * std::sqrt(double(x.rows())); }

// The best of several starts after a few iterations each goes on.
Candidate race(const SmoothFunction& f, const ReduceTask& task, std::size_t& steps) {
  Candidate best;
  for (std::size_t s = 0; s < task.starts; ++s) {
    Candidate one{start_points(task.mu, task.points, task.seed + s), 0};
    if (task.starts > 1) {
      const LbfgsResult result =
          lbfgs(f, numbers_of(one.points),
                {.most_iterations = kRaceIterations, .first_step = first_step(one.points), .between = task.between});
      one.value = result.value;
      steps += result.evaluations;
    }
    if (s == 0 || one.value < best.value) best = std::move(one);
  }
  return best;
}

// The box of the expansion's points. Inside it x = low + (high - low) (1 + sin t) / 2, and t is free.
class InsideBox {
 public:
  explicit InsideBox(const Matrix<double>& x) : low_(x.cols(), INFINITY), high_(x.cols(), -INFINITY) {
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = 0; j < x.cols(); ++j) {
        low_[j] = std::min(low_[j], x(i, j));
        high_[j] = std::max(high_[j], x(i, j));
      }
  }

  void to_free(Matrix<double>& x) const {
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = 0; j < x.cols(); ++j) {
        const double half = (high_[j] - low_[j]) / 2, at = half > 0 ? (x(i, j) - low_[j]) / half - 1 : 0;
        x(i, j) = std::asin(std::clamp(at, -0.99, 0.99));  // nothing would move a point at an edge
      }
  }
  void to_points(std::span<const double> t, std::span<double> x) const {
    const std::size_t d = low_.size();
    for (std::size_t k = 0; k < t.size(); ++k)
      x[k] = low_[k % d] + (high_[k % d] - low_[k % d]) * (1 + std::sin(t[k])) / 2;
  }
  SmoothFunction of_free(const SmoothFunction& f) const {
    return [this, &f, x = std::vector<double>()](std::span<const double> t, std::span<double> gradient) mutable {
      x.resize(t.size());
      to_points(t, x);
      const double value = f(x, gradient);
      for (std::size_t k = 0; k < t.size(); ++k) {
        const std::size_t j = k % low_.size();
        gradient[k] *= (high_[j] - low_[j]) / 2 * std::cos(t[k]);
      }
      return value;
    };
  }

 private:
  std::vector<double> low_, high_;
};

// Each point takes its largest level.
void take_levels(Matrix<double>& points, const ReduceTask& task) {
  const Matrix<double>& x = task.mu.x();
  for (const auto& [begin, count] : task.indicators) {
    std::vector<double> one(count);  // divided by a length scale
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = 0; j < count; ++j) one[j] = std::max(one[j], x(i, begin + j));
    for (std::size_t i = 0; i < points.rows(); ++i) {
      double* levels = &points(i, begin);
      const std::size_t largest = std::size_t(std::max_element(levels, levels + count) - levels);
      for (std::size_t j = 0; j < count; ++j) levels[j] = j == largest ? one[j] : 0;
    }
  }
}

// f with the inputs of levels held where they are.
SmoothFunction holding_levels(const SmoothFunction& f, const ReduceTask& task) {
  return [&f, &task](std::span<const double> x, std::span<double> gradient) {
    const double value = f(x, gradient);
    const std::size_t d = task.mu.inputs();
    for (const auto& [begin, count] : task.indicators)
      for (std::size_t k = begin; k < gradient.size(); k += d) std::fill_n(&gradient[k], count, 0.0);
    return value;
  };
}

std::size_t descend(const SmoothFunction& f, Matrix<double>& points, std::size_t iterations, const ReduceTask& task) {
  return lbfgs(f, numbers_of(points),
               {.memory = 20, .most_iterations = iterations, .share = 5e-4, .first_step = 0.1, .between = task.between})
      .evaluations;
}

// Moves free points to those that the task allows.
void hold_back(const SmoothFunction& f, Reduced& found, std::size_t iterations, const ReduceTask& task) {
  if (task.inside) {
    const InsideBox box(task.mu.x());
    box.to_free(found.points);
    found.steps += descend(box.of_free(f), found.points, iterations, task);
    const std::vector<double> t(found.points.data(), found.points.data() + numbers_of(found.points).size());
    box.to_points(t, numbers_of(found.points));
  }
  if (task.indicators.empty()) return;
  take_levels(found.points, task);
  const SmoothFunction held = holding_levels(f, task);
  if (!task.inside) {
    found.steps += descend(held, found.points, iterations, task);
    return;
  }
  const InsideBox box(task.mu.x());
  Matrix<double> levels = found.points;
  box.to_free(found.points);
  found.steps += descend(box.of_free(held), found.points, iterations, task);
  const std::vector<double> t(found.points.data(), found.points.data() + numbers_of(found.points).size());
  box.to_points(t, numbers_of(found.points));
  for (const auto& [begin, count] : task.indicators)
    for (std::size_t i = 0; i < levels.rows(); ++i) std::copy_n(&levels(i, begin), count, &found.points(i, begin));
}

}  // namespace

Reduced reduce_jointly(const ReduceTask& task) {
  const KernelSum& mu = task.mu;
  const double unknowns = double(task.points) * double(mu.inputs() + 1);
  const double work = double(mu.size()) * unknowns;
  ReduceTask racing = task;
  if (racing.starts == 0) racing.starts = work > kSmallWork ? 1 : std::clamp<std::size_t>(10 / task.points, 1, 8);
  Reduced found;
  ExactObjective exact(mu, task.weights);
  const SmoothFunction f = [&](std::span<const double> x, std::span<double> g) { return exact(x, g); };
  std::size_t iterations = kExactIterations;
  if (work > kSmallWork || task.features > 0) {  // few passes over the expansion: its features stand in for it
    const double most = std::max(kMostFeatureWork / double(mu.size()), 200.0);
    const std::size_t features =
        task.features > 0 ? task.features : affordable_features(2 * std::min(unknowns, most / 2), mu.inputs());
    const FeatureSpace space(mu.on(), mu.kernel(), mu.inputs(), features, task.seed);
    FeatureObjective rough(space, space.embed(mu.x().view(), mu.alpha()));
    const SmoothFunction g = [&](std::span<const double> x, std::span<double> out) { return rough(x, out); };
    found.points = race(g, racing, found.steps).points;
    const LbfgsResult result =
        lbfgs(g, numbers_of(found.points),
              {.most_iterations = 100, .share = 1e-3, .first_step = first_step(found.points), .between = task.between});
    found.steps += result.evaluations;
    if (work > kSmallWork) iterations = kPolishIterations;
  } else {
    found.points = race(f, racing, found.steps).points;
  }
  found.steps += descend(f, found.points, iterations, task);
  hold_back(f, found, iterations, task);
  std::vector<double> gradient(found.points.rows() * mu.inputs());
  exact(numbers_of(found.points), gradient);  // the line search may have looked elsewhere last
  found.weights = exact.beta();
  return found;
}

}  // namespace bochner
