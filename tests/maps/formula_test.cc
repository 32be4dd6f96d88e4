// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/formula/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/archive.h"
#include "bochner/check.h"
#include "bochner/map_kind.h"
#include "bochner/train.h"
#include "bochner/transform.h"
#include "maps/formula/product.h"
#include "maps/load.h"

namespace bochner {
namespace {

constexpr std::size_t kPairs = 20, kDraws = 600;

struct Case {
  const Formula* formula;
  std::vector<double> numbers;
  std::size_t inputs, features;
  bool positive;  // rows of histograms
};

const std::vector<Case>& random_cases() {
  static const std::vector<Case> cases = {{&kPolynomial, {1, 0.5, 1}, 5, 16, false},
                                          {&kPolynomial, {2, 1, 0.5}, 4, 8, false},
                                          {&kPolynomial, {3, 0.3, 0.4}, 4, 32, false},
                                          {&kArcCosine, {0}, 6, 32, false},
                                          {&kArcCosine, {1}, 6, 32, false},
                                          {&kSkewedChiSquared, {0.3}, 4, 32, true},
                                          {&kMinMax, {}, 6, 32, true},
                                          {&kPeriodic, {2.5, 0.8}, 3, 32, false},
                                          {&kPeriodic, {24, 3}, 2, 16, false},
                                          {&kVonMises, {2, 1.5}, 2, 32, false},
                                          {&kPolynomialSigns, {2, 0.5, 0.5}, 3, 32, false},
                                          {&kExponential, {0.1}, 3, 64, false},
                                          {&kHamming, {1}, 5, 32, true},
                                          {&kHamming, {3}, 5, 32, true},
                                          {&kGreatCircle, {1, 2}, 2, 32, false},
                                          {&kGreatCircle, {0.4, 0.3}, 4, 32, false}};
  return cases;
}

// Rows 2 i and 2 i + 1 are a pair, more or less near.
Matrix<double> pairs_of(const Case& of) {
  std::mt19937_64 draw(7);
  std::normal_distribution<double> normal;
  Matrix<double> x(2 * kPairs, of.inputs);
  for (std::size_t i = 0; i < kPairs; ++i)
    for (std::size_t j = 0; j < of.inputs; ++j) {
      const double a = normal(draw), b = a + 0.08 * double(i) * normal(draw);
      x(2 * i, j) = of.positive ? std::max(0.0, a * a - 0.1) : a;
      x(2 * i + 1, j) = of.positive ? std::max(0.0, b * b - 0.1) : b;
      if (of.formula == &kGreatCircle) x(2 * i, j) *= 40, x(2 * i + 1, j) *= 40;  // degrees
      if (of.formula == &kHamming) x(2 * i, j) = std::round(x(2 * i, j)), x(2 * i + 1, j) = std::round(x(2 * i + 1, j));
    }
  return x;
}

Numbers row_of(const Matrix<double>& x, std::size_t i) { return {&x(i, 0), x.cols()}; }

MapPtr map_of(const Case& of, std::uint64_t seed) {
  return std::make_shared<FormulaMap>(*of.formula, FormulaOptions{of.inputs, of.features, seed, of.numbers});
}

double product(const Matrix<double>& z, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t f = 0; f < z.cols(); ++f) sum += z(a, f) * z(b, f);
  return sum;
}

// Means and variances over draws within five of their standard errors, those by the sample's own fourth moments.
TEST(Formula, MeanAndVarianceOverDrawsAreTheory) {
  for (const Case& of : random_cases()) {
    const Matrix<double> x = pairs_of(of);
    Matrix<double> products(kPairs, kDraws);
    for (std::size_t s = 0; s < kDraws; ++s) {
      const Matrix<double> z = transform<double>(map_of(of, s), x.view());
      for (std::size_t i = 0; i < kPairs; ++i) products(i, s) = product(z, 2 * i, 2 * i + 1);
    }
    for (std::size_t i = 0; i < kPairs; ++i) {
      const FormulaOptions options{of.inputs, of.features, 0, of.numbers};
      const double kernel = of.formula->kernel(options, row_of(x, 2 * i), row_of(x, 2 * i + 1));
      const double expected = of.formula->variance(options, row_of(x, 2 * i), row_of(x, 2 * i + 1));
      double mean = 0, second = 0, fourth = 0;
      for (std::size_t s = 0; s < kDraws; ++s) mean += products(i, s) / kDraws;
      for (std::size_t s = 0; s < kDraws; ++s) {
        const double d = (products(i, s) - kernel) * (products(i, s) - kernel);
        second += d / kDraws;
        fourth += d * d / kDraws;
      }
      const double n = kDraws, tiny = 1e-12 * (1 + kernel * kernel);
      EXPECT_NEAR(mean, kernel, 5 * std::sqrt(expected / n) + 1e-9 * (1 + std::fabs(kernel)))
          << of.formula->name << " pair " << i;
      EXPECT_NEAR(second, expected, 5 * std::sqrt(std::max(fourth - second * second, 0.0) / n) + tiny)
          << of.formula->name << " pair " << i;
    }
  }
}

TEST(Formula, KernelsHaveKnownValues) {
  const std::vector<double> x = {1, 0, 3}, y = {1, 2, 1};
  EXPECT_DOUBLE_EQ(kPolynomial.kernel({3, 1, 0, {2, 1, 0.5}}, x, y), 9);
  EXPECT_NEAR(kArcCosine.kernel({3, 1, 0, {0}}, x, x), 1, 1e-7);
  EXPECT_NEAR(kArcCosine.kernel({3, 1, 0, {1}}, x, x), 10, 1e-7);
  const std::vector<double> e1 = {1, 0, 0}, e2 = {0, 1, 0};
  EXPECT_NEAR(kArcCosine.kernel({3, 1, 0, {0}}, e1, e2), 0.5, 1e-15);
  EXPECT_NEAR(kArcCosine.kernel({3, 1, 0, {1}}, e1, e2), 1 / 3.14159265358979, 1e-12);
  EXPECT_DOUBLE_EQ(kChiSquared.kernel({3, 3, 0, {2, 0}}, x, y), 1 + 2 * 3.0 / 4);
  EXPECT_DOUBLE_EQ(kIntersection.kernel({3, 3, 0, {2, 0}}, x, y), 2);
  EXPECT_NEAR(kJensenShannon.kernel({3, 3, 0, {2, 0}}, x, x), 4, 1e-12);
  EXPECT_DOUBLE_EQ(kMinMax.kernel({3, 1, 0, {}}, x, y), 2.0 / 6);
  EXPECT_NEAR(kSkewedChiSquared.kernel({3, 1, 0, {1}}, x, y), 1 * (2 * std::sqrt(3.0) / 4) * (2 * std::sqrt(8.0) / 6),
              1e-12);
  EXPECT_NEAR(kPeriodic.kernel({3, 2, 0, {1, 1}}, x, y), 1, 1e-12);  // differences are whole periods
  EXPECT_NEAR(kVonMises.kernel({3, 2, 0, {4, 0.5}}, x, y), std::exp(-2.0), 1e-12);
  EXPECT_NEAR(kExponential.kernel({3, 2, 0, {0.5}}, x, y), std::exp(2.0), 1e-12);
  EXPECT_DOUBLE_EQ(kHamming.kernel({3, 1, 0, {2}}, x, y), 1.0 / 9);
  EXPECT_DOUBLE_EQ(kLinear.kernel({3, 3, 0, {}}, x, y), 4);
  // Paris to New York: 5,837 km on a sphere.
  const std::vector<double> paris = {48.8566, 2.3522}, york = {40.7128, -74.0060}, same = {48.8566, 362.3522};
  EXPECT_NEAR(-1000 * std::log(kGreatCircle.kernel({2, 1, 0, {1000, 6371}}, paris, york)), 5837, 1);
  EXPECT_NEAR(kGreatCircle.kernel({2, 1, 0, {1000, 6371}}, paris, same), 1, 1e-12);
}

// Histograms are not random: more steps come nearer, about as the authors say.
TEST(Formula, SampledSignaturesComeNearTheirKernels) {
  const Case like{&kChiSquared, {}, 8, 0, true};
  const Matrix<double> x = pairs_of(like);
  const auto worst = [&](const Formula& formula, double steps, double interval) {
    FormulaOptions options{8, 0, 0, {steps, interval}};
    options.features = formula.features(options, 0);
    const Matrix<double> z = transform<double>(std::make_shared<FormulaMap>(formula, options), x.view());
    double most = 0;
    for (std::size_t i = 0; i < kPairs; ++i) {
      const double k = formula.kernel(options, row_of(x, 2 * i), row_of(x, 2 * i + 1));
      if (k > 0.1) most = std::max(most, std::fabs(product(z, 2 * i, 2 * i + 1) / k - 1));
    }
    return most;
  };
  for (const Formula* formula : {&kChiSquared, &kJensenShannon}) {
    EXPECT_LT(worst(*formula, 3, 0), 0.1) << formula->name;
    EXPECT_LT(worst(*formula, 40, 0.1), 0.002) << formula->name;
  }
  EXPECT_LT(worst(kIntersection, 100, 0.2), 0.03);
  EXPECT_LT(worst(kIntersection, 100, 0.2), worst(kIntersection, 3, 0));
}

TEST(Formula, SavedMapsAreTheSame) {
  for (const Case& of : random_cases()) {
    const MapPtr map = map_of(of, 18446744073709551615u);
    Archive archive;
    map->save(archive);
    const MapPtr again = load_map(archive);
    const Matrix<double> x = pairs_of(of);
    EXPECT_EQ(transform<double>(map, x.view()), transform<double>(again, x.view())) << of.formula->name;
    EXPECT_EQ(map->spec(), again->spec());
  }
  Archive archive;
  map_of(random_cases()[0], 1)->save(archive);
  archive.put_number("degree", 77);
  EXPECT_THROW(load_map(archive), Error);
}

TEST(Formula, RowsDoNotDependOnTheirNeighbours) {
  for (const Case& of : random_cases()) {
    const Matrix<double> x = pairs_of(of), all = transform<double>(map_of(of, 3), x.view());
    for (const std::size_t i : {0, 5, 17, 39}) {
      const Matrix<double> one = transform<double>(map_of(of, 3), x.view().slice(i, 1));
      for (std::size_t f = 0; f < all.cols(); ++f) EXPECT_EQ(one(0, f), all(i, f)) << of.formula->name;
    }
  }
}

TEST(Formula, OddRowsGiveFiniteFeatures) {
  const Matrix<double> zero(2, 6);
  Matrix<double> below(2, 6);
  for (std::size_t j = 0; j < 6; ++j) below(0, j) = -1, below(1, j) = 1e9;
  for (const Formula* formula : formulas()) {
    FormulaOptions options{6, 16, 0, {}};
    for (const FormulaParameter& parameter : formula->parameters) options.numbers.push_back(parameter.initial);
    options.features = formula->features(options, 16);
    const MapPtr map = std::make_shared<FormulaMap>(*formula, options);
    for (const Matrix<double>* rows : std::initializer_list<const Matrix<double>*>{&zero, &below}) {
      const Matrix<double> z = transform<double>(map, rows->view());
      for (std::size_t k = 0; k < z.rows() * z.cols(); ++k) EXPECT_TRUE(std::isfinite(z.data()[k])) << formula->name;
    }
  }
}

// Whole pieces are looked at while they are mapped: the first row that is not finite is named.
TEST(Formula, FeaturesGoIntoMemoryOfTheCaller) {
  const Case of{&kLinear, {}, 3, 3, false};
  Matrix<double> x(1000, 3);
  for (std::size_t i = 0; i < 3000; ++i) x.data()[i] = 0.25 * double(i);
  Schema schema;
  schema.inputs = 3;
  const auto rows = memory_rows<double>(x.view(), {}, schema);
  Matrix<float> z(1000, 3), narrow(1000, 2);
  transform_into<float>(z.view(), map_of(of, 0), *rows);
  EXPECT_EQ(z(999, 2), 0.25f * 2999);
  EXPECT_THROW(transform_into<float>(narrow.view(), map_of(of, 0), *rows), std::invalid_argument);
  x(700, 1) = x(900, 0) = 1e300;
  const auto bad = memory_rows<double>(x.view(), {}, schema);
  const MapPtr squares = std::make_shared<FormulaMap>(kSquares, FormulaOptions{3, 3, 0, {}});
  try {
    transform<double>(squares, *bad, {.threads = 2});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 700"), std::string::npos) << error.what();
  }
}

TEST(Formula, EveryKindTrainsAndChecks) {
  std::mt19937_64 draw(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  Matrix<double> x(300, 4), y(300, 1);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t j = 0; j < 4; ++j) x(i, j) = std::round(4 * uniform(draw)) / 4;  // some are equal
    y(i, 0) = std::min(x(i, 0), x(i, 1)) + x(i, 2) * x(i, 0);
  }
  Schema schema;
  schema.inputs = 4;
  schema.targets = 1;
  for (const Formula* formula : formulas()) {
    if (formula == &kLinear) continue;  // a factor of products; alone it is --map none
    const auto rows = memory_rows<double>(x.view(), y.view(), schema);
    TrainOptions options;
    options.map = CustomMap{formula->name, {}};
    if (formula == &kExponential)
      options.map = CustomMap{"exponential", {{"gamma", "0.1"}}};  // heavier tails want more draws
    options.features = 128;
    options.scale = ColumnScaling::Method::none;
    const Model model = train(*rows, options);
    EXPECT_GT(*model.evaluate(*rows).r2, 0.3) << formula->name;
    const MapCheck found = check(*rows, model, {.sample = 60, .draws = 400});
    EXPECT_EQ(found.expected_variance.has_value(), formula->random) << formula->name;
    if (formula->random) {
      EXPECT_NEAR(*found.variance / *found.expected_variance, 1, 0.5) << formula->name;
    }
  }
}

TEST(Formula, MoreDrawsThanASmallFileMayAskForAreRefused) {
  const std::size_t many = std::size_t(1) << 24;
  EXPECT_THROW(FormulaMap(kHamming, {2, many, 1, {100}}), std::invalid_argument);
  EXPECT_THROW(FormulaMap(kGreatCircle, {2, many, 1, {64, 6371}}), std::invalid_argument);
  EXPECT_THROW(FormulaMap(kPolynomialSigns, {10, many, 1, {10, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(FormulaMap(kMinMax, {64, many, 1, {}}), std::invalid_argument);
  std::vector<ProductFactor> factors = parse_product("gaussian(0)*great-circle(0,1,length=64)");
  choose_inputs(factors, 2, {});
  EXPECT_THROW(ProductMap(factors, 2, many, 1), std::invalid_argument);
  for (const Formula* formula : formulas()) {
    FormulaOptions options{.inputs = 6};
    for (const FormulaParameter& known : formula->parameters) options.numbers.push_back(known.initial);
    options.features = formula->features(options, 256);
    const auto drawn = double(formula->draw(options).size());
    EXPECT_NEAR(formula->drawn(options), drawn, 0.2 * drawn) << formula->name;
  }
}

TEST(Formula, WordsThatMakeNoSenseAreRefused) {
  const MapKind* kind = find_map_kind("polynomial");
  ASSERT_NE(kind, nullptr);
  EXPECT_THROW(kind->parse({{"degree", "0"}}), std::invalid_argument);
  EXPECT_THROW(kind->parse({{"degree", "2.5"}}), std::invalid_argument);
  EXPECT_THROW(kind->parse({{"degre", "2"}}), std::invalid_argument);
  EXPECT_NO_THROW(kind->parse({{"degree", "2"}, {"offset", "0"}}));
  EXPECT_THROW(find_map_kind("periodic")->parse({{"period", "-1"}}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
