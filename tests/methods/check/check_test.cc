// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/backend.h"
#include "bochner/binning.h"
#include "bochner/nystroem.h"
#include "maps/lower_factor.h"
#include "methods/automatic/radial.h"
#include "methods/check/subject.h"
#include "random/draw.h"

namespace bochner {
namespace {

const std::string kData = BOCHNER_TEST_DATA;

Matrix<float> normals(std::size_t n, std::size_t d, double scale = 1) {
  Matrix<float> x(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = float(scale * normal(4, Draw::candidate, i, j));
  return x;
}

double dot(const Matrix<float>& z, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t j = 0; j < z.cols(); ++j) sum += double(z(a, j)) * double(z(b, j));
  return sum;
}

// Every figure of a small check against its definition.
TEST(Check, IsItsDefinitionForFourier) {
  const std::size_t n = 40, d = 3;
  const Matrix<float> x = normals(n, d);
  const Kernel kernel = gaussian(1.5);
  const MapPtr map = fourier(d, {.kernel = kernel, .features = 64, .seed = 8});
  const MapCheck found = check(map, x.view(), {.draws = 4});

  std::vector<Matrix<float>> z;
  for (std::uint64_t draw = 0; draw < 4; ++draw) {
    const MapPtr other = fourier(d, {.kernel = kernel, .features = 64, .seed = 8 + draw});
    RowBlock<float> block;
    block.rows = n;
    block.cols = block.stride = d;
    block.values = x.data();
    z.emplace_back(n, 64);
    other->apply(cpu_backend(), block, z.back().view());
  }
  double mean = 0, squares = 0, worst = 0, bias = 0, variance = 0, expected = 0, missing = 0;
  const double pairs = double(n * (n - 1)) / 2;
  for (std::size_t i = 0; i < n; ++i) {
    missing += 1 - dot(z[0], i, i);
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<double> a(d), b(d), a2(d), b2(d);
      for (std::size_t c = 0; c < d; ++c) a[c] = x(i, c), b[c] = x(j, c), a2[c] = 2 * a[c], b2[c] = 2 * b[c];
      const double k = kernel_value(kernel, a, b), k2 = kernel_value(kernel, a2, b2);
      double errors[4], over_draws = 0;
      for (int draw = 0; draw < 4; ++draw) over_draws += (errors[draw] = dot(z[draw], i, j) - k) / 4;
      mean += errors[0] / pairs;
      squares += errors[0] * errors[0] / pairs;
      worst = std::max(worst, std::fabs(errors[0]));
      bias += over_draws / pairs;
      for (const double e : errors) variance += (e - over_draws) * (e - over_draws) / 3 / pairs;
      expected += 0.5 * (1 + k2 - 2 * k * k) / 32 / pairs;
    }
  }
  EXPECT_EQ(found.rows, n);
  EXPECT_EQ(double(found.pairs), pairs);
  EXPECT_NEAR(found.mean_error, mean, 1e-9);
  EXPECT_NEAR(found.rms_error, std::sqrt(squares), 1e-9);
  EXPECT_NEAR(found.worst_error, worst, 1e-9);
  EXPECT_NEAR(*found.bias, bias, 1e-9);
  EXPECT_NEAR(*found.variance, variance, 1e-9);
  EXPECT_NEAR(*found.expected_variance, expected, 1e-12);
  EXPECT_NEAR(found.trace_error, missing / double(n), 1e-9);
  std::uint64_t in_bands = 0;
  for (const MapCheck::Band& band : found.bands) in_bands += band.pairs;
  EXPECT_EQ(in_bands, found.pairs);
}

// The norms where they are known: one feature that is 0 leaves E = -K.
TEST(Check, SpectralErrorsAreNorms) {
  const Matrix<float> x = normals(30, 2);
  Matrix<double> far(1, 2);
  far(0, 0) = far(0, 1) = 1e4;
  const MapCheck found = check(nystroem_at(far.view(), gaussian(1)), x.view(), {.lambda = 1e-2});
  EXPECT_NEAR(found.spectral_error, 1, 1e-9);
  EXPECT_NEAR(found.trace_error, 1, 1e-9);
  // lambda_max / (lambda_max + lambda n), lambda_max of K between 1 and n.
  EXPECT_GT(found.ridge_error, 1 / (1 + 0.3));
  EXPECT_LT(found.ridge_error, 30 / 30.3);
}

TEST(Check, FindsRandomMapsUnbiasedAndOfTheirVariance) {
  const Matrix<float> x = normals(60, 3);
  for (const Kernel& kernel : {gaussian(1.5), laplacian(4), cauchy(2), matern(2.5, 1.5), matern(0.8, 2)})
    for (const auto form : {FourierOptions::Form::cossin, FourierOptions::Form::shifted}) {
      const MapPtr map = fourier(3, {.kernel = kernel, .features = 100, .form = form, .seed = 3});
      const MapCheck found = check(map, x.view(), {.draws = 400});
      EXPECT_LT(std::fabs(*found.bias), 5 * *found.bias_deviation) << map->spec();
      EXPECT_NEAR(*found.variance / *found.expected_variance, 1, 0.12) << map->spec();
      ASSERT_GE(found.bounds.size(), 2u);
      EXPECT_LT(found.worst_error, found.bounds[1].epsilon) << map->spec();  // bound over these pairs
    }
  Threads threads(2);
  for (const char* law : {"laplacian", "reciprocal", "hat"}) {
    BinningOptions options;
    options.law = parse_pitch_law(law);
    options.length_scales = {2, 3, 4};
    options.grids = 80;
    const auto grids = check_grids(3, options);
    const MapCheck found = check_subject_on(
        *grids, x.view(), [](std::size_t i) { return i; }, {.draws = 400}, threads);
    EXPECT_LT(std::fabs(*found.bias), 5 * *found.bias_deviation) << law;
    EXPECT_NEAR(*found.variance / *found.expected_variance, 1, 0.12) << law;
    EXPECT_LT(found.worst_error, found.bounds[1].epsilon) << law;
  }
}

// A map of the wrong bandwidth is what a check is for.
TEST(Check, SeesAWrongKernel) {
  const Matrix<float> x = normals(80, 3);
  class Wrong final : public CheckSubject {
   public:
    explicit Wrong(std::unique_ptr<CheckSubject> right, std::unique_ptr<CheckSubject> wrong)
        : right_(std::move(right)), wrong_(std::move(wrong)) {}
    std::string kernel() const override { return right_->kernel(); }
    std::string map() const override { return wrong_->map(); }
    std::size_t features() const override { return wrong_->features(); }
    void exact(MatrixView<const float> x, Threads& t, MatrixView<double> K) const override { right_->exact(x, t, K); }
    void estimate(MatrixView<const float> x, std::uint64_t draw, Threads& t, MatrixView<double> G) const override {
      wrong_->estimate(x, draw, t, G);
    }
    ErrorBounds bounds(MatrixView<const float>, std::uint64_t, double, Threads&) const override { return {}; }

   private:
    std::unique_ptr<CheckSubject> right_, wrong_;
  };
  const auto subject = [&](double sigma) {
    return check_subject(fourier(3, {.kernel = gaussian(sigma), .features = 400, .seed = 1}));
  };
  Threads threads(1);
  const MapCheck found = check_subject_on(
      Wrong(subject(1.5), subject(1.7)), x.view(), [](std::size_t i) { return i; }, {.draws = 10}, threads);
  EXPECT_GT(std::fabs(*found.bias), 10 * *found.bias_deviation);
}

TEST(Check, NystroemErrorsAreOneSidedAndWithinTheResidual) {
  const Matrix<float> x = normals(150, 3);
  Matrix<double> sample(150, 3);
  std::copy_n(x.data(), 450, sample.data());
  const MapPtr map = nystroem(sample.view(), {.kernel = gaussian(2), .landmarks = 20, .seed = 1});
  const MapCheck found = check(map, x.view());
  EXPECT_TRUE(found.one_sided);
  EXPECT_EQ(found.draws, 1u);
  EXPECT_FALSE(found.variance);
  EXPECT_GT(found.trace_error, 0);
  ASSERT_EQ(found.bounds.size(), 1u);
  EXPECT_LE(found.worst_error, found.bounds[0].epsilon + 1e-6);
  EXPECT_LT(found.ridge_error, 1 + 1e-6);  // 0 <= K - Z Z^T <= K
}

// exp(-|W'(x - y)|^q) against what its landmarks say of it: k_m(x)' K_mm^-1 k_m(y).
TEST(Check, OfAKernelInAMetric) {
  const std::size_t n = 40, m = 25;
  const double q = 1.3;
  const Matrix<float> x = normals(n, 3);
  Matrix<double> W(3, 2);
  for (std::size_t j = 0; j < 3; ++j) W(j, 0) = 0.3 * double(j + 1), W(j, 1) = j == 1 ? -0.8 : 0.2;
  const MapPtr project = linear(W, {});
  const Matrix<float> u = mapped<float>(*project, x.view());
  Matrix<float> landmarks(m, 2);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < 2; ++j) landmarks(i, j) = u(i, j) + (i == 0 ? 0.5f : 0.0f);
  const MapPtr machine = radial_machine(landmarks, q, Matrix<double>(m, 1), {0});
  const MapCheck found = check(chain({project, machine}), x.view());

  const auto k = [&](const Matrix<float>& a, std::size_t i, const Matrix<float>& b, std::size_t j) {
    return std::exp(-std::pow(std::hypot(double(a(i, 0)) - b(j, 0), double(a(i, 1)) - b(j, 1)), q));
  };
  Matrix<double> lower(m, m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) lower(i, j) = k(landmarks, i, landmarks, j);
  ASSERT_EQ(factor_lower_in_place(lower.view()), 0u);
  const Matrix<double> inverse = inverse_lower(std::as_const(lower).view());
  Matrix<double> z(n, m);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b <= a; ++b) z(i, a) += inverse(a, b) * k(u, i, landmarks, b);
  double mean = 0, worst = 0, missing = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double error = -k(u, i, u, j);
      for (std::size_t a = 0; a < m; ++a) error += z(i, a) * z(j, a);
      if (j == i) missing -= error / double(n);
      if (j < i) mean += error / (double(n * (n - 1)) / 2), worst = std::max(worst, std::fabs(error));
    }
  EXPECT_EQ(found.kernel, "stable:p=2,q=1.3");
  EXPECT_TRUE(found.one_sided);
  EXPECT_GT(worst, 1e-3);
  EXPECT_NEAR(found.mean_error, mean, 1e-5);
  EXPECT_NEAR(found.worst_error, worst, 1e-5);
  EXPECT_NEAR(found.trace_error, missing, 1e-5);
}

// A blend holds the kernels of its machines, by their weights; trees have none, and that is said.
TEST(Check, OfABlendIsOfTheKernelsInIt) {
  const Matrix<float> x = normals(60, 2);
  Matrix<double> inputs(60, 2);
  std::copy_n(x.data(), 120, inputs.data());
  Schema schema;
  schema.inputs = 2;
  schema.targets = 1;
  Matrix<float> landmarks(20, 2);
  std::copy_n(x.data(), 40, landmarks.data());
  const auto machine = [&](double q) { return radial_machine(landmarks, q, Matrix<double>(20, 1), {0}); };
  const MapPtr once = linear(Matrix<double>(1, 1), {});
  Report report;
  report.part_weights = {0.75, 0.25, 0.5};
  const Model blend(schema, {},
                    sum({chain({sum({machine(1), linear(Matrix<double>(2, 1), {})}), once}),
                         chain({sum({machine(1.5), machine(0.5)}), once}), linear(Matrix<double>(2, 1), {})}),
                    report);
  const auto rows = memory_rows<double>(inputs.view(), {}, schema);
  const MapCheck found = check(*rows, blend, {.sample = 60});
  EXPECT_EQ(found.kernel, "0.75 * stable:p=2,q=1 + 0.125 * stable:p=2,q=1.5 + 0.125 * stable:p=2,q=0.5");
  EXPECT_EQ(found.notes.size(), 2u);
  const auto worst = [&](double q) { return check(machine(q), x.view(), {.sample = 60}).rms_error; };
  EXPECT_LT(found.rms_error, std::max({worst(1), worst(1.5), worst(0.5)}));
  EXPECT_GT(found.rms_error, 0);

  const MapCheck alone =
      check(*rows, Model(schema, {}, chain({linear(Matrix<double>(2, 2), {}), machine(1), once}), {}), {.sample = 60});
  EXPECT_EQ(alone.kernel, "stable:p=2,q=1");
}

TEST(Check, IsTheSameForAnyThreadCount) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  for (const char* map : {"fourier", "nystroem", "binning:law=hat", "fourier+binning:bandwidth=auto"}) {
    const auto text = [&](int threads) {
      return check(*rows, {.map = parse_map_options(map), .features = 40, .execution = {.threads = threads}},
                   {.sample = 200, .draws = 3})
          .text();
    };
    const std::string one = text(1);
    EXPECT_NE(one.find("spectral"), one.npos);
    for (const int threads : {2, 3, 7}) EXPECT_EQ(text(threads), one) << map;
  }
}

TEST(Check, OfAModelUsesItsOwnMapAndScaling) {
  for (const char* map : {"fourier", "nystroem", "binning:law=hat"}) {
    const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
    // Grids see raw units, the others scaled ones.
    const bool grids = std::string(map).starts_with("binning");
    const Model model = train(*rows, {.bandwidth = grids ? 1e6 : 5, .map = parse_map_options(map), .features = 60});
    const auto fresh = open_rows(kData + "/cpu-new.csv", model.schema());
    const MapCheck found = check(*fresh, model, {.sample = 150});
    EXPECT_LT(found.rms_error, 0.2) << map;
    EXPECT_GT(found.rms_error, 0) << map;
    EXPECT_EQ(found.lambda, model.report().lambda) << map;
  }
}

TEST(Check, RefusesWhatHasNoKernel) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  EXPECT_THROW(check(*rows, TrainOptions{.map = NoMap{}}), std::invalid_argument);
  const Model linear = train(*rows, {.map = NoMap{}});
  EXPECT_THROW(check(*rows, linear), std::invalid_argument);
  EXPECT_THROW(check(scaling({{}, {}}), normals(5, 2).view()), std::invalid_argument);
  const MapPtr map = fourier(2, {.features = 4});
  EXPECT_THROW(check(map, normals(1, 2).view()), std::invalid_argument);
  EXPECT_THROW(check(map, normals(5, 3).view()), std::invalid_argument);
  EXPECT_THROW(check(map, normals(5, 2).view(), {.draws = 0}), std::invalid_argument);
  EXPECT_THROW(check(map, normals(5, 2).view(), {.lambda = 0.0}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
