// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace bochner {

namespace {

// psi, -psi' and psi'' at one score.
struct Curve {
  double value, alpha, curvature;
};

// Losses of one score each: Phi(point, row, output) -> Curve.
template <class Phi>
class Separable final : public Loss {
 public:
  Separable(const Examples& examples, double steepest, Phi phi, std::vector<double> parameter, bool steep)
      : Loss(examples, steepest, steep), phi_(std::move(phi)), parameter_(std::move(parameter)) {
    parameter_.resize(K_);
  }

  void evaluate(std::size_t first, std::size_t count, const double* u, double* value, double* alpha,
                double* state) const override {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < K_; ++k) {
        const double c = examples_.cost(first + i, k);
        const std::size_t at = i * K_ + k;
        const LossPoint point{c, examples_.y(first + i, k), u[at], parameter_[k]};
        const Curve curve = c > 0 ? phi_(point, first + i, k) : Curve{0, 0, 0};
        value[k] += curve.value;
        alpha[at] = curve.alpha;
        state[at] = curve.curvature;
      }
    }
  }

 private:
  Phi phi_;
  std::vector<double> parameter_;  // one per output
};

template <class Phi>
std::unique_ptr<Loss> separable(const Examples& examples, double steepest, Phi phi, std::vector<double> parameter = {},
                                bool steep = false) {
  return std::make_unique<Separable<Phi>>(examples, steepest, std::move(phi), std::move(parameter), steep);
}

// State of a row: its probabilities p.
class Softmax final : public Loss {
 public:
  explicit Softmax(const Examples& examples) : Loss(examples, 0.25) {}
  bool coupled() const override { return true; }

  void evaluate(std::size_t first, std::size_t count, const double* u, double* value, double* alpha,
                double* p) const override {
    for (std::size_t i = 0; i < count; ++i, u += K_, alpha += K_, p += K_) {
      const double c = examples_.c[first + i];
      const double most = *std::max_element(u, u + K_);
      double sum = 0, right = 0;
      for (std::size_t k = 0; k < K_; ++k) sum += p[k] = std::exp(u[k] - most);
      for (std::size_t k = 0; k < K_; ++k) {
        const bool is = examples_.y(first + i, k) > 0;
        p[k] /= sum;
        alpha[k] = c * (double(is) - p[k]);
        if (is) right = u[k];
      }
      value[0] += c * (std::log(sum) + most - right);
    }
  }

  // r = c (p q - p (p . q))
  void curvature(std::span<const std::size_t> rows, const Matrix<double>& state, std::span<const std::size_t>,
                 const double* q, double* r) const override {
    for (std::size_t i : rows) {
      const double* p = &state(i, 0);
      double mean = 0;
      for (std::size_t k = 0; k < K_; ++k) mean += p[k] * q[k];
      for (std::size_t k = 0; k < K_; ++k) r[k] = examples_.c[i] * p[k] * (q[k] - mean);
      q += K_;
      r += K_;
    }
  }
  std::vector<double> mean_curvature(const Matrix<double>& p) const override {
    std::vector<double> mean(p.rows());
    for (std::size_t i = 0; i < p.rows(); ++i)
      for (std::size_t k = 0; k < K_; ++k) mean[i] += examples_.c[i] * p(i, k) * (1 - p(i, k)) / double(K_);
    return mean;
  }
};

}  // namespace

double Examples::cost_of_all(std::size_t k) const {
  return std::accumulate(c.begin(), c.end(), 0.0) * (price.empty() ? 1.0 : price[k]);
}

Loss::Loss(const Examples& examples, double steepest, bool steep)
    : K_(examples.outputs()), examples_(examples), most_curvature_(0), steep_(steep) {
  for (std::size_t k = 0; k < K_; ++k) most_curvature_ = std::max(most_curvature_, steepest * examples.cost_of_all(k));
}

void Loss::curvature(std::span<const std::size_t> rows, const Matrix<double>& state,
                     std::span<const std::size_t> outputs, const double* q, double* r) const {
  for (std::size_t i : rows)
    for (std::size_t k : outputs) *r++ = state(i, k) * *q++;
}

std::vector<double> Loss::mean_curvature(const Matrix<double>& state) const {
  std::vector<double> mean(state.rows());
  for (std::size_t i = 0; i < state.rows(); ++i)
    for (std::size_t k = 0; k < K_; ++k) mean[i] += state(i, k) / double(K_);
  return mean;
}

double LossChoice::value(std::size_t k, double cost, double target, double score) const {
  const LossPoint at{cost, target, score, parameter_of(k)};
  if (is_smooth()) return row.curve(at).value;
  return row.lines ? lines(k).value(at) : cost * std::max(0.0, 1 - target * score);
}

std::unique_ptr<Loss> smooth_loss(const Examples& examples, const LossChoice& loss) {
  if (loss.row.learner == Learner::logistic && examples.outputs() > 1) return std::make_unique<Softmax>(examples);
  return separable(
      examples, loss.row.steepest,
      [loss](const LossPoint& at, std::size_t, std::size_t) -> Curve {
        const LossCurve curve = loss.row.curve(at);
        return {curve.value, -curve.slope, curve.curvature};
      },
      loss.parameter, loss.row.power != nullptr);
}

namespace {

std::unique_ptr<Loss> smoothed_hinge(const Examples& examples, const Matrix<double>& a, double h, bool hard) {
  return separable(examples, 1 / h, [&a, h, hard](const LossPoint& at, std::size_t i, std::size_t k) -> Curve {
    const double c = at.cost, y = at.target, sigma = c / h, v = 1 - y * at.score;
    const double most = hard ? std::numeric_limits<double>::infinity() : c;
    const double before = y * a(i, k), step = before + sigma * v;
    const double alpha = std::clamp(step, 0.0, most);
    const double moved = alpha - before;
    return {alpha * v - moved * moved / (2 * sigma), y * alpha, step > 0 && step < most ? sigma : 0};
  });
}

std::unique_ptr<Loss> smoothed_lines(const Examples& examples, const LossChoice& loss, const Matrix<double>& a,
                                     double h) {
  std::vector<LossLines> lines;
  for (std::size_t k = 0; k < examples.outputs(); ++k) lines.push_back(loss.lines(k));
  return separable(examples, 1 / h,
                   [&a, h, lines = std::move(lines)](const LossPoint& at, std::size_t i, std::size_t k) -> Curve {
                     const LossLines& line = lines[k];
                     const double sigma = at.cost / h, r = at.target - at.score, step = a(i, k) + sigma * r;
                     const double reach = std::abs(step) - sigma * line.free;  // |a'| before its bound
                     const double most = at.cost * (step > 0 ? line.above : line.below);
                     const double alpha = std::copysign(std::clamp(reach, 0.0, most), step);
                     const double moved = alpha - a(i, k);
                     return {alpha * r - line.free * std::abs(alpha) - moved * moved / (2 * sigma), alpha,
                             reach > 0 && reach < most ? sigma : 0};
                   });
}

}  // namespace

std::unique_ptr<Loss> smoothed_loss(const Examples& examples, const LossChoice& loss, const Matrix<double>& a,
                                    double h) {
  return loss.is_lines() ? smoothed_lines(examples, loss, a, h) : smoothed_hinge(examples, a, h, loss.is_hard());
}

}  // namespace bochner
