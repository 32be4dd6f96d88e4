// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/cg_equations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "solve/pcg.h"

namespace bochner {

namespace {

constexpr double kNear = 3.5;            // lambdas this close share a factor
constexpr double kLeastShift = 1e-7;     // of the mean diagonal: B^T B alone may be singular
constexpr std::size_t kStallSteps = 10;  // without halving the gap: float features give no more
constexpr double kStandsStill = 3e-4;    // of the squared error on held-out rows, per step
constexpr double kExactFit = 1e-12;      // an objective this far below that of x = 0 counts as zero

}  // namespace

CentredMoments::CentredMoments(const MomentFold::Moments& sums, bool intercept)
    : moment(sums.moment.rows(), sums.moment.cols() - 1), feature_mean(sums.moment.rows()) {
  const std::size_t outputs = moment.cols();
  weight = sums.target(outputs, outputs);
  require(weight > 0, "ridge: the weights of all rows are zero");
  for (std::size_t k = 0; k < outputs; ++k) {
    target_mean.push_back(intercept ? sums.target(k, outputs) / weight : 0);
    target_squares.push_back(sums.target(k, k) - weight * target_mean[k] * target_mean[k]);
  }
  for (std::size_t j = 0; j < moment.rows(); ++j) {
    if (intercept) feature_mean[j] = sums.moment(j, outputs) / weight;
    for (std::size_t k = 0; k < outputs; ++k)
      moment(j, k) = sums.moment(j, k) - weight * feature_mean[j] * target_mean[k];
  }
}

SketchFactors::SketchFactors(TiledSymmetric<double> gram, double weight, std::size_t most, Threads& threads)
    : gram_(std::move(gram)), weight_(weight), most_(most), threads_(threads) {
  double trace = 0;
  for (std::size_t j = 0; j < gram_.size(); ++j) trace += gram_.at(j, j);
  least_shift_ = std::max(kLeastShift * trace / double(gram_.size()), std::numeric_limits<double>::min());
}

const Cholesky& SketchFactors::near(double lambda) {
  for (const Factor& f : factors_)
    if (f.lambda == lambda || std::max(f.lambda, lambda) <= kNear * std::min(f.lambda, lambda)) return f.cholesky;
  if (factors_.size() == most_) factors_.pop_front();
  // Rounding may leave B^T B + shift indefinite; a larger shift is a poorer preconditioner, not a wrong answer.
  for (double shift = std::max(lambda * weight_, least_shift_);; shift *= 10) {
    factors_.push_back({lambda, Cholesky(gram_, shift, threads_)});
    if (!factors_.back().cholesky.failed_column()) return factors_.back().cholesky;
    factors_.pop_back();
    require(std::isfinite(shift), "ridge: the sketch of the features is not finite");
  }
}

Coefficients CgSolution::head(const CentredMoments& moments) const {
  Coefficients c{weights, moments.target_mean};
  for (std::size_t j = 0; j < weights.rows(); ++j)
    for (std::size_t k = 0; k < weights.cols(); ++k) c.intercept[k] -= moments.feature_mean[j] * weights(j, k);
  return c;
}

std::vector<CgSolution> solve_by_cg(FeatureCache& cache, const KeptRows& rows, const CentredMoments& moments,
                                    SketchFactors& factors, const std::vector<double>& lambdas,
                                    const Matrix<double>* start, const CgOptions& options) {
  const std::size_t D = rows.features, outputs = moments.moment.cols(), count = lambdas.size() * outputs;
  // Column l * outputs + k is output k with the l-th lambda.
  Matrix<double> b(D, count), x(D, count);
  for (std::size_t j = 0; j < D; ++j)
    for (std::size_t c = 0; c < count; ++c) {
      b(j, c) = moments.moment(j, c % outputs);
      if (start) x(j, c) = (*start)(j, c % outputs);
    }
  std::vector<const Cholesky*> factor;
  for (double lambda : lambdas) factor.push_back(&factors.near(lambda));

  Matrix<double> held(rows.held.size(), count), held_step;
  PcgProblem problem;
  problem.multiply = [&](const Matrix<double>& p, const std::vector<std::size_t>& columns) {
    const NormalProduct product = cache.fold(NormalProduct(rows, moments.feature_mean, p.view()), "cg");
    Matrix<double> q = product.value();
    for (std::size_t j = 0; j < D; ++j)
      for (std::size_t c = 0; c < columns.size(); ++c)
        q(j, c) += lambdas[columns[c] / outputs] * moments.weight * p(j, c);
    held_step = product.held_out();
    return q;
  };
  problem.precondition = [&](Matrix<double>& r, const std::vector<std::size_t>& columns) {
    for (std::size_t c = 0; c < columns.size();) {  // neighbours with one factor in one go
      std::size_t end = c;
      while (end < columns.size() && factor[columns[end] / outputs] == factor[columns[c] / outputs]) ++end;
      factor[columns[c] / outputs]->solve({r.data() + c, D, end - c, r.cols()}, cache.stream().threads());
      c = end;
    }
  };

  // All outputs of a lambda stop together: when they are done, or when rounding keeps them from coming closer.
  struct Progress {
    double gap = 0, best = std::numeric_limits<double>::infinity();
    double held_squares = 0, moved = 1;  // of the held-out rows; how much by the last step
    std::size_t best_at = 0;
  };
  std::vector<Progress> progress(lambdas.size());
  std::size_t seen = std::size_t(-1);
  problem.solved = [&](const PcgStep& step, std::size_t column) {
    if (seen != step.iteration) {
      seen = step.iteration;
      // The predictions of held-out rows move with x.
      for (std::size_t c = 0; c < step.columns.size() && held_step.rows() > 0; ++c)
        for (std::size_t i = 0; i < held.rows(); ++i)
          held(i, step.columns[c]) += (step.iteration == 0 ? 1 : step.length[c]) * held_step(i, c);
      for (std::size_t l = 0; l < lambdas.size(); ++l) {
        double squares = 0;
        for (std::size_t i = 0; i < options.held_targets.rows(); ++i)
          for (std::size_t k = 0; k < outputs; ++k) {
            const double prediction = held(i, l * outputs + k) + moments.target_mean[k];
            squares += (prediction - options.held_targets(i, k)) * (prediction - options.held_targets(i, k));
          }
        if (squares > 0) progress[l].moved = std::abs(squares - progress[l].held_squares) / squares;
        progress[l].held_squares = squares;
      }
    }
    const std::size_t l = column / outputs;
    double gap = 0, objective = 0, at_zero = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      gap += step.gap[l * outputs + k];
      objective += moments.target_squares[k] - step.gain[l * outputs + k];
      at_zero += moments.target_squares[k];
    }
    Progress& p = progress[l];
    p.gap = gap / std::max(objective, kExactFit * at_zero);
    if (gap <= 0) p.gap = 0;
    if (p.gap < 0.5 * p.best) {
      p.best = p.gap;
      p.best_at = step.iteration;
    }
    return p.gap <= 0.1 * options.tolerance || (p.gap <= options.tolerance && p.moved <= kStandsStill) ||
           step.iteration >= p.best_at + kStallSteps;
  };

  const PcgResult result = pcg(b, std::move(x), problem, options.most_iterations);
  std::vector<CgSolution> solutions;
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    CgSolution s{lambdas[l], Matrix<double>(D, outputs), Matrix<double>(held.rows(), outputs)};
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t j = 0; j < D; ++j) s.weights(j, k) = result.x(j, l * outputs + k);
      for (std::size_t i = 0; i < held.rows(); ++i) s.held(i, k) = held(i, l * outputs + k) + moments.target_mean[k];
      s.iterations = std::max(s.iterations, result.iterations[l * outputs + k]);
    }
    s.gap = progress[l].gap;
    s.solved = s.gap <= options.tolerance;
    solutions.push_back(std::move(s));
  }
  return solutions;
}

}  // namespace bochner
