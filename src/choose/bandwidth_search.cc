// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/bandwidth_search.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/law.h"
#include "learn/descend.h"
#include "random/powers.h"
#include "run/host.h"

namespace bochner {

namespace {

constexpr int kFarthest = 8;           // half octaves from the median, either way
constexpr int kPatience = 2;           // octaves uphill before a direction is given up, where trials are dear
constexpr int kCoarsePatience = 1;     // the same in coarse trials, which only say how good such a choice is
constexpr std::size_t kFinalists = 3;  // minima among the octaves that are looked at more closely
constexpr int kMostRounds = 4;
constexpr double kWorthwhile = 0.998;       // loss against the best: a smaller gain is luck
constexpr double kLongestToShortest = 100;  // an input may matter this much less than the first

MapPtr trial_map(const SampleTrial& trial, const Kernel& kernel, std::size_t features, std::uint64_t seed) {
  return fourier(trial.inputs().cols(), {.kernel = kernel, .features = features, .seed = seed});
}

Kernel times(Kernel kernel, double factor) {
  for (double& scale : kernel.length_scales) scale *= factor;
  return kernel;
}

// m_j = mean over rows (and outputs) of (df / dx_j)^2 for f = sum_k a_k cos(w_k x) + b_k sin(w_k x):
//   df / dx = sum_k (b_k cos(w_k x) - a_k sin(w_k x)) w_k.
std::vector<double> mean_squared_gradient(const SampleTrial::Fit& fit, const Kernel& kernel, std::size_t inputs,
                                          std::uint64_t seed) {
  const Matrix<float>& z = fit.features;
  const std::size_t K = z.cols() / 2;
  Matrix<double> omega(K, inputs);
  for (std::size_t k = 0; k < K; ++k) draw_frequency(kernel, seed, k, {&omega(k, 0), inputs});
  std::vector<double> mean(inputs, 0.0);
  Matrix<double> by_angle(z.rows(), K), gradient(z.rows(), inputs);
  for (std::size_t output = 0; output < fit.head.weights.cols(); ++output) {
    for (std::size_t i = 0; i < z.rows(); ++i)
      for (std::size_t k = 0; k < K; ++k)
        by_angle(i, k) = fit.head.weights(K + k, output) * z(i, k) - fit.head.weights(k, output) * z(i, K + k);
    host_backend().multiply(by_angle.view(), omega.view(), 0.0, gradient.view());
    for (std::size_t i = 0; i < z.rows(); ++i)
      for (std::size_t j = 0; j < inputs; ++j) mean[j] += gradient(i, j) * gradient(i, j) / double(z.rows());
  }
  return mean;
}

// Length scales m^(-p/2), of the same geometric mean of spread as before.
std::vector<double> scales_from(const std::vector<double>& m, const Kernel& before, double power) {
  const double most = *std::max_element(m.begin(), m.end());
  std::vector<double> scales(m.size());
  double inverse_squares = 0, inverse_squares_before = 0;
  for (std::size_t j = 0; j < m.size(); ++j) {
    const double floor = 1 / (kLongestToShortest * kLongestToShortest);
    scales[j] = portable_power(std::max(m[j] / most, floor), -power / 2);
    inverse_squares += 1 / (scales[j] * scales[j]);
    inverse_squares_before += 1 / (before.length_scale(j) * before.length_scale(j));
  }
  const double unit = std::sqrt(inverse_squares / inverse_squares_before);
  for (double& scale : scales) scale *= unit;
  return scales;
}

}  // namespace

namespace {

// The kernel's length scales times 2^(step / 2), each tried once.
class Trials {
 public:
  Trials(const SampleTrial& trial, const Kernel& kernel, std::size_t features, std::uint64_t seed)
      : trial_(trial), kernel_(kernel), features_(features), seed_(seed) {}

  double loss(int step) {
    if (!tried_.contains(step))
      tried_[step] = trial_.judge(trial_map(trial_, times(kernel_, factor(step)), features_, seed_));
    return tried_[step].loss;
  }
  BandwidthSearch at(int step) {
    loss(step);
    return {times(kernel_, factor(step)).length_scales, tried_[step].loss, tried_[step].lambda, 0};
  }
  const std::map<int, SampleTrial::Result>& tried() const { return tried_; }

 private:
  static double factor(int step) { return std::pow(2.0, step / 2.0); }

  const SampleTrial& trial_;
  Kernel kernel_;
  std::size_t features_;
  std::uint64_t seed_;
  std::map<int, SampleTrial::Result> tried_;
};

// Goes downhill from the length scales where a search already was.
BandwidthSearch search_nearby(const SampleTrial& trial, const Kernel& kernel, std::size_t features,
                              std::uint64_t seed) {
  Trials trials(trial, kernel, features, seed);
  return trials.at(descend(0, -kFarthest, kFarthest, [&](int step) { return trials.loss(step); }));
}

// The minima among octaves, the lowest first.
std::vector<int> valleys(const std::map<int, SampleTrial::Result>& tried) {
  std::vector<int> found;
  for (auto it = tried.begin(); it != tried.end(); ++it) {
    const bool left = it == tried.begin() || it->second.loss <= std::prev(it)->second.loss;
    const bool right = std::next(it) == tried.end() || it->second.loss < std::next(it)->second.loss;
    if (left && right) found.push_back(it->first);
  }
  std::stable_sort(found.begin(), found.end(), [&](int a, int b) { return tried.at(a).loss < tried.at(b).loss; });
  return found;
}

}  // namespace

BandwidthSearch search_bandwidth(const SampleTrial& trial, const Kernel& kernel, std::size_t features,
                                 std::uint64_t seed) {
  Trials trials(trial, kernel, features, seed);
  const bool cheap = trial.leaves_one_out(features) && !trial.coarse();
  const int patience = trial.coarse() ? kCoarsePatience : kPatience;
  int best = 0;
  for (const int octave : {-2, 2}) {
    int since = 0;
    for (int step = octave; std::abs(step) <= kFarthest && (cheap || since < patience); step += octave) {
      since = trials.loss(step) < trials.loss(best) ? 0 : since + 1;
      if (since == 0) best = step;
    }
  }
  if (trial.coarse()) return trials.at(best);
  std::vector<int> finalists = valleys(trials.tried());
  finalists.resize(std::min<std::size_t>(finalists.size(), cheap ? kFinalists : 1));
  for (const int center : finalists)
    for (const int step : {center - 1, center + 1})
      if (std::abs(step) <= kFarthest && trials.loss(step) < trials.loss(best)) best = step;
  return trials.at(best);
}

BandwidthSearch search_length_scales(const SampleTrial& trial, const Kernel& kernel, std::size_t features,
                                     std::uint64_t seed) {
  BandwidthSearch best = search_bandwidth(trial, kernel, features, seed);
  for (int round = 1; round <= kMostRounds; ++round) {
    Kernel current = kernel;
    current.length_scales = best.length_scales;
    const MapPtr map = trial_map(trial, current, features, seed);
    const SampleTrial::Fit fit = trial.fit(map, best.lambda);
    const std::vector<double> m = mean_squared_gradient(fit, current, trial.inputs().cols(), seed);
    BandwidthSearch found = best;
    for (const double power : {1.0, 0.5}) {
      Kernel next = kernel;
      next.length_scales = scales_from(m, current, power);
      const BandwidthSearch tried = search_nearby(trial, next, features, seed);
      if (tried.loss < found.loss) found = tried;
    }
    if (!(found.loss < kWorthwhile * best.loss)) break;
    best = found;
    best.rounds = round;
  }
  return best;
}

}  // namespace bochner
