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

// Losses of one score each: Phi(c, y, u, row, output) -> Curve.
template <class Phi>
class Separable final : public Loss {
 public:
  Separable(const Examples& examples, Phi phi, double steepest) : Loss(examples, steepest), phi_(std::move(phi)) {}

  void evaluate(std::size_t first, std::size_t count, const double* u, double* value, double* alpha,
                double* state) const override {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < K_; ++k) {
        const double c = examples_.cost(first + i, k);
        const std::size_t at = i * K_ + k;
        const Curve curve = c > 0 ? phi_(c, examples_.y(first + i, k), u[at], first + i, k) : Curve{0, 0, 0};
        value[k] += curve.value;
        alpha[at] = curve.alpha;
        state[at] = curve.curvature;
      }
    }
  }

 private:
  Phi phi_;
};

template <class Phi>
std::unique_ptr<Loss> separable(const Examples& examples, double steepest, Phi phi) {
  return std::make_unique<Separable<Phi>>(examples, std::move(phi), steepest);
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

Loss::Loss(const Examples& examples, double steepest)
    : K_(examples.outputs()), examples_(examples), most_curvature_(0) {
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

std::unique_ptr<Loss> squares(const Examples& examples) {
  return separable(examples, 1, [](double c, double y, double u, std::size_t, std::size_t) -> Curve {
    const double r = y - u;
    return {c * r * r / 2, c * r, c};
  });
}

std::unique_ptr<Loss> squared_hinge(const Examples& examples) {
  return separable(examples, 2, [](double c, double y, double u, std::size_t, std::size_t) -> Curve {
    const double v = 1 - y * u;
    return v > 0 ? Curve{c * v * v, 2 * c * y * v, 2 * c} : Curve{0, 0, 0};
  });
}

std::unique_ptr<Loss> logistic(const Examples& examples) {
  return separable(examples, 0.25, [](double c, double y, double u, std::size_t, std::size_t) -> Curve {
    const double m = y * u, e = std::exp(-std::abs(m));
    const double wrong = m >= 0 ? e / (1 + e) : 1 / (1 + e);  // 1 / (1 + exp(m))
    return {c * (std::log1p(e) + std::max(0.0, -m)), c * y * wrong, c * e / ((1 + e) * (1 + e))};
  });
}

std::unique_ptr<Loss> softmax(const Examples& examples) { return std::make_unique<Softmax>(examples); }

std::unique_ptr<Loss> huber(const Examples& examples, std::vector<double> delta) {
  return separable(examples, 1,
                   [delta = std::move(delta)](double c, double y, double u, std::size_t, std::size_t k) -> Curve {
                     const double r = y - u, d = delta[k];
                     if (std::abs(r) <= d) return {c * r * r / 2, c * r, c};
                     return {c * d * (std::abs(r) - d / 2), std::copysign(c * d, r), 0};
                   });
}

std::unique_ptr<Loss> squared_tube(const Examples& examples, std::vector<double> epsilon) {
  return separable(examples, 2,
                   [epsilon = std::move(epsilon)](double c, double y, double u, std::size_t, std::size_t k) -> Curve {
                     const double r = y - u, v = std::abs(r) - epsilon[k];
                     return v > 0 ? Curve{c * v * v, std::copysign(2 * c * v, r), 2 * c} : Curve{0, 0, 0};
                   });
}

std::unique_ptr<Loss> smoothed_hinge(const Examples& examples, const Matrix<double>& a, double h, bool hard) {
  return separable(examples, 1 / h, [&a, h, hard](double c, double y, double u, std::size_t i, std::size_t k) -> Curve {
    const double sigma = c / h, v = 1 - y * u, most = hard ? std::numeric_limits<double>::infinity() : c;
    const double before = y * a(i, k), step = before + sigma * v;
    const double alpha = std::clamp(step, 0.0, most);
    const double moved = alpha - before;
    return {alpha * v - moved * moved / (2 * sigma), y * alpha, step > 0 && step < most ? sigma : 0};
  });
}

std::unique_ptr<Loss> smoothed_tube(const Examples& examples, const Matrix<double>& a, double h,
                                    std::vector<double> epsilon) {
  return separable(
      examples, 1 / h,
      [&a, h, epsilon = std::move(epsilon)](double c, double y, double u, std::size_t i, std::size_t k) -> Curve {
        const double sigma = c / h, r = y - u, step = a(i, k) + sigma * r;
        const double reach = std::abs(step) - sigma * epsilon[k];  // |a'| before its bound
        const double alpha = std::copysign(std::clamp(reach, 0.0, c), step);
        const double moved = alpha - a(i, k);
        return {alpha * r - epsilon[k] * std::abs(alpha) - moved * moved / (2 * sigma), alpha,
                reach > 0 && reach < c ? sigma : 0};
      });
}

std::unique_ptr<Loss> smoothed(const Examples& examples, const NonsmoothLoss& loss, const Matrix<double>& a, double h) {
  if (loss.kind == NonsmoothLoss::Kind::tube) return smoothed_tube(examples, a, h, loss.epsilon);
  return smoothed_hinge(examples, a, h, loss.kind == NonsmoothLoss::Kind::hard);
}

std::unique_ptr<Loss> smooth_loss(const Examples& examples, const LossOptions& options) {
  const bool squared = options.margin == MarginLoss::squared;
  switch (options.learner) {
    case Learner::ridge:
      return squares(examples);
    case Learner::svm:
      return squared ? squared_hinge(examples) : nullptr;
    case Learner::hard_svm:
    case Learner::knn:  // has no loss to descend
      return nullptr;
    case Learner::logistic:
      return examples.outputs() == 1 ? logistic(examples) : softmax(examples);
    case Learner::huber:
      return huber(examples, options.delta);
    case Learner::svr:
      return squared ? squared_tube(examples, options.epsilon) : nullptr;
  }
  return nullptr;
}

NonsmoothLoss nonsmooth_loss(const LossOptions& options) {
  if (options.learner == Learner::hard_svm) return {NonsmoothLoss::Kind::hard};
  if (options.learner == Learner::svr) return {NonsmoothLoss::Kind::tube, options.epsilon};
  return {NonsmoothLoss::Kind::hinge};
}

}  // namespace bochner
