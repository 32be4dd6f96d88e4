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
constexpr double kLeastShift = 1e-7;     // share of the mean diagonal: B^T B alone may be singular
constexpr std::size_t kStallSteps = 10;  // steps that do not halve the gap: float features give no more
constexpr double kStandsStill = 3e-4;    // change of the squared error on held-out rows per step, relative to it
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
    cholesky_.emplace(all_.gram_, shift, all_.threads_, Cholesky::Arithmetic::same_bits);
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

using Factors = std::vector<std::shared_ptr<SketchFactors::Factor>>;  // one per lambda

// The product of a pass and the held-out predictions, one after the other in the log.
struct Pass {
  Matrix<double> product, held;
};
Pass pass_over(const CgEquations& of, const Matrix<double>& p, NormalProduct::Over over = NormalProduct::Over::rest) {
  const KeptRows& rows = of.rows;
  const std::size_t here = rows.features * p.cols(), there = rows.held.size() * p.cols();
  const std::vector<double> numbers = logged(of.cache.stream().execution().checkpoint, "cg pass", here + there, [&] {
    const NormalProduct product = of.cache.fold(NormalProduct(rows, of.moments.feature_mean, p.view(), over), "cg");
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

// Column l * outputs + k of the right-hand sides is output k with the l-th lambda.
class Iteration {
 public:
  Iteration(const CgEquations& of, const Factors& factor, const std::vector<double>& lambdas, const CgSolution* start,
            const CgOptions& options)
      : of_(of),
        factor_(factor),
        lambdas_(lambdas),
        options_(options),
        D_(of.rows.features),
        outputs_(of.moments.moment.cols()),
        b_(D_, lambdas.size() * outputs_),
        x_(D_, b_.cols()),
        product_(D_, b_.cols()),
        held_(of.rows.held.size(), b_.cols()),
        progress_(lambdas.size()) {
    for (std::size_t c = 0; c < b_.cols(); ++c) begin_at(start, c);
  }

  std::vector<CgSolution> run() {
    PcgProblem problem;
    problem.multiply = [this](const Matrix<double>& p, const Columns& columns) { return multiply(p, columns); };
    problem.precondition = [this](Matrix<double>& r, const Columns& columns) { precondition(r, columns); };
    problem.solved = [this](const PcgStep& step, std::size_t column) { return solved(step, column / outputs_); };
    const PcgResult result = pcg(b_, std::move(x_), problem, options_.most_iterations, &product_);
    std::vector<CgSolution> solutions;
    for (std::size_t l = 0; l < lambdas_.size(); ++l) solutions.push_back(solution(result, l));
    return solutions;
  }

 private:
  using Columns = std::vector<std::size_t>;

  // All outputs of a lambda stop together: when they are done, or when rounding keeps them from coming closer.
  struct Progress {
    double gap = 0, best = std::numeric_limits<double>::infinity();
    double held_squares = 0, moved = 1;  // squared error on held-out rows, its relative change by the last step
    std::size_t best_at = 0;
  };

  double shift(std::size_t c) const { return lambdas_[c / outputs_] * of_.moments.weight; }

  void begin_at(const CgSolution* start, std::size_t c) {
    const std::size_t k = c % outputs_;
    for (std::size_t j = 0; j < D_; ++j) {
      b_(j, c) = of_.moments.moment(j, k);
      if (!start) continue;
      x_(j, c) = start->weights(j, k);
      product_(j, c) = start->product(j, k) + shift(c) * x_(j, c);
    }
    for (std::size_t i = 0; i < held_.rows() && start; ++i)
      held_(i, c) = start->held(i, k) - of_.moments.target_mean[k];
  }

  Matrix<double> multiply(const Matrix<double>& p, const Columns& columns) {
    auto [q, predictions] = pass_over(of_, p);
    for (std::size_t j = 0; j < D_; ++j)
      for (std::size_t c = 0; c < columns.size(); ++c) q(j, c) += shift(columns[c]) * p(j, c);
    held_step_ = std::move(predictions);
    return std::move(q);
  }

  void precondition(Matrix<double>& r, const Columns& columns) {
    for (std::size_t c = 0; c < columns.size();) {  // neighbours with one factor in one go
      const auto& factor = factor_[columns[c] / outputs_];
      std::size_t end = c;
      while (end < columns.size() && factor_[columns[end] / outputs_] == factor) ++end;
      factor->cholesky().solve({r.data() + c, D_, end - c, r.cols()}, of_.cache.stream().threads());
      c = end;
    }
  }

  // The predictions of held-out rows move with x.
  void move_held(const PcgStep& step) {
    for (std::size_t c = 0; c < step.columns.size() && held_step_.rows() > 0; ++c)
      for (std::size_t i = 0; i < held_.rows(); ++i) held_(i, step.columns[c]) += step.length[c] * held_step_(i, c);
    for (std::size_t l = 0; l < lambdas_.size(); ++l) {
      double squares = 0;
      for (std::size_t i = 0; i < options_.held_targets.rows(); ++i)
        for (std::size_t k = 0; k < outputs_; ++k) {
          const double error = held_(i, l * outputs_ + k) + of_.moments.target_mean[k] - options_.held_targets(i, k);
          squares += error * error;
        }
      Progress& p = progress_[l];
      if (squares > 0) p.moved = std::abs(squares - p.held_squares) / squares;
      p.held_squares = squares;
    }
  }

  bool solved(const PcgStep& step, std::size_t l) {
    if (seen_ != step.iteration) {
      seen_ = step.iteration;
      move_held(step);
    }
    double gap = 0, objective = 0, at_zero = 0;
    for (std::size_t k = 0; k < outputs_; ++k) {
      gap += step.gap[l * outputs_ + k];
      objective += of_.moments.target_squares[k] - step.gain[l * outputs_ + k];
      at_zero += of_.moments.target_squares[k];
    }
    Progress& p = progress_[l];
    p.gap = gap / std::max(objective, kExactFit * at_zero);
    if (gap <= 0) p.gap = 0;
    if (p.gap < 0.5 * p.best) {
      p.best = p.gap;
      p.best_at = step.iteration;
    }
    return p.gap <= 0.1 * options_.tolerance || (p.gap <= options_.tolerance && p.moved <= kStandsStill) ||
           step.iteration >= p.best_at + kStallSteps;
  }

  CgSolution solution(const PcgResult& result, std::size_t l) const {
    CgSolution s{lambdas_[l], Matrix<double>(D_, outputs_), Matrix<double>(D_, outputs_),
                 Matrix<double>(held_.rows(), outputs_)};
    for (std::size_t k = 0; k < outputs_; ++k) {
      const std::size_t c = l * outputs_ + k;
      for (std::size_t j = 0; j < D_; ++j) {
        s.weights(j, k) = result.x(j, c);
        s.product(j, k) = b_(j, c) - result.residual(j, c) - shift(c) * result.x(j, c);
      }
      for (std::size_t i = 0; i < held_.rows(); ++i) s.held(i, k) = held_(i, c) + of_.moments.target_mean[k];
      s.iterations = std::max(s.iterations, result.iterations[c]);
    }
    s.gap = progress_[l].gap;
    s.solved = s.gap <= options_.tolerance;
    return s;
  }

  const CgEquations& of_;
  const Factors& factor_;
  const std::vector<double>& lambdas_;
  const CgOptions& options_;
  std::size_t D_, outputs_;
  Matrix<double> b_, x_, product_;
  Matrix<double> held_, held_step_;  // predictions less the mean of the targets
  std::vector<Progress> progress_;
  std::size_t seen_ = std::size_t(-1);
};

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

std::vector<CgSolution> solve_by_cg(const CgEquations& equations, SketchFactors& factors,
                                    const std::vector<double>& lambdas, const CgSolution* start,
                                    const CgOptions& options) {
  const std::size_t D = equations.rows.features, held = equations.rows.held.size();
  const std::size_t outputs = equations.moments.moment.cols();
  Factors factor;  // found even if the log has the solution: which are kept depends on all that were asked for
  std::string name = "cg";
  for (const double lambda : lambdas) {
    factor.push_back(factors.near(lambda));
    name += fmt::format(" {}", lambda);
  }
  const auto solve = [&] { return to_numbers(Iteration(equations, factor, lambdas, start, options).run()); };
  return from_numbers(logged(equations.cache.stream().execution().checkpoint, name,
                             lambdas.size() * (3 + (2 * D + held) * outputs), solve),
                      lambdas, D, held, outputs);
}

// About the mean m' of all rows, whose weight is n, where the rest have the mean m:
//   sum_all w (z - m') (z - m')^T = sum_all w (z - m) (z - m)^T - n (m' - m) (m' - m)^T
CgSolution with_held_rows(const CgEquations& rest, const CentredMoments& all, const CgSolution& solution) {
  CgSolution start = solution;
  start.held = {};
  const Matrix<double>& x = start.weights;
  const Matrix<double> held = pass_over(rest, x, NormalProduct::Over::held).product;
  const std::size_t D = x.rows();
  std::vector<double> moved(D);
  for (std::size_t j = 0; j < D; ++j) moved[j] = all.feature_mean[j] - rest.moments.feature_mean[j];
  for (std::size_t k = 0; k < x.cols(); ++k) {
    double along = 0;
    for (std::size_t j = 0; j < D; ++j) along += moved[j] * x(j, k);
    for (std::size_t j = 0; j < D; ++j) start.product(j, k) += held(j, k) - all.weight * along * moved[j];
  }
  return start;
}

}  // namespace bochner
