// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/ridge/ridge.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/clock.h"
#include "base/memory.h"
#include "base/pieces.h"
#include "base/require.h"
#include "folds/largest.h"
#include "learn/fit_memory.h"
#include "learn/ridge/held_search.h"
#include "learn/ridge/lambda_search.h"
#include "learn/ridge/posterior.h"
#include "learn/score.h"
#include "random/hold_out.h"

namespace bochner {

namespace {

constexpr std::size_t kMostHeldOut = 8192;
constexpr double kHeldOutFraction = 0.1;
constexpr double kCheapLeaveOneOut = 4e9;  // n D^2 that nobody notices
constexpr double kMostLeftOut = 1 << 26;   // n D: the features of all rows are kept for it
constexpr std::size_t kPieceRows = 256;
constexpr std::size_t kAtOnce = 4 * kChunkRows;  // held-out rows taken from the sums

}  // namespace

namespace {

// 1/n + |L^-1 (z - m)|^2 of the rows z, which become z - m.
std::vector<double> leverages(const NormalEquations& equations, const Cholesky& factor, MatrixView<double> z) {
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t j = 0; j < z.cols; ++j) z(i, j) -= equations.feature_mean[j];
  std::vector<double> sums(z.rows, equations.intercept ? 1 / equations.weight : 0);
  factor.add_squares(z, sums);
  return sums;
}

// M_ij = -sqrt(w_i w_j) (1/n + (z_i - m)^T (G + lambda n I)^-1 (z_j - m)) of the row i with the median of M_ii.
template <class T>
double shared_of_rows(const std::vector<double>& left, const RowBlock<T>& z, const NormalEquations& equations,
                      const Cholesky& factor) {
  const std::size_t at = median_place(left), D = z.cols;
  Matrix<double> direction(D, 1);
  for (std::size_t j = 0; j < D; ++j) direction(j, 0) = double(z.values[at * z.stride + j]) - equations.feature_mean[j];
  factor.solve(direction.view());
  double offset = equations.intercept ? 1 / equations.weight : 0;
  for (std::size_t j = 0; j < D; ++j) offset -= equations.feature_mean[j] * direction(j, 0);
  std::vector<double> with_row(left.size());
  constexpr std::size_t kTogether = 8;  // sums at a time, since each waits for its last addition
  for (std::size_t begin = 0; begin < z.rows; begin += kTogether) {
    const std::size_t count = std::min(kTogether, z.rows - begin);
    double h[kTogether];
    std::fill_n(h, kTogether, offset);
    for (std::size_t j = 0; j < D; ++j)
      for (std::size_t i = 0; i < count; ++i) h[i] += double(z.values[(begin + i) * z.stride + j]) * direction(j, 0);
    for (std::size_t i = 0; i < count; ++i)
      with_row[begin + i] = -h[i] * std::sqrt(weight_of(z.weights, begin + i) * weight_of(z.weights, at));
  }
  return shared_residuals(left, with_row, at);
}

}  // namespace

// Closed-form leave-one-out: y_i - yhat_i^(-i) = (y_i - yhat_i) / (1 - h_i),
//   h_i = w_i (1/n + |L^-1 (z_i - m)|^2),  L L^T = G + lambda n I.
template <class T>
LeftOutScore score_left_out(const Workers& on, const RowBlock<T>& z, const NormalEquations& equations,
                            const Cholesky& factor, const Coefficients& head, const TargetCode& code) {
  const std::size_t D = z.cols, outputs = head.weights.cols();
  Matrix<double> left_out(z.rows, outputs);
  std::vector<double> left(z.rows);
  in_pieces(on.threads, z.rows, kPieceRows, [&](std::size_t begin, std::size_t count) {
    Matrix<double> x(count, D), fitted(count, outputs);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < D; ++j) x(i, j) = double(z.values[(begin + i) * z.stride + j]);
    on.ops.multiply(x.view(), head.weights.view(), 0.0, fitted.view());
    const std::vector<double> leverage = leverages(equations, factor, x.view());
    for (std::size_t i = 0; i < count; ++i) {
      const double h = std::min(leverage[i] * weight_of(z.weights, begin + i), 1 - 1e-12);
      left[begin + i] = 1 - h;
      for (std::size_t k = 0; k < outputs; ++k) {
        const double y = code.encode(z.targets + (begin + i) * z.target_count, k);
        const double coded = y - (y - fitted(i, k) - head.intercept[k]) / (1 - h);
        if (code.task == Task::regression)
          left_out(begin + i, k) = coded * code.unit[k] + code.center[k];
        else
          left_out(begin + i, k) =
              !equations.intercept
                  ? coded
                  : judged_score(coded, y, equations.target_mean[k], weight_of(z.weights, begin + i), equations.weight);
      }
    }
  });
  LeftOutScore found{Scorer(code.task, outputs), shared_of_rows(left, z, equations, factor)};
  for (std::size_t i = 0; i < z.rows; ++i)
    found.scorer.add(&left_out(i, 0), z.targets + i * z.target_count, weight_of(z.weights, i));
  return found;
}

template LeftOutScore score_left_out(const Workers&, const RowBlock<float>&, const NormalEquations&, const Cholesky&,
                                     const Coefficients&, const TargetCode&);
template LeftOutScore score_left_out(const Workers&, const RowBlock<double>&, const NormalEquations&, const Cholesky&,
                                     const Coefficients&, const TargetCode&);

namespace {

// add(part) for the rows in pieces that begin where the chunks of their sums do.
template <class T, class Add>
void in_pieces(const RowBlock<T>& rows, const Add& add) {
  for (std::size_t begin = 0; begin < rows.rows; begin += kAtOnce)
    add(rows.slice(begin, std::min(kAtOnce, rows.rows - begin)));
}

// The sums are those of all rows again at the end: from a copy where there is room for one, otherwise by adding the
// held-out rows back, which is exact.
template <class T>
LambdaSearch choose_lambda(const Workers& on, GramAndHeld& sums, const RidgeOptions& options, bool left_out, bool room,
                           Checkpoint* checkpoint) {
  const TargetCode& code = sums.gram.code();
  const RowBlock<T> held = sums.held.block<T>();
  std::optional<GramFold> all;
  if (!left_out) {
    if (room) all = sums.gram.copy(on.threads);
    in_pieces(held, [&](const RowBlock<T>& rows) { sums.gram.remove(on, rows); });
  }
  const NormalEquations equations(sums.gram, options.intercept);
  const auto evaluate = [&](double lambda) {
    const Cholesky factor = equations.try_factor(lambda, on.threads);
    if (factor.failed_column()) return LambdaTrial{lambda};
    const Coefficients head = equations.solve(factor);
    const LeftOutScore found = left_out ? score_left_out(on, held, equations, factor, head, code)
                                        : LeftOutScore{score_rows(on, held, decode(head, code), code.task)};
    return LambdaTrial{lambda, found.loss(), found.scorer.score()};
  };
  LambdaSearch search = search_lambda(options.lambdas, evaluate, checkpoint, left_out);
  if (all)
    sums.gram = std::move(*all);
  else if (!left_out)
    in_pieces(held, [&](const RowBlock<T>& rows) { sums.gram.add(on, rows); });
  return search;
}

}  // namespace

bool chooses_by_leave_one_out(const RidgeOptions& options, double n, double D) {
  using Select = RidgeOptions::Select;
  return options.select == Select::leave_one_out ||
         (options.select == Select::automatic && n * D * D <= kCheapLeaveOneOut && n * D <= kMostLeftOut);
}

double held_out_fraction(double n) { return hold_out_fraction(n, kHeldOutFraction, double(kMostHeldOut)); }

double feature_bound(const Stream& stream) {
  if (stream.map() && stream.map()->bound() > 0) return stream.map()->bound();
  const double most = stream.fold(Largest{}, "range").value();
  return most > 0 ? most : 1;
}

LambdaSearch choose_on_stream(const Stream& validation, const RidgeOptions& options,
                              const std::function<std::optional<Coefficients>(double)>& head_of,
                              const TargetCode& code) {
  std::vector<double> lambdas = options.lambdas;
  if (lambdas.empty())
    for (int step = -18; step <= 0; ++step) lambdas.push_back(std::pow(10.0, step / 2.0));
  const double first = lambdas.front();
  std::vector<Coefficients> heads;
  std::erase_if(lambdas, [&](double lambda) {
    std::optional<Coefficients> head = head_of(lambda);
    if (head) heads.push_back(std::move(*head));
    return !head;
  });
  if (heads.empty()) return {{LambdaTrial{first}}, 0};  // who solves for it again will say why not
  const std::vector<Scorer> scorers = score_on_stream(validation, heads, code);
  std::size_t next = 0;
  return search_lambda(lambdas, [&](double lambda) {
    const Scorer& scorer = scorers[next++];
    return LambdaTrial{lambda, scorer.loss(), scorer.score()};
  });
}

std::vector<Scorer> score_on_stream(const Stream& stream, const std::vector<Coefficients>& heads,
                                    const TargetCode& code) {
  const Coefficients all = stack(heads);
  const MapPtr head = linear(all.weights, all.intercept);
  std::vector<Scorer> scorers(heads.size(), Scorer(code.task, code.columns()));
  stream.through(head).each("validation", [&](const auto& block) {
    std::vector<double> row(block.cols);
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::copy_n(block.values + i * block.stride, block.cols, row.begin());
      for (std::size_t s = 0; s < scorers.size(); ++s)
        scorers[s].add(&row[s * code.columns()], block.targets + i * block.target_count, weight_of(block.weights, i));
    }
  });
  return scorers;
}

TargetCode target_code(const Schema& schema, const Survey& survey, bool intercept) {
  TargetCode code{schema.task, schema.labels.size(), {}, {}};
  if (schema.task == Task::classification) return code;
  for (const Survey::ColumnFacts& t : survey.targets()) {
    const double center = intercept ? 0.5 * (t.min + t.max) : 0;
    const double reach = std::max(t.max - center, center - t.min);
    code.center.push_back(center);
    code.unit.push_back(reach > 0 ? reach : 1);
  }
  return code;
}

void check_lambdas(const std::vector<double>& lambdas) {
  for (const double lambda : lambdas)
    require(lambda >= 0 && std::isfinite(lambda), "ridge: lambda is {}, expected a number >= 0", lambda);
}

void describe_fit(Report& report, const Stream& stream, const Survey& survey, const char* solver) {
  report.rows = survey.rows();
  report.inputs = stream.schema().inputs;
  report.features = stream.features();
  report.learner = "ridge";
  report.solver = solver;
}

void describe_search(Report& report, const LambdaSearch& search, const std::string& validation) {
  for (const LambdaTrial& trial : search.trials) report.path.push_back({trial.lambda, trial.score});
  if (search.trials[search.best].score.rows == 0) return;
  report.score = search.trials[search.best].score;
  report.validation = validation;
}

GramAndHeld gram_and_held(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                          const TargetCode& code, double fraction, bool any_rows) {
  const std::size_t D = stream.features();
  const GramFold::Products products =
      GramFold::products_for(stream.map().get(), stream.precision() == Precision::float64, any_rows);
  return stream.fold_saved(
      GramAndHeld{GramFold(D, feature_bound(stream), code, survey.largest_weight(), products, &stream.threads()),
                  HeldOut(D, stream.schema().targets, fraction, options.seed, survey.rows())},
      "gram");
}

LambdaSearch choose_on_held(const Stream& stream, const Survey& survey, GramAndHeld& sums, const RidgeOptions& options,
                            bool left_out) {
  const double memory = double(memory_limit(stream.execution()));
  const FitSize size = fit_size(stream, survey, sums.gram.code().columns(), false);
  const bool room =
      cholesky_memory(size, options, memory).total() + double(GramFold::bytes(stream.features())) <= memory;
  Checkpoint* const checkpoint = stream.execution().checkpoint;
  return stream.precision() == Precision::float32
             ? choose_lambda<float>(stream.workers(), sums, options, left_out, room, checkpoint)
             : choose_lambda<double>(stream.workers(), sums, options, left_out, room, checkpoint);
}

Fitted fit_ridge(const Stream& stream, const Survey& survey, const RidgeOptions& options, const Stream* validation,
                 std::optional<GramFold>* keep) {
  const std::size_t D = stream.features();
  const double n = double(survey.rows());
  check_lambdas(options.lambdas);
  require(survey.rows() > 0, "ridge: there are no rows");
  const bool choose = options.lambdas.size() != 1;
  const bool left_out = chooses_by_leave_one_out(options, n, double(D));
  const double fraction = validation ? 0 : left_out ? 1 : held_out_fraction(n);

  Clock clock;
  Fitted fitted;
  Report& report = fitted.report;
  const TargetCode code = target_code(stream.schema(), survey, options.intercept);
  GramAndHeld sums = gram_and_held(stream, survey, options, code, fraction, keep != nullptr);
  release_freed_memory();  // blocks of mapped rows
  report.seconds.emplace_back("gram", clock.lap());

  LambdaSearch search;
  if (validation)
    search = choose_on_stream(
        *validation, options,
        [&, equations = NormalEquations(sums.gram, options.intercept)](double lambda) {
          std::optional<Coefficients> head = equations.try_solve(lambda, stream.threads());
          if (head) head = decode(std::move(*head), code);
          return head;
        },
        code);
  else if (sums.held.rows() > 0)
    search = choose_on_held(stream, survey, sums, options, left_out);
  else
    search.trials.push_back({choose ? 1e-6 : options.lambdas[0], 0, {}});
  report.lambda = search.trials[search.best].lambda;
  report.seconds.emplace_back("lambda", clock.lap());

  const NormalEquations equations(sums.gram, options.intercept);
  const Cholesky factor = equations.factor(report.lambda, stream.threads());
  const Coefficients coded = equations.solve(factor), head = decode(coded, code);
  fitted.head = linear(head.weights, head.intercept);
  if (code.task == Task::regression) {
    const Evidence found = evidence(equations, factor, coded, report.lambda);
    report.log_marginal_likelihood = found.likelihood;
    if (options.deviation)
      fitted.deviation = posterior_deviation(equations, factor, found, report.lambda, stream.map(), stream.threads());
  }
  report.seconds.emplace_back("solve", clock.lap());

  describe_fit(report, stream, survey, "cholesky");
  describe_search(report, search, validation ? "validation file" : left_out ? "leave-one-out" : "held out");
  if (keep) *keep = std::move(sums.gram);
  return fitted;
}

}  // namespace bochner
