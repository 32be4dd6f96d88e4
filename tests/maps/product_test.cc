// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/formula/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/archive.h"
#include "bochner/kernel_family.h"
#include "bochner/train.h"
#include "bochner/transform.h"
#include "maps/load.h"

namespace bochner {
namespace {

constexpr std::size_t kInputs = 5, kPairs = 12, kDraws = 500;

std::shared_ptr<ProductMap> product_of(const std::string& text, std::size_t features = 32, std::uint64_t seed = 0) {
  std::vector<ProductFactor> factors = parse_product(text);
  choose_inputs(factors, kInputs, {"a", "b", "hour", "job=cook", "job=smith"});
  return std::make_shared<ProductMap>(std::move(factors), kInputs, features, seed);
}

// Rows 2 i and 2 i + 1 are a pair; the last two inputs are 0 or 1.
Matrix<double> pairs() {
  std::mt19937_64 draw(5);
  std::normal_distribution<double> normal;
  Matrix<double> x(2 * kPairs, kInputs);
  for (std::size_t i = 0; i < 2 * kPairs; ++i)
    for (std::size_t j = 0; j < kInputs; ++j) x(i, j) = j < 3 ? normal(draw) : double(normal(draw) > 0);
  return x;
}

double dot_of(const Matrix<double>& z, std::size_t a, std::size_t b) {
  return dot({&z(a, 0), z.cols()}, {&z(b, 0), z.cols()});
}

TEST(Product, MeanAndVarianceOverDrawsAreTheory) {
  const Matrix<double> x = pairs();
  for (const char* text :
       {"gaussian(a,b,sigma=1.5)", "gaussian(a,b,sigma=2)*periodic(hour,period=2.5)", "matern(a,nu=1.5)*laplacian(b)",
        "linear(a,b)*gaussian(hour)", "polynomial(a,degree=2,gamma=0.5)*hamming(job)",
        "von-mises(hour,period=3,kappa=2)*hamming(job)*arc-cosine(a,b,order=0)", "hamming(3,4)"}) {
    const auto map = product_of(text);
    std::vector<double> mean(kPairs), second(kPairs), fourth(kPairs);
    for (std::size_t s = 0; s < kDraws; ++s) {
      const Matrix<double> z = transform<double>(map->redrawn(s), x.view());
      for (std::size_t i = 0; i < kPairs; ++i) {
        const double off =
            dot_of(z, 2 * i, 2 * i + 1) - map->kernel({&x(2 * i, 0), kInputs}, {&x(2 * i + 1, 0), kInputs});
        mean[i] += off / kDraws;
        second[i] += off * off / kDraws;
        fourth[i] += off * off * off * off / kDraws;
      }
    }
    for (std::size_t i = 0; i < kPairs; ++i) {
      const double expected = map->variance({&x(2 * i, 0), kInputs}, {&x(2 * i + 1, 0), kInputs});
      EXPECT_NEAR(mean[i], 0, 5 * std::sqrt(expected / kDraws) + 1e-9) << text << " pair " << i;
      EXPECT_NEAR(second[i], expected, 5 * std::sqrt(std::max(0.0, fourth[i] - second[i] * second[i]) / kDraws) + 1e-9)
          << text << " pair " << i;
    }
  }
}

TEST(Product, ValuesAreProductsOverColumns) {
  const std::vector<double> x = {1, 2, 3, 0, 1}, y = {2, 2, 4.5, 1, 1};
  const auto value = [&](const std::string& text) { return product_of(text, 32)->kernel(x, y); };
  EXPECT_NEAR(value("gaussian(a,sigma=2)*periodic(hour,period=1)"), std::exp(-1.0 / 8) * std::exp(-2.0), 1e-12);
  EXPECT_NEAR(value("linear(a,b)*hamming(job)"), 6 * 0.5, 1e-12);
  EXPECT_NEAR(value("gaussian(0,1,sigma=2)"), std::exp(-1.0 / 8), 1e-12);
  EXPECT_NEAR(value("gaussian"), kernel_value(gaussian(), x, y), 1e-12);
}

TEST(Product, SavedMapsAreTheSame) {
  const Matrix<double> x = pairs();
  for (const char* text : {"gaussian(a,b,sigma=0.3)*periodic(hour)*hamming(job,power=2)", "polynomial(a,b)"}) {
    const auto map = product_of(text, 64, 18446744073709551615u);
    Archive archive;
    map->save(archive);
    const MapPtr again = load_map(archive);
    EXPECT_EQ(transform<double>(MapPtr(map), x.view()), transform<double>(again, x.view()));
    EXPECT_EQ(map->spec(), again->spec());
    for (const char* broken :
         {"gaussian(7)", "gaussian(a)", "nothing(0)", "gaussian(0,sigma=-1)", "(", "", "chi2(0)*chi2(1)"}) {
      archive.put_text("of", broken);
      EXPECT_THROW(load_map(archive), Error) << broken;
    }
  }
}

TEST(Product, WordsThatMakeNoSenseAreRefused) {
  for (const char* text : {"gausian(a)", "gaussian(a", "gaussian(a,,b)", "gaussian(a)*", "chi2(a)*gaussian(b)",
                           "periodic(a,period=0)", "gaussian(a,sigma=1,gamma=1)", "periodic(hour,period=x)"})
    EXPECT_THROW(parse_product(text), std::invalid_argument) << text;
  std::vector<ProductFactor> factors = parse_product("gaussian(c)");
  EXPECT_THROW(choose_inputs(factors, kInputs, {"a", "b"}), std::invalid_argument);
}

TEST(Product, IsASummandOfTraining) {
  std::mt19937_64 draw(3);
  std::uniform_real_distribution<double> uniform(0, 48);
  Matrix<double> x(400, 3), y(400, 1);
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t j = 0; j < 3; ++j) x(i, j) = uniform(draw);
    y(i, 0) = std::cos(x(i, 0) / 10) * std::sin(x(i, 1) * 2 * 3.14159265358979 / 24) + 0.02 * x(i, 2);
  }
  Schema schema;
  schema.inputs = 3;
  schema.targets = 1;
  TrainOptions options;
  options.map = parse_kernel_parts("gaussian(0)*periodic(1,period=24)+linear(2)*2");
  options.features = 257;
  ASSERT_EQ(options.map.parts.size(), 2u);
  EXPECT_EQ(parse_map_options(map_words(options.map)), options.map);
  const auto rows = memory_rows<double>(x.view(), y.view(), schema);
  const Model model = train(*rows, options);
  EXPECT_GT(*model.evaluate(*rows).r2, 0.99);
}

}  // namespace
}  // namespace bochner
