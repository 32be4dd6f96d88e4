// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

namespace bochner {

namespace {

constexpr std::size_t kWindow = 5, kMostTrials = 40;
constexpr double kDecrease = 1e-4, kCurvature = 0.9;  // constants of the Wolfe conditions

using Vector = std::vector<double>;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Pair {
  Vector s, y;  // steps of x and of the gradient
  double rho;   // 1 / s.y
};

// -H g by the two loops.
Vector direction_of(const std::deque<Pair>& pairs, std::span<const double> gradient) {
  Vector d(gradient.begin(), gradient.end()), alpha(pairs.size());
  for (std::size_t k = pairs.size(); k-- > 0;) {
    alpha[k] = pairs[k].rho * dot(pairs[k].s, d);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= alpha[k] * pairs[k].y[i];
  }
  if (!pairs.empty()) {
    const double scale = 1 / (pairs.back().rho * dot(pairs.back().y, pairs.back().y));
    for (double& v : d) v *= scale;
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double beta = pairs[k].rho * dot(pairs[k].y, d);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] += (alpha[k] - beta) * pairs[k].s[i];
  }
  for (double& v : d) v = -v;
  return d;
}

struct Place {
  Vector x, gradient;
  double value = 0;
};

class Search {
 public:
  Search(const SmoothFunction& f, LbfgsResult& result) : f_(f), result_(result) {}

  void ask(Place& at) {
    at.gradient.resize(at.x.size());
    at.value = f_(at.x, at.gradient);
    ++result_.evaluations;
  }

  // Searches from `here` along d for a place that keeps the weak Wolfe conditions, or else takes the lowest found;
  // false: none is lower.
  bool line(const Place& here, const Vector& d, double step, Place& there) {
    const double slope = dot(here.gradient, d);
    double low = 0, high = std::numeric_limits<double>::infinity();
    Place best;
    best.value = here.value;
    for (std::size_t trial = 0; trial < kMostTrials; ++trial) {
      there.x.resize(here.x.size());
      for (std::size_t i = 0; i < d.size(); ++i) there.x[i] = here.x[i] + step * d[i];
      ask(there);
      if (std::isfinite(there.value) && there.value < best.value) best = there;
      if (!(there.value <= here.value + kDecrease * step * slope))
        high = step;
      else if (dot(there.gradient, d) < kCurvature * slope)
        low = step;
      else
        return true;
      step = std::isinf(high) ? 2 * low : 0.5 * (low + high);
      if (step == low || step == high) break;
    }
    if (best.x.empty()) return false;
    there = std::move(best);
    return true;
  }

 private:
  const SmoothFunction& f_;
  LbfgsResult& result_;
};

}  // namespace

LbfgsResult lbfgs(const SmoothFunction& f, std::span<double> x, const LbfgsOptions& options) {
  LbfgsResult result;
  Search search(f, result);
  Place here{{x.begin(), x.end()}, {}, 0}, there;
  search.ask(here);
  const double begin = here.value;
  std::deque<Pair> pairs;
  std::deque<double> recent = {here.value};
  while (result.iterations < options.most_iterations) {
    if (options.between) options.between();
    Vector d = direction_of(pairs, here.gradient);
    double step = 1;
    if (pairs.empty()) {
      const double size = std::sqrt(dot(d, d));
      if (!(size > 0)) break;
      step = std::min(1.0, options.first_step / size);
    }
    if (!(dot(d, here.gradient) < 0) || !search.line(here, d, step, there)) {
      if (pairs.empty()) {
        result.converged = true;
        break;
      }
      pairs.clear();  // the curvature misled: begin again with the gradient
      continue;
    }
    ++result.iterations;
    Pair pair{Vector(x.size()), Vector(x.size()), 0};
    for (std::size_t i = 0; i < x.size(); ++i) {
      pair.s[i] = there.x[i] - here.x[i];
      pair.y[i] = there.gradient[i] - here.gradient[i];
    }
    const double curvature = dot(pair.s, pair.y);
    if (curvature > 1e-14 * std::sqrt(dot(pair.s, pair.s) * dot(pair.y, pair.y))) {
      pair.rho = 1 / curvature;
      pairs.push_back(std::move(pair));
      if (pairs.size() > options.memory) pairs.pop_front();
    }
    std::swap(here, there);
    recent.push_back(here.value);
    if (recent.size() > kWindow + 1) recent.pop_front();
    const double lately = recent.front() - recent.back();
    if (recent.size() > kWindow && lately <= std::max(options.share * (begin - here.value), options.least)) {
      result.converged = true;
      break;
    }
  }
  std::copy(here.x.begin(), here.x.end(), x.begin());
  result.value = here.value;
  return result;
}

}  // namespace bochner
