// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/require.h"
#include "random/powers.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

constexpr int kMostSteps = 100;
constexpr std::size_t kMostShifted = 100;     // classes: beyond, the slope alone is learnt
constexpr std::size_t kMostPooled = 4000000;  // probabilities that a curve is learnt from
constexpr std::size_t kMostKnots = 256, kGroupRows = 20;
constexpr std::size_t kFolds = 5, kLeastCurveRows = 200;
constexpr double kPrior = 1e-3;  // precision of the shifts' prior, in rows

struct Scores {
  MatrixView<const double> u;
  std::span<const double> labels, weights;

  std::size_t classes() const { return u.cols == 1 ? 2 : u.cols; }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  std::size_t label(std::size_t i) const { return std::size_t(labels[i]); }
};

// p = softmax(u) in place.
void softmax(double* u, std::size_t count) {
  const double most = *std::max_element(u, u + count);
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c) sum += u[c] = portable_exp_negative(u[c] - most);
  for (std::size_t c = 0; c < count; ++c) u[c] /= sum;
}

// Linear between the knots, constant beyond.
double curve_at(const std::vector<double>& x, const std::vector<double>& y, double at) {
  if (!(at > x.front())) return y.front();
  if (at >= x.back()) return y.back();
  const std::size_t right = std::size_t(std::upper_bound(x.begin(), x.end(), at) - x.begin());
  const double share = (at - x[right - 1]) / (x[right] - x[right - 1]);
  return y[right - 1] + share * (y[right] - y[right - 1]);
}

// The log-loss of softmax(slope u + shift) is convex in both. Newton's method with halved steps, against targets that
// are smoothed by one row in all (as Platt's), so that classes that scores tell apart perfectly leave the slope finite.
class SlopeFit {
 public:
  SlopeFit(const Scores& rows, const std::vector<std::uint32_t>& chosen)
      : rows_(rows),
        chosen_(chosen),
        outputs_(rows.u.cols),
        shifts_(outputs_ <= kMostShifted ? outputs_ : 0),
        theta_(1 + shifts_, 0.0) {
    double mean = 0, squares = 0;
    for (const std::uint32_t i : chosen_) {
      weight_ += rows_.weight(i);
      for (std::size_t k = 0; k < outputs_; ++k) mean += rows_.u(i, k);
    }
    mean /= double(chosen_.size() * outputs_);
    for (const std::uint32_t i : chosen_)
      for (std::size_t k = 0; k < outputs_; ++k) squares += (rows_.u(i, k) - mean) * (rows_.u(i, k) - mean);
    const double deviation = std::sqrt(squares / double(chosen_.size() * outputs_));
    unit_ = deviation > 0 ? 1 / deviation : 1;  // the slope is searched for scores of deviation 1
    smooth_ = 1 / (weight_ + 2);
  }

  Calibration run() {
    double loss = value(theta_);
    for (int step = 0; step < kMostSteps; ++step) {
      std::vector<double> direction = newton_direction();
      double length = 1;
      std::vector<double> next = theta_;
      double found = loss;
      for (; length > 1e-10; length /= 2) {
        for (std::size_t j = 0; j < next.size(); ++j) next[j] = theta_[j] - length * direction[j];
        next[0] = std::max(next[0], 0.0);  // a larger score never makes its class less likely
        found = value(next);
        if (found < loss) break;
      }
      if (!(found < loss)) break;
      const bool done = loss - found < 1e-12 * std::max(loss, 1e-300);
      theta_ = next;
      loss = found;
      if (done) break;
    }
    Calibration result;
    result.slope = theta_[0] * unit_;
    result.shift.assign(outputs_, 0.0);
    for (std::size_t k = 0; k < shifts_; ++k) result.shift[k] = theta_[1 + k];
    return result;
  }

 private:
  // The probabilities of row i, and the targets less nothing: one class beyond the outputs where there are two.
  void probabilities(std::size_t i, const std::vector<double>& theta, std::vector<double>& p) const {
    const std::size_t skip = outputs_ == 1 ? 1 : 0;
    p.assign(rows_.classes(), 0.0);
    for (std::size_t k = 0; k < outputs_; ++k)
      p[k + skip] = theta[0] * unit_ * rows_.u(i, k) + (shifts_ ? theta[1 + k] : 0);
    softmax(p.data(), p.size());
  }
  double target(std::size_t i, std::size_t c) const {
    return (1 - smooth_) * double(rows_.label(i) == c) + smooth_ / double(rows_.classes());
  }

  double value(const std::vector<double>& theta) const {
    double sum = 0;
    std::vector<double> p;
    for (const std::uint32_t i : chosen_) {
      probabilities(i, theta, p);
      for (std::size_t c = 0; c < p.size(); ++c)
        sum -= rows_.weight(i) * target(i, c) * portable_log(std::max(p[c], 1e-300));
    }
    for (std::size_t j = 1; j < theta.size(); ++j) sum += 0.5 * kPrior * theta[j] * theta[j];
    return sum / weight_;
  }

  // (H + small I)^-1 g.
  std::vector<double> newton_direction() const {
    const std::size_t size = theta_.size(), skip = outputs_ == 1 ? 1 : 0;
    Matrix<double> H(size, size), g(size, 1);
    std::vector<double> p;
    for (const std::uint32_t i : chosen_) {
      probabilities(i, theta_, p);
      const double w = rows_.weight(i);
      double mean = 0, square = 0;  // moments of the scores under p
      for (std::size_t k = 0; k < outputs_; ++k) {
        const double u = unit_ * rows_.u(i, k), q = p[k + skip];
        mean += q * u;
        square += q * u * u;
        g(0, 0) += w * (q - target(i, k + skip)) * u;
      }
      H(0, 0) += w * (square - mean * mean);
      for (std::size_t k = 0; k < shifts_; ++k) {
        const double q = p[k + skip];
        g(1 + k, 0) += w * (q - target(i, k + skip));
        H(1 + k, 0) += w * q * (unit_ * rows_.u(i, k) - mean);
        H(1 + k, 1 + k) += w * q;
        for (std::size_t j = 0; j <= k; ++j) H(1 + k, 1 + j) -= w * q * p[j + skip];
      }
    }
    for (std::size_t j = 0; j < size; ++j) {
      if (j > 0) g(j, 0) += kPrior * theta_[j];
      H(j, j) += kPrior + 1e-9 * weight_;
    }
    fixed_order::solve_positive(H.view(), g.view());
    return {g.data(), g.data() + size};
  }

  const Scores& rows_;
  const std::vector<std::uint32_t>& chosen_;
  std::size_t outputs_, shifts_;
  std::vector<double> theta_;  // slope in units of the scores, then shifts
  double weight_ = 0, unit_ = 1, smooth_ = 0;
};

// Pairs (probability, whether it was this class), ascending, in groups of some rows; then pool-adjacent-violators: the
// monotone curve of least squares, as knots at the means of its blocks.
void fit_curve(const Scores& rows, const std::vector<std::uint32_t>& chosen, Calibration& result) {
  struct Block {
    double weight = 0, given = 0, mean = 0;
    void add(const Block& other) {
      const double sum = weight + other.weight;
      given = (weight * given + other.weight * other.given) / sum;
      mean = (weight * mean + other.weight * other.mean) / sum;
      weight = sum;
    }
  };
  const std::size_t classes = rows.classes(), first = classes == 2 ? 1 : 0;
  std::vector<std::pair<double, std::uint32_t>> pairs;  // given, row x classes + class
  std::vector<double> p(classes);
  for (const std::uint32_t i : chosen) {
    result.apply(rows.u.row(i), p.data());
    for (std::size_t c = first; c < classes; ++c) pairs.emplace_back(p[c], std::uint32_t(i * classes + c));
  }
  std::sort(pairs.begin(), pairs.end());
  const std::size_t groups = std::clamp<std::size_t>(pairs.size() / kGroupRows, 1, kMostKnots);
  std::vector<Block> blocks;
  for (std::size_t g = 0; g < groups; ++g) {
    Block next;
    for (std::size_t i = g * pairs.size() / groups; i < (g + 1) * pairs.size() / groups; ++i) {
      const auto [given, at] = pairs[i];
      next.add({rows.weight(at / classes), given, double(rows.label(at / classes) == at % classes)});
    }
    while (!blocks.empty() && (blocks.back().mean >= next.mean || blocks.back().given >= next.given)) {
      next.add(blocks.back());
      blocks.pop_back();
    }
    blocks.push_back(next);
  }
  for (const Block& b : blocks) {
    result.given.push_back(b.given);
    result.calibrated.push_back((b.weight * b.mean + 0.5) / (b.weight + 1));  // never 0 or 1
  }
  std::sort(result.calibrated.begin(), result.calibrated.end());  // the 0.5 may swap blocks of few rows
}

// The sum over the chosen rows, and each of them in its place.
double log_loss(const Scores& rows, const std::vector<std::uint32_t>& chosen, const Calibration& calibration,
                std::vector<double>& each) {
  std::vector<double> p(rows.classes());
  double sum = 0;
  for (const std::uint32_t i : chosen) {
    calibration.apply(rows.u.row(i), p.data());
    each[i] = -portable_log(std::max(p[rows.label(i)], 1e-15));
    sum += rows.weight(i) * each[i];
  }
  return sum;
}

}  // namespace

void Calibration::apply(const double* scores, double* of_classes) const {
  double* const p = of_classes;
  std::size_t count = shift.size();
  if (count == 1) {
    p[1] = slope * scores[0] + shift[0];
    p[0] = 0;
    count = 2;
  } else {
    for (std::size_t k = 0; k < count; ++k) p[k] = slope * scores[k] + shift[k];
  }
  softmax(p, count);
  if (given.empty()) return;
  if (count == 2 && shift.size() == 1) {
    p[1] = curve_at(given, calibrated, p[1]);
    p[0] = 1 - p[1];
    return;
  }
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c) sum += p[c] = curve_at(given, calibrated, p[c]);
  for (std::size_t c = 0; c < count; ++c) p[c] /= sum;
}

std::string Calibration::text() const {
  return fmt::format("{} on {:.0f} rows held out, log-loss {:.4f}", given.empty() ? "temperature" : "monotone curve",
                     rows, log_loss);
}

Calibration calibrate(MatrixView<const double> scores, std::span<const double> labels, std::span<const double> weights,
                      std::vector<double>* log_losses) {
  const Scores rows{scores, labels, weights};
  require(scores.rows == labels.size() && (weights.empty() || weights.size() == labels.size()) && scores.cols > 0,
          "calibrate: {} rows of scores, {} labels and {} weights, expected as many", scores.rows, labels.size(),
          weights.size());
  std::vector<std::uint32_t> all, sides[kFolds], others[kFolds];
  double weight = 0;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    require(labels[i] >= 0 && rows.label(i) < rows.classes(), "calibrate: row {}: label {}, expected less than {}", i,
            labels[i], rows.classes());
    if (!(rows.weight(i) > 0)) continue;
    for (std::size_t f = 0; f < kFolds; ++f) (all.size() % kFolds == f ? sides : others)[f].push_back(std::uint32_t(i));
    all.push_back(std::uint32_t(i));
    weight += rows.weight(i);
  }
  require(!all.empty(), "calibrate: there are no rows");
  double plain = 0, curved = 0;
  std::vector<double> plain_rows(scores.rows, std::numeric_limits<double>::quiet_NaN()), curved_rows = plain_rows;
  const bool may_bend = all.size() >= kLeastCurveRows && all.size() * rows.classes() <= kMostPooled;
  for (std::size_t f = 0; f < kFolds && all.size() > kFolds; ++f) {
    Calibration part = SlopeFit(rows, others[f]).run();
    plain += log_loss(rows, sides[f], part, plain_rows);
    if (!may_bend) continue;
    fit_curve(rows, others[f], part);
    curved += log_loss(rows, sides[f], part, curved_rows);
  }
  Calibration result = SlopeFit(rows, all).run();
  result.rows = double(all.size());
  const bool bend = may_bend && curved < plain;
  if (bend) fit_curve(rows, all, result);
  if (all.size() <= kFolds) plain = log_loss(rows, all, result, plain_rows);
  result.log_loss = (bend ? curved : plain) / weight;
  if (log_losses) *log_losses = std::move(bend ? curved_rows : plain_rows);
  return result;
}

}  // namespace bochner
