// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/cg_equations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "run/logged.h"
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

std::shared_ptr<SketchFactors::Factor> SketchFactors::near(double lambda) {
  for (const auto& f : factors_)
    if (f->lambda() == lambda || std::max(f->lambda(), lambda) <= kNear * std::min(f->lambda(), lambda)) return f;
  if (factors_.size() == most_) factors_.pop_front();
  return factors_.emplace_back(std::make_shared<Factor>(*this, lambda));
}

const Cholesky& SketchFactors::Factor::cholesky() {
  // Rounding may leave B^T B + shift indefinite; a larger shift is a poorer preconditioner, not a wrong answer.
  for (double shift = std::max(lambda_ * all_.weight_, all_.least_shift_); !cholesky_; shift *= 10) {
    cholesky_.emplace(all_.gram_, shift, all_.threads_);
    if (cholesky_->failed_column()) cholesky_.reset();
    require(std::isfinite(shift), "ridge: the sketch of the features is not finite");
  }
  return *cholesky_;
}

Coefficients CgSolution::head(const CentredMoments& moments) const {
  Coefficients c{weights, moments.target_mean};
  for (std::size_t j = 0; j < weights.rows(); ++j)
    for (std::size_t k = 0; k < weights.cols(); ++k) c.intercept[k] -= moments.feature_mean[j] * weights(j, k);
  return c;
}

namespace {

using Factors = std::vector<std::shared_ptr<SketchFactors::Factor>>;  // of each lambda

// The product of a pass and the held-out predictions, one after the other in the log.
struct Pass {
  Matrix<double> product, held;
};
Pass pass_over(FeatureStore& cache, const KeptRows& rows, const CentredMoments& moments, const Matrix<double>& p,
               NormalProduct::Over over = NormalProduct::Over::rest) {
  const std::size_t here = rows.features * p.cols(), there = rows.held.size() * p.cols();
  const std::vector<double> numbers = logged(cache.stream().execution().checkpoint, "cg pass", here + there, [&] {
    const NormalProduct product = cache.fold(NormalProduct(rows, moments.feature_mean, p.view(), over), "cg");
    const Matrix<double> q = product.value();
    std::vector<double> both(q.data(), q.data() + here);
    both.insert(both.end(), product.held_out().data(), product.held_out().data() + there);
    return both;
  });
  Pass pass{Matrix<double>(rows.features, p.cols()), Matrix<double>(rows.held.size(), p.cols())};
  std::copy_n(numbers.begin(), here, pass.product.data());
  std::copy_n(numbers.begin() + std::ptrdiff_t(here), there, pass.held.data());
  return pass;
}

std::vector<CgSolution> iterate(FeatureStore& cache, const KeptRows& rows, const CentredMoments& moments,
                                const Factors& factor, const std::vector<double>& lambdas, const CgSolution* start,
                                const CgOptions& options) {
  const std::size_t D = rows.features, outputs = moments.moment.cols(), count = lambdas.size() * outputs;
  // Column l * outputs + k is output k with the l-th lambda.
  Matrix<double> b(D, count), x(D, count), product(D, count);
  Matrix<double> held(rows.held.size(), count), held_step;  // predictions less the mean of the targets
  const auto shift = [&](std::size_t c) { return lambdas[c / outputs] * moments.weight; };
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t k = c % outputs;
    for (std::size_t j = 0; j < D; ++j) {
      b(j, c) = moments.moment(j, k);
      if (!start) continue;
      x(j, c) = start->weights(j, k);
      product(j, c) = start->product(j, k) + shift(c) * x(j, c);
    }
    for (std::size_t i = 0; i < held.rows() && start; ++i) held(i, c) = start->held(i, k) - moments.target_mean[k];
  }

  PcgProblem problem;
  problem.multiply = [&](const Matrix<double>& p, const std::vector<std::size_t>& columns) {
    auto [q, predictions] = pass_over(cache, rows, moments, p);
    for (std::size_t j = 0; j < D; ++j)
      for (std::size_t c = 0; c < columns.size(); ++c) q(j, c) += shift(columns[c]) * p(j, c);
    held_step = std::move(predictions);
    return std::move(q);
  };
  problem.precondition = [&](Matrix<double>& r, const std::vector<std::size_t>& columns) {
    for (std::size_t c = 0; c < columns.size();) {  // neighbours with one factor in one go
      std::size_t end = c;
      while (end < columns.size() && factor[columns[end] / outputs] == factor[columns[c] / outputs]) ++end;
      factor[columns[c] / outputs]->cholesky().solve({r.data() + c, D, end - c, r.cols()}, cache.stream().threads());
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
        for (std::size_t i = 0; i < held.rows(); ++i) held(i, step.columns[c]) += step.length[c] * held_step(i, c);
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

  const PcgResult result = pcg(b, std::move(x), problem, options.most_iterations, &product);
  std::vector<CgSolution> solutions;
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    CgSolution s{lambdas[l], Matrix<double>(D, outputs), Matrix<double>(D, outputs),
                 Matrix<double>(held.rows(), outputs)};
    for (std::size_t k = 0; k < outputs; ++k) {
      const std::size_t c = l * outputs + k;
      for (std::size_t j = 0; j < D; ++j) {
        s.weights(j, k) = result.x(j, c);
        s.product(j, k) = b(j, c) - result.residual(j, c) - shift(c) * result.x(j, c);
      }
      for (std::size_t i = 0; i < held.rows(); ++i) s.held(i, k) = held(i, c) + moments.target_mean[k];
      s.iterations = std::max(s.iterations, result.iterations[c]);
    }
    s.gap = progress[l].gap;
    s.solved = s.gap <= options.tolerance;
    solutions.push_back(std::move(s));
  }
  return solutions;
}

// For each lambda: what is known of the solution, its weights, their product, its predictions.
std::vector<double> to_numbers(const std::vector<CgSolution>& solutions) {
  std::vector<double> numbers;
  for (const CgSolution& s : solutions) {
    numbers.insert(numbers.end(), {double(s.iterations), s.gap, double(s.solved)});
    for (const Matrix<double>* m : {&s.weights, &s.product, &s.held})
      numbers.insert(numbers.end(), m->data(), m->data() + m->rows() * m->cols());
  }
  return numbers;
}

std::vector<CgSolution> from_numbers(const std::vector<double>& numbers, const std::vector<double>& lambdas,
                                     std::size_t features, std::size_t held, std::size_t outputs) {
  std::vector<CgSolution> solutions;
  const double* next = numbers.data();
  for (const double lambda : lambdas) {
    CgSolution s{lambda, Matrix<double>(features, outputs), Matrix<double>(features, outputs),
                 Matrix<double>(held, outputs)};
    s.iterations = std::size_t(*next++);
    s.gap = *next++;
    s.solved = *next++ != 0;
    for (Matrix<double>* m : {&s.weights, &s.product, &s.held}) {
      std::copy_n(next, m->rows() * m->cols(), m->data());
      next += m->rows() * m->cols();
    }
    solutions.push_back(std::move(s));
  }
  return solutions;
}

}  // namespace

std::vector<CgSolution> solve_by_cg(FeatureStore& cache, const KeptRows& rows, const CentredMoments& moments,
                                    SketchFactors& factors, const std::vector<double>& lambdas, const CgSolution* start,
                                    const CgOptions& options) {
  const std::size_t D = rows.features, held = rows.held.size(), outputs = moments.moment.cols();
  Factors factor;  // in the log or not: which are kept depends on all that were asked for
  std::string name = "cg";
  for (const double lambda : lambdas) {
    factor.push_back(factors.near(lambda));
    name += fmt::format(" {}", lambda);
  }
  const auto solve = [&] { return to_numbers(iterate(cache, rows, moments, factor, lambdas, start, options)); };
  return from_numbers(
      logged(cache.stream().execution().checkpoint, name, lambdas.size() * (3 + (2 * D + held) * outputs), solve),
      lambdas, D, held, outputs);
}

// About the mean m' of all rows, whose weight is n, where the rest have the mean m:
//   sum_all w (z - m') (z - m')^T = sum_all w (z - m) (z - m)^T - n (m' - m) (m' - m)^T
CgSolution with_held_rows(FeatureStore& cache, const KeptRows& rows, const CentredMoments& rest,
                          const CentredMoments& all, const CgSolution& solution) {
  CgSolution start = solution;
  start.held = {};
  const Matrix<double>& x = start.weights;
  const Matrix<double> held = pass_over(cache, rows, rest, x, NormalProduct::Over::held).product;
  const std::size_t D = x.rows();
  std::vector<double> moved(D);
  for (std::size_t j = 0; j < D; ++j) moved[j] = all.feature_mean[j] - rest.feature_mean[j];
  for (std::size_t k = 0; k < x.cols(); ++k) {
    double along = 0;
    for (std::size_t j = 0; j < D; ++j) along += moved[j] * x(j, k);
    for (std::size_t j = 0; j < D; ++j) start.product(j, k) += held(j, k) - all.weight * along * moved[j];
  }
  return start;
}

}  // namespace bochner
