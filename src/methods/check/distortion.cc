// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Random projections: what becomes of the distances of rows.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/clock.h"
#include "base/require.h"
#include "bochner/bounds.h"
#include "maps/map_rows.h"
#include "maps/project.h"
#include "methods/check/subject.h"
#include "run/compute.h"
#include "run/host.h"

namespace bochner {

namespace {

// exact and estimate are squared distances of rows, before and after; of a projection for the norm 1 they are the
// distance |x - y|_2 and its read-out sqrt(pi / 2k) |f(x) - f(y)|_1, since E|N(0, s^2)| = s sqrt(2 / pi).
class ProjectionSubject final : public CheckSubject {
 public:
  ProjectionSubject(MapPtr map, const ProjectOptions& options, bool double_precision)
      : map_(std::move(map)), options_(options), double_(double_precision) {}

  std::string kernel() const override {
    return by_sizes() ? "distance by sqrt(pi / 2k) |f(x) - f(y)|_1" : "squared distance";
  }
  std::string map() const override { return map_->spec(); }
  std::size_t features() const override { return map_->outputs(); }
  bool projects() const override { return true; }
  bool unbiased() const override { return !by_sizes(); }
  std::vector<std::string> notes() const override {
    if (!by_sizes()) return {};
    return {
        "the read-out by the norm 1 is too small on average, the more so the fewer entries an output sums: raise the "
        "density, or divide by 1 + bias"};
  }

  void exact(MatrixView<const float> x, Threads& threads, MatrixView<double> K) const override {
    threads.run(x.rows, [&](std::size_t i, int) {
      for (std::size_t j = 0; j < x.rows; ++j) {
        K(i, j) = squared(x.row(i), x.row(j), x.cols);
        if (by_sizes()) K(i, j) = std::sqrt(K(i, j));
      }
    });
  }
  void estimate(MatrixView<const float> x, std::uint64_t draw, Threads& threads, MatrixView<double> G) const override {
    ProjectOptions other = options_;
    other.seed += draw;
    const MapPtr map = draw == 0 ? map_ : project(map_->inputs(), other);
    if (double_)
      distances<double>(*map, x, threads, G);
    else
      distances<float>(*map, x, threads, G);
  }
  // The variance of the ratio of both.
  bool variance(MatrixView<const float> x, Threads& threads, MatrixView<double> V) const override {
    if (by_sizes()) return false;
    threads.run(x.rows, [&](std::size_t i, int) {
      for (std::size_t j = 0; j < x.rows; ++j) {
        double two = 0, four = 0;
        for (std::size_t c = 0; c < x.cols; ++c) {
          const double delta = double(x(i, c)) - double(x(j, c));
          two += delta * delta;
          four += delta * delta * delta * delta;
        }
        V(i, j) = two > 0 ? projection_variance(x.cols, options_, four / (two * two)) : 0;
      }
    });
    return true;
  }
  // Entries whose moments are at most a Gaussian's have its moment generating function as a bound: a ratio is farther
  // from 1 than epsilon with probability at most 2 exp(-k (eps^2 / 2 - eps^3 / 3) / 2), epsilon below 1 (Achlioptas
  // 2003). Other kinds have Chebyshev's inequality, variance / epsilon^2. Pairs add up. An epsilon of 1 or more counts
  // as none.
  ErrorBounds bounds(MatrixView<const float> x, std::uint64_t pairs, double delta, Threads& threads) const override {
    if (by_sizes()) return {};
    if (has_light_tails())
      return {projection_epsilon_pointwise(options_.dims, delta),
              projection_epsilon_pointwise(options_.dims, delta / double(pairs)),
              {}};
    Matrix<double> V(x.rows, x.rows);
    variance(x, threads, V.view());
    double largest = 0, sum = 0;
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        largest = std::max(largest, V(i, j));
        sum += V(i, j);
      }
    const auto chebyshev = [&](double variances) {
      const double epsilon = std::sqrt(variances / delta);
      return epsilon < 1 ? epsilon : std::numeric_limits<double>::infinity();
    };
    return {chebyshev(largest), chebyshev(sum), {}};
  }

  std::optional<MapCheck::Distortion> distortion(MatrixView<const float> x) const override {
    MapCheck::Distortion found;
    found.map_bytes = map_->held_bytes();
    found.row_bytes = map_->outputs() * (double_ ? sizeof(double) : sizeof(float));
    const std::size_t rows = std::min<std::size_t>(x.rows, map_->rows_at_once());
    const Backend& on = host_backend();
    Matrix<float> z(rows, map_->outputs());
    const auto block = RowBlock<float>::dense(x.slice(0, rows));
    map_->apply(on, block, z.view());  // what is kept is drawn
    Clock clock;
    map_->apply(on, block, z.view());
    found.row_seconds = clock.lap() / double(rows);
    return found;
  }

 private:
  bool by_sizes() const { return options_.norm == 1; }
  bool has_light_tails() const {
    using Kind = ProjectOptions::Kind;
    const bool signs = options_.kind == Kind::sparse || options_.kind == Kind::verysparse;
    return options_.kind == Kind::gaussian || options_.kind == Kind::sign ||
           (signs && projection_density(map_->inputs(), options_) >= 1.0 / 3);
  }

  template <class T>
  static double squared(const T* a, const T* b, std::size_t n) {
    double sum = 0;
    for (std::size_t c = 0; c < n; ++c) sum += (double(a[c]) - double(b[c])) * (double(a[c]) - double(b[c]));
    return sum;
  }

  template <class T>
  static double sizes(const T* a, const T* b, std::size_t n) {
    double sum = 0;
    for (std::size_t c = 0; c < n; ++c) sum += std::fabs(double(a[c]) - double(b[c]));
    return std::sqrt(std::numbers::pi / (2 * double(n))) * sum;
  }

  template <class T>
  void distances(const Map& map, MatrixView<const float> x, Threads& threads, MatrixView<double> G) const {
    Matrix<T> rows(x.rows, x.cols), z(x.rows, map.outputs());
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, &rows(i, 0));
    map_rows(workers_on(threads), map, RowBlock<T>::dense(std::as_const(rows).view()), z.view());
    threads.run(x.rows, [&](std::size_t i, int) {
      for (std::size_t j = 0; j < x.rows; ++j)
        G(i, j) = by_sizes() ? sizes(&z(i, 0), &z(j, 0), z.cols()) : squared(&z(i, 0), &z(j, 0), z.cols());
    });
  }

  MapPtr map_;
  ProjectOptions options_;
  bool double_;
};

// G(i, j) = ratio of distances - 1, 0 where rows are equal; which pairs differ is in K.
void to_errors(const Matrix<double>& K, Matrix<double>& G) {
  for (std::size_t i = 0; i < K.rows(); ++i)
    for (std::size_t j = 0; j < K.rows(); ++j) G(i, j) = K(i, j) > 0 ? G(i, j) / K(i, j) - 1 : 0;
}

}  // namespace

std::unique_ptr<CheckSubject> ProjectMap::check_subject(const MapPtr& self, bool double_precision) const {
  return std::make_unique<ProjectionSubject>(self, options_, double_precision);
}

void check_distortion(const CheckSubject& subject, MatrixView<const float> x,
                      const std::function<std::uint64_t(std::size_t)>& row_number, Threads& threads, MapCheck& check) {
  const std::size_t n = x.rows;
  Matrix<double> K(n, n), V(n, n), G(n, n);
  subject.exact(x, threads, K.view());
  const bool has_variance = subject.variance(x, threads, V.view());
  std::vector<double> sizes, means;
  double expected = 0, squares_of_all = 0;
  for (std::size_t draw = 0; draw < check.draws; ++draw) {
    subject.estimate(x, draw, threads, G.view());
    to_errors(K, G);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (K(i, j) == 0) continue;
        const double error = G(i, j), size = std::fabs(error);
        sum += error;
        squares += error * error;
        if (draw > 0) continue;
        expected += V(i, j);
        sizes.push_back(size);
        if (size < check.worst_error) continue;
        check.worst_error = size;
        check.worst_pair = {row_number(j), row_number(i)};
        check.worst_kernel = K(i, j);
        check.worst_estimate = K(i, j) * (1 + error);
      }
    require(!sizes.empty(), "check: all rows of the sample are equal, expected some that differ");
    const double pairs = double(sizes.size());
    means.push_back(sum / pairs);
    squares_of_all += squares / pairs;
    if (draw > 0) continue;
    check.pairs = sizes.size();
    check.mean_error = sum / pairs;
    check.rms_error = std::sqrt(squares / pairs);
    if (has_variance) check.expected_variance = expected / pairs;
  }
  for (const double mean : means) check.bias = check.bias.value_or(0) + mean / double(means.size());
  check.variance = squares_of_all / double(means.size()) - (subject.unbiased() ? 0 : *check.bias * *check.bias);
  check.distortion = subject.distortion(x);
  double sum = 0;
  for (const double size : sizes) sum += size;
  check.distortion->mean = sum / double(sizes.size());
  const auto high = sizes.begin() + std::ptrdiff_t(0.99 * double(sizes.size() - 1) + 0.5);
  std::nth_element(sizes.begin(), high, sizes.end());
  check.distortion->high = *high;
  check.distortion->worst = check.worst_error;
}

}  // namespace bochner
