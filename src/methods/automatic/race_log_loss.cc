// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_log_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "methods/automatic/landmark_logistic.h"
#include "run/logged.h"

namespace bochner {

namespace {

constexpr std::size_t kMostClasses = 4;  // a step takes a factor for each
constexpr std::size_t kMostRows = 10000, kLandmarks = 200;
constexpr std::size_t kLeastOfClass = 50;  // rows held out: fewer tell too little of how sure it may be
constexpr double kPathOfLambdas[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
constexpr float kLeastRoom = 1e-6F;  // that a squeezed size leaves to its bound

using Kind = TwofoldColumn::Kind;

// Whether rows are points: columns of texts or dates have no sizes that a border could be drawn by.
bool are_points(std::span<const TwofoldColumn> columns) {
  return std::all_of(columns.begin(), columns.end(), [](const TwofoldColumn& c) {
    return c.kind == Kind::number || c.kind == Kind::two_values || c.kind == Kind::left_out;
  });
}

// (x - center) factor of each column that varies: the first output of each in x, which squeezes large numbers.
Matrix<float> sizes_of(MatrixView<const float> x, std::span<const TwofoldColumn> columns) {
  const std::vector<std::uint32_t> once = each_once(columns);
  std::vector<char> squeezed;
  for (const TwofoldColumn& c : columns)
    if (c.kind != Kind::left_out) squeezed.push_back(c.kind == Kind::number);
  Matrix<float> sizes(x.rows, once.size());
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < once.size(); ++j) {
      const float v = x(i, once[j]);
      sizes(i, j) = squeezed[j] ? v / std::sqrt(std::max(kLeastRoom, 1 - v / float(kClip) * (v / float(kClip)))) : v;
    }
  return sizes;
}

// The same sizes of rows as they are, times `scale`.
MapPtr scaled_sizes(std::span<const TwofoldColumn> columns, double scale) {
  std::vector<std::size_t> inputs;
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns[j].kind != Kind::left_out) inputs.push_back(j);
  Matrix<double> W(columns.size(), inputs.size());
  std::vector<double> constant(inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const TwofoldColumn& c = columns[inputs[k]];
    W(inputs[k], k) = scale * c.factor;
    constant[k] = -scale * c.factor * c.center;
  }
  return linear(std::move(W), std::move(constant));
}

// The machine on some rows, a Gaussian kernel of median width: landmarks are drawn among those not held out.
struct LogLossMachine {
  LogLossMachine(const Workers& on, const FlowRows& rows, const std::vector<char>& held,
                 std::span<const TwofoldColumn> columns, std::uint64_t seed)
      : u(sizes_of(rows.x, columns)) {
    scale = gaussian_of_median_distance(std::as_const(u).view(), seed).diagonal[0] / std::numbers::sqrt2;
    for (std::size_t i = 0; i < u.rows() * u.cols(); ++i) u.data()[i] *= float(scale);
    std::vector<std::uint32_t> learnt, landmarks;
    for (std::size_t i = 0; i < held.size(); ++i)
      if (!held[i] && (rows.weights.empty() || rows.weights[i] > 0)) learnt.push_back(std::uint32_t(i));
    for (const std::uint32_t j : draw_rows(learnt.size(), std::min(learnt.size(), kLandmarks), seed, 1000000))
      landmarks.push_back(learnt[j]);
    solver.emplace(on, MetricRows{std::as_const(u).view(), rows.y, rows.weights}, landmarks, held, 2.0);
  }

  Matrix<float> u;
  double scale = 1;
  std::optional<LandmarkLogistic> solver;
};

// Downhill from the greatest lambda; each begins where the one before has ended.
double choose_lambda(const LandmarkLogistic& solver, std::span<const std::uint32_t> held) {
  Matrix<double> at = solver.even_odds();
  double best = kPathOfLambdas[0], least = HUGE_VAL;
  for (const double lambda : kPathOfLambdas) {
    at = solver.fit(lambda, at);
    const double loss = solver.log_loss(solver.log_odds(at, held), held);
    if (!(loss < least)) break;
    least = loss;
    best = lambda;
  }
  return best;
}

// Rows held out of the class that has the fewest.
std::size_t fewest_held(const RaceRows& rows) {
  const MatrixView<const double> codes = rows.machine().rows.y;
  std::vector<std::size_t> counts(codes.cols + (codes.cols == 1 ? 1 : 0));
  for (const std::uint32_t row : rows.held())
    for (std::size_t k = 0; k < counts.size(); ++k)
      counts[k] += k < codes.cols ? codes(row, k) > 0 : !(codes(row, 0) > 0);
  return *std::min_element(counts.begin(), counts.end());
}

// Log-odds times this are nearest to the codes of the rows held out.
double slope_to_codes(const RaceRows& rows, const Matrix<double>& held) {
  const MatrixView<const double> codes = rows.machine().rows.y;
  double product = 0, square = 0;
  for (std::size_t p = 0; p < held.rows(); ++p)
    for (std::size_t k = 0; k < held.cols(); ++k) {
      product += held(p, k) * codes.row(rows.held()[p])[k];
      square += held(p, k) * held(p, k);
    }
  return square > 0 && product > 0 ? product / square : 1;
}

}  // namespace

std::vector<Candidate> race_log_loss(const Workers& on, const RaceRows& rows, std::span<const TwofoldColumn> columns,
                                     std::uint64_t seed, const MachineTalk& talk) {
  const FlowRows& all = rows.machine().refit_rows();
  if (rows.outputs() > kMostClasses || all.x.rows > kMostRows || !are_points(columns) ||
      fewest_held(rows) < kLeastOfClass)
    return {};
  const auto find = [&] {
    std::vector<double> found = {0};
    for (std::size_t f = 0; f < rows.folds(); ++f) {
      const RaceFold& fold = rows.fold(f);
      const LogLossMachine machine(on, fold.machine.rows, fold.machine.held, columns, seed);
      if (f == 0) found[0] = choose_lambda(*machine.solver, fold.held);
      const Matrix<double> at = machine.solver->fit(found[0], machine.solver->even_odds());
      const Matrix<double> held = machine.solver->log_odds(at, fold.held);
      found.insert(found.end(), held.data(), held.data() + held.rows() * held.cols());
    }
    return found;
  };
  Candidate c;
  c.held = Matrix<double>(rows.held().size(), rows.outputs());
  const std::size_t size = c.held.rows() * c.held.cols();
  const std::vector<double> found = logged(talk.checkpoint, "landmarks by log-loss", 1 + size, find);
  const double lambda = found[0];
  std::copy_n(found.begin() + 1, size, c.held.data());
  const double slope = slope_to_codes(rows, c.held);
  for (std::size_t i = 0; i < size; ++i) c.held.data()[i] *= slope;
  c.error = rows.error(c.held);
  c.name = fmt::format("landmarks by log-loss (lambda {:.0e})", lambda);
  c.refit = [&on, &rows, columns, seed, lambda, slope] {
    const FlowRows& refit = rows.machine().refit_rows();
    const LogLossMachine machine(on, refit, std::vector<char>(refit.x.rows, 0), columns, seed);
    const Matrix<double> at = machine.solver->fit(lambda, machine.solver->even_odds());
    return chain({scaled_sizes(columns, machine.scale), machine.solver->map(at, slope)});
  };
  return {std::move(c)};
}

}  // namespace bochner
