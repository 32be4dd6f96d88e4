// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/logistic_blend.h"

#include <algorithm>
#include <cmath>

#include "random/powers.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

constexpr std::size_t kMostShifted = 32;  // columns
constexpr int kMostSteps = 50;
constexpr double kPrior = 1;  // rows' worth of pull of the shifts to 0

// The scores and probabilities of one row.
class OfRow {
 public:
  OfRow(const ClassScores& scores, const LogisticBlend& blend) : scores_(scores), blend_(blend), p_(scores.columns()) {}

  // Returns the row's log-loss.
  double at(std::size_t row) {
    const bool two = p_.size() == 1;
    double most = two ? 0 : -HUGE_VAL;
    for (std::size_t k = 0; k < p_.size(); ++k) {
      p_[k] = blend_.shift[k];
      for (std::size_t j = 0; j < blend_.weights.size(); ++j)
        p_[k] += blend_.weights[j] * (*scores_.machines[j])(row, k);
      most = std::max(most, p_[k]);
    }
    const std::size_t label = scores_.labels[row];
    const double own = two ? (label == 1 ? p_[0] : 0) : p_[label];
    double sum = two ? portable_exp_negative(-most) : 0;
    for (double& p : p_) sum += p = portable_exp_negative(p - most);
    for (double& p : p_) p /= sum;
    return most + portable_log(sum) - own;
  }

  const std::vector<double>& probabilities() const { return p_; }
  double excess(std::size_t row, std::size_t k) const {  // p_k less 1 for the row's own class
    return p_[k] - double(scores_.labels[row] == (p_.size() == 1 ? 1 : k));
  }

 private:
  const ClassScores& scores_;
  const LogisticBlend& blend_;
  std::vector<double> p_;
};

class Newton {
 public:
  Newton(const ClassScores& scores, std::span<const std::size_t> rows)
      : scores_(scores),
        rows_(rows),
        machines_(scores.machines.size()),
        shifts_(scores.columns() <= kMostShifted ? scores.columns() : 0),
        at_{std::vector<double>(machines_, 1.0), std::vector<double>(scores.columns(), 0.0)} {}

  LogisticBlend run() {
    double loss = value(at_);
    for (int step = 0; step < kMostSteps; ++step) {
      const std::vector<double> direction = descent();
      LogisticBlend next = at_;
      double found = loss;
      for (double length = 1; length > 1e-8; length /= 2) {
        for (std::size_t j = 0; j < machines_; ++j)
          next.weights[j] = std::max(0.0, at_.weights[j] - length * direction[j]);
        for (std::size_t k = 0; k < shifts_; ++k) next.shift[k] = at_.shift[k] - length * direction[machines_ + k];
        found = value(next);
        if (found < loss) break;
      }
      if (!(found < loss)) break;
      const bool done = loss - found < 1e-9 * loss;
      at_ = next;
      loss = found;
      if (done) break;
    }
    return at_;
  }

 private:
  double value(const LogisticBlend& blend) const {
    double sum = log_loss(scores_, rows_, blend);
    for (const double s : blend.shift) sum += 0.5 * kPrior * s * s;
    return sum;
  }

  // (H + small I)^-1 g of the machines that have a weight or want one, and of the shifts.
  std::vector<double> descent() {
    const std::size_t size = machines_ + shifts_;
    Matrix<double> H(size, size), g(size, 1);
    add_rows(H, g);
    for (std::size_t k = 0; k < shifts_; ++k) {
      g(machines_ + k, 0) += kPrior * at_.shift[k];
      H(machines_ + k, machines_ + k) += kPrior;
    }
    for (std::size_t j = 0; j < size; ++j) {
      if (j < machines_ && at_.weights[j] == 0 && g(j, 0) >= 0) {  // stays at 0
        for (std::size_t l = 0; l < size; ++l) H(std::max(j, l), std::min(j, l)) = 0;
        H(j, j) = 1;
        g(j, 0) = 0;
      }
      H(j, j) += 1e-9 * (1 + H(j, j));
    }
    fixed_order::solve_positive(H.view(), g.view());
    return {g.data(), g.data() + size};
  }

  void add_rows(Matrix<double>& H, Matrix<double>& g) const {
    OfRow of_row(scores_, at_);
    std::vector<double> mean(machines_);  // each model's mean score under p
    for (const std::size_t i : rows_) {
      of_row.at(i);
      const std::vector<double>& p = of_row.probabilities();
      const double w = scores_.weight(i);
      mean.assign(machines_, 0.0);
      for (std::size_t k = 0; k < p.size(); ++k)
        for (std::size_t j = 0; j < machines_; ++j) mean[j] += p[k] * score(i, j, k);
      for (std::size_t k = 0; k < p.size(); ++k) {
        const double excess = w * of_row.excess(i, k), q = w * p[k];
        for (std::size_t j = 0; j < machines_; ++j) {
          const double s = score(i, j, k);
          g(j, 0) += excess * s;
          for (std::size_t l = 0; l <= j; ++l) H(j, l) += q * s * score(i, l, k);
          if (k < shifts_) H(machines_ + k, j) += q * (s - mean[j]);
        }
        if (k >= shifts_) continue;
        g(machines_ + k, 0) += excess;
        H(machines_ + k, machines_ + k) += q;
        for (std::size_t l = 0; l <= k; ++l) H(machines_ + k, machines_ + l) -= q * p[l];
      }
      for (std::size_t j = 0; j < machines_; ++j)
        for (std::size_t l = 0; l <= j; ++l) H(j, l) -= w * mean[j] * mean[l];
    }
  }

  double score(std::size_t row, std::size_t machine, std::size_t k) const {
    return (*scores_.machines[machine])(row, k);
  }

  const ClassScores& scores_;
  std::span<const std::size_t> rows_;
  std::size_t machines_, shifts_;
  LogisticBlend at_;
};

}  // namespace

LogisticBlend logistic_blend(const ClassScores& scores, std::span<const std::size_t> rows) {
  return Newton(scores, rows).run();
}

double log_loss(const ClassScores& scores, std::span<const std::size_t> rows, const LogisticBlend& blend) {
  OfRow of_row(scores, blend);
  double sum = 0;
  for (const std::size_t i : rows) sum += scores.weight(i) * of_row.at(i);
  return sum;
}

}  // namespace bochner
