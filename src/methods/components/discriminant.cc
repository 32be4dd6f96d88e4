// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/components/discriminant.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "learn/ridge/held_search.h"
#include "run/memory_plan.h"
#include "solve/dense.h"
#include "solve/tall.h"

namespace bochner {

namespace {

constexpr double kNothing = 1e-10;  // values below this share of the largest eigenvalue are rounding

struct Summed {
  GramAndHeld sums;
  LambdaSearch search;
  bool left_out = false;
  double lambda() const { return search.trials[search.best].lambda; }
};

// The sums of least squares on the targets, and the penalty that predicts them best.
Summed summed(const Stream& stream, const Survey& survey, const RidgeOptions& options) {
  for (const double lambda : options.lambdas)
    require(lambda >= 0 && std::isfinite(lambda), "lambda: found {}, expected 0 or more", lambda);
  const double n = double(survey.rows());
  const bool choose = options.lambdas.size() != 1;
  const bool left_out = choose && chooses_by_leave_one_out(options, n, double(stream.features()));
  const TargetCode code = target_code(stream.schema(), survey, true);
  Summed found{gram_and_held(stream, survey, options, code,
                             !choose    ? 0
                             : left_out ? 1
                                        : held_out_fraction(n)),
               {},
               left_out};
  if (found.sums.held.rows() > 0)
    found.search = choose_on_held(stream, survey, found.sums, options, left_out);
  else
    found.search.trials.push_back({choose ? 1e-6 : options.lambdas[0], 0, {}});
  return found;
}

// (T + lambda n I)^-1 m. Where lambda is too small for the rounding of T a larger one is taken.
Matrix<double> solved(const NormalEquations& equations, double& lambda, const Matrix<double>& m, Threads& threads) {
  for (;; lambda = std::max(10 * lambda, 1e-12)) {
    const Cholesky factor = equations.try_factor(lambda, threads);
    if (factor.failed_column() && lambda < 1e6) continue;
    Matrix<double> x = m;
    factor.solve(x.view(), threads);
    return x;
  }
}

// How many of the values, descending, are more than rounding.
std::size_t kept(const std::vector<double>& values, std::size_t most) {
  std::size_t count = 0;
  while (count < std::min(values.size(), most) && values[count] > kNothing * std::max(values[0], 1e-300) &&
         values[count] > 1e-14)
    ++count;
  return count;
}

// Signs are arbitrary: the largest entry of each column is positive.
void settle_signs(Matrix<double>& v, std::vector<double>& sign) {
  sign.assign(v.cols(), 1);
  for (std::size_t k = 0; k < v.cols(); ++k) {
    std::size_t most = 0;
    for (std::size_t j = 1; j < v.rows(); ++j)
      if (std::abs(v(j, k)) > std::abs(v(most, k)) * (1 + 1e-6)) most = j;
    if (v(most, k) >= 0) continue;
    sign[k] = -1;
    for (std::size_t j = 0; j < v.rows(); ++j) v(j, k) = -v(j, k);
  }
}

Matrix<double> first_columns(const Matrix<double>& a, std::size_t count) {
  Matrix<double> some(a.rows(), count);
  for (std::size_t i = 0; i < a.rows(); ++i) std::copy_n(&a(i, 0), count, &some(i, 0));
  return some;
}

// Means less that of all, of classes x features, from sums of the code -1 and +1.
Matrix<double> class_means(const GramFold& sums, const NormalEquations& equations, std::size_t classes,
                           std::vector<double>& shares) {
  const std::size_t D = sums.features(), columns = sums.code().columns();
  const Matrix<double> r = sums.moment();
  const double n = equations.weight;
  Matrix<double> means(classes, D);
  shares.assign(classes, 0);
  for (std::size_t c = 0; c < classes; ++c) {
    const bool rest = classes == 2 && c == 0;  // two classes have one column, that of the second
    const std::size_t column = classes == 2 ? 0 : c;
    const double sign = rest ? -1 : 1;
    const double weight = 0.5 * (n + sign * sums.target_sum(column, columns));
    shares[c] = std::max(weight / n, 0.0);
    for (std::size_t j = 0; j < D && shares[c] > 1e-12; ++j)
      means(c, j) = 0.5 * (r(j, columns) + sign * r(j, column)) / weight - equations.feature_mean[j];
  }
  return means;
}

}  // namespace

Discriminant discriminant(const Stream& stream, const Survey& survey, const RidgeOptions& options) {
  Summed found = summed(stream, survey, options);
  Threads& threads = stream.threads();
  const NormalEquations equations(found.sums.gram, true);
  const std::size_t D = stream.features(), classes = stream.schema().labels.size();
  Discriminant result;
  result.lambda = found.lambda();
  result.left_out = found.left_out;
  result.mean = equations.feature_mean;
  const Matrix<double> means = class_means(found.sums.gram, equations, classes, result.shares);
  // T = S_w + S_b is the scatter of all rows and S_b = M M^T. An eigenvector u of M^T (T + lambda n I)^-1 M with the
  // value t gives the direction v = (T + lambda n I)^-1 M u, whose ratio is t / (1 - t).
  Matrix<double> m(D, classes);
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t j = 0; j < D; ++j) m(j, c) = std::sqrt(result.shares[c] * equations.weight) * means(c, j);
  const Matrix<double> x = solved(equations, result.lambda, m, threads);
  Matrix<double> small = cross(m, x, threads);
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = 0; j < i; ++j) small(i, j) = small(j, i) = 0.5 * (small(i, j) + small(j, i));
  const Eigen eigen = largest_eigen(std::move(small), std::min(D, classes - 1));
  const std::size_t r = std::max<std::size_t>(1, kept(eigen.values, std::min(D, classes - 1)));
  result.vectors = combine(x, first_columns(eigen.vectors, r), threads);
  for (std::size_t k = 0; k < r; ++k) {
    const double t = std::clamp(eigen.values[k], 0.0, 1.0);
    const double within = std::max(t * (1 - t), 1e-15) / equations.weight;  // v^T (S_w / n + lambda I) v
    result.strengths.push_back(t / std::max(1 - t, 1e-15));
    for (std::size_t j = 0; j < D; ++j) result.vectors(j, k) /= std::sqrt(within);
  }
  std::vector<double> sign;
  settle_signs(result.vectors, sign);
  result.centres = Matrix<double>(classes, r);
  multiply(1, means.view(), std::as_const(result.vectors).view(), 0, result.centres.view());
  result.search = std::move(found.search);
  return result;
}

Canonical canonical(const Stream& stream, const Survey& survey, const RidgeOptions& options, std::size_t most) {
  Summed found = summed(stream, survey, options);
  Threads& threads = stream.threads();
  const GramFold& gram = found.sums.gram;
  const NormalEquations equations(gram, true);
  const std::size_t D = stream.features(), t = gram.code().columns();
  const double n = equations.weight;
  Canonical result;
  result.lambda = found.lambda();
  result.left_out = found.left_out;
  result.mean = equations.feature_mean;
  // C_yy = U diag(s) U^T; whitened targets have the coordinates U diag(1 / sqrt s), without directions that never vary.
  Matrix<double> targets(t, t);
  for (std::size_t a = 0; a < t; ++a)
    for (std::size_t b = 0; b < t; ++b)
      targets(a, b) = gram.target_sum(a, b) / n - equations.target_mean[a] * equations.target_mean[b];
  const Eigen own = largest_eigen(std::move(targets), t);
  const std::size_t rank = kept(own.values, t);
  if (rank == 0) fail(Error::Kind::data, "cca: no target varies, expected at least one that does");
  Matrix<double> white = first_columns(own.vectors, rank);
  for (std::size_t a = 0; a < t; ++a)
    for (std::size_t k = 0; k < rank; ++k) white(a, k) /= std::sqrt(own.values[k]);
  Matrix<double> m(D, rank);  // C_xy U diag(1 / sqrt s) sqrt n
  multiply(1 / std::sqrt(n), equations.moment.view(), std::as_const(white).view(), 0, m.view());
  const Matrix<double> x = solved(equations, result.lambda, m, threads);
  Matrix<double> small = cross(m, x, threads);
  for (std::size_t i = 0; i < rank; ++i)
    for (std::size_t j = 0; j < i; ++j) small(i, j) = small(j, i) = 0.5 * (small(i, j) + small(j, i));
  const Eigen eigen = largest_eigen(std::move(small), std::min({rank, D, most}));
  const std::size_t r = std::max<std::size_t>(1, kept(eigen.values, eigen.values.size()));
  const Matrix<double> u = first_columns(eigen.vectors, r);
  result.vectors = combine(x, u, threads);
  result.targets = Matrix<double>(t, r);
  multiply(1, std::as_const(white).view(), u.view(), 0, result.targets.view());
  for (std::size_t k = 0; k < r; ++k) {
    const double rho = std::sqrt(std::clamp(eigen.values[k], 1e-30, 1.0));
    double size = 0;
    for (std::size_t j = 0; j < D; ++j) {
      double& v = result.vectors(j, k);
      v *= std::sqrt(n) / rho;
      size += v * v;
    }
    // The strength is the correlation of the rows' coordinates, whose variance is 1 - lambda |a|^2: the penalty shrinks
    // rho.
    result.strengths.push_back(std::min(rho / std::sqrt(std::max(1 - result.lambda * size, 1e-15)), 1.0));
  }
  std::vector<double> sign;
  settle_signs(result.vectors, sign);
  for (std::size_t a = 0; a < t; ++a)
    for (std::size_t k = 0; k < r; ++k)
      result.targets(a, k) *= sign[k] / (gram.code().task == Task::regression ? gram.code().unit[a] : 1);
  result.target_mean = equations.target_mean;
  for (std::size_t a = 0; a < t && gram.code().task == Task::regression; ++a)
    result.target_mean[a] = result.target_mean[a] * gram.code().unit[a] + gram.code().center[a];
  result.search = std::move(found.search);
  return result;
}

}  // namespace bochner
