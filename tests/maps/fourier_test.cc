// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <thread>

#include "backend/backend.h"
#include "base/archive.h"
#include "bochner/error.h"
#include "kernels/law.h"
#include "maps/apply.h"
#include "random/draw.h"

namespace bochner {
namespace {

using Form = FourierOptions::Form;

template <class T>
Matrix<T> sample(std::size_t n, std::size_t d) {
  Matrix<T> x(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = T(normal(9, Draw::candidate, i, j));
  return x;
}

template <class T>
Matrix<T> apply(const Map& map, const Matrix<T>& x) {
  return apply(map, x, reference_backend());
}

Kernel stretched(Kernel kernel, std::size_t d) {
  kernel.length_scales.clear();
  for (std::size_t j = 0; j < d; ++j) kernel.length_scales.push_back(0.5 + double(j));
  return kernel;
}

// Straight from the formula, sizes beside the panel edges.
TEST(Fourier, IsTheFormulaOnItsDraws) {
  for (const std::size_t d : {1, 3, 17})
    for (const std::size_t F : {1, 15, 16, 17, 65, 130})
      for (const Form form : {Form::cossin, Form::shifted}) {
        const std::size_t D = form == Form::cossin ? 2 * F : F;
        const Kernel kernel = stretched(matern(1.5), d);
        const MapPtr map = fourier(d, {.kernel = kernel, .features = D, .form = form, .seed = 5});
        ASSERT_EQ(map->inputs(), d);
        ASSERT_EQ(map->outputs(), D);
        const Matrix<double> x = sample<double>(4, d), z = apply(*map, x);
        const Matrix<float> z32 = apply(*map, sample<float>(4, d), cpu_backend());
        std::vector<double> omega(d);
        for (std::size_t f = 0; f < F; ++f) {
          draw_frequency(kernel, 5, f, omega);
          for (std::size_t i = 0; i < 4; ++i) {
            double angle = form == Form::shifted ? 2 * std::numbers::pi * uniform(5, Draw::phase, f) : 0;
            for (std::size_t j = 0; j < d; ++j) angle += omega[j] * x(i, j);
            const double scale = form == Form::shifted ? std::sqrt(2.0 / double(D)) : std::sqrt(1.0 / double(F));
            const double tolerance = 1e-12 * (1 + std::fabs(angle)), tolerance32 = 2e-6 * (1 + std::fabs(angle));
            EXPECT_NEAR(z(i, f), scale * std::cos(angle), tolerance);
            EXPECT_NEAR(z32(i, f), scale * std::cos(angle), tolerance32);
            if (form == Form::cossin) {
              EXPECT_NEAR(z(i, F + f), scale * std::sin(angle), tolerance);
              EXPECT_NEAR(z32(i, F + f), scale * std::sin(angle), tolerance32);
            }
          }
        }
      }
}

TEST(Fourier, BoundIsTheScaleAndIsReached) {
  const Matrix<double> zero(1, 3);
  const MapPtr pairs = fourier(3, {.features = 50});
  EXPECT_DOUBLE_EQ(pairs->bound(), std::sqrt(2.0 / 50));
  EXPECT_DOUBLE_EQ(apply(*pairs, zero)(0, 0), pairs->bound());  // cos 0
  const MapPtr shifted = fourier(3, {.features = 51, .form = Form::shifted});
  EXPECT_DOUBLE_EQ(shifted->bound(), std::sqrt(2.0 / 51));
  const Matrix<double> z = apply(*shifted, sample<double>(100, 3));
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t j = 0; j < 51; ++j) EXPECT_LE(std::fabs(z(i, j)), shifted->bound() * (1 + 1e-15));
}

// Growing D keeps the frequencies already there: a larger model refines a smaller one.
TEST(Fourier, MoreFeaturesKeepTheFirstFrequencies) {
  const FourierMap small(7, {.features = 40}), large(7, {.features = 400});
  const auto& a = small.weights<double>();
  const auto& b = large.weights<double>();
  for (std::size_t i = 0; i < 16 * 7; ++i) EXPECT_EQ(a.panels[i], b.panels[i]);
}

TEST(Fourier, ThreadsThatMeetOnFirstUseSeeOneSetOfWeights) {
  const MapPtr shared = fourier(20, {.features = 2000, .seed = 3}), alone = fourier(20, {.features = 2000, .seed = 3});
  const Matrix<float> x = sample<float>(2, 20);
  std::vector<Matrix<float>> results(4);
  std::vector<std::thread> threads;
  for (Matrix<float>& z : results) threads.emplace_back([&] { z = apply(*shared, x); });
  for (std::thread& thread : threads) thread.join();
  for (const Matrix<float>& z : results) EXPECT_EQ(z, apply(*alone, x));
}

TEST(Fourier, SavedMapIsTheSameToTheBitAndHoldsNoWeights) {
  for (const Form form : {Form::cossin, Form::shifted})
    for (const Kernel& kernel : {laplacian(0.3), matern(2.5, 1.0 / 3), stretched(rational_quadratic(0.7), 5)}) {
      const MapPtr map = fourier(5, {.kernel = kernel, .features = 34, .form = form, .seed = ~std::uint64_t{0} - 1});
      Archive archive;
      map->save(archive);
      EXPECT_TRUE(archive.arrays.empty());
      archive.tree = nlohmann::json::parse(archive.tree.dump());  // as a file would hold it
      const MapPtr again = load_fourier(archive);
      EXPECT_EQ(again->spec(), map->spec());
      const Matrix<double> x = sample<double>(3, 5);
      EXPECT_EQ(apply(*again, x), apply(*map, x));
    }
}

TEST(Fourier, SpecNamesKernelFeaturesFormAndSeed) {
  EXPECT_EQ(fourier(5, {.kernel = matern(2.5), .features = 34, .form = Form::shifted, .seed = 7})->spec(),
            "fourier:kernel=matern:nu=2.5,features=34,form=shifted,seed=7");
}

TEST(Fourier, BrokenModelFieldsAreModelErrors) {
  Archive good;
  fourier(5, {.features = 34})->save(good);
  ASSERT_NO_THROW(load_fourier(good));
  const auto breaks = [&](const char* key, const nlohmann::json& value) {
    Archive bad = good;
    if (value.is_null())
      bad.tree.erase(key);
    else
      bad.tree[key] = value;
    try {
      load_fourier(bad);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::model);
      return;
    }
    ADD_FAILURE() << key << " = " << value << " was accepted";
  };
  for (const char* key : {"type", "kernel", "features", "form", "seed", "inputs", "length_scale"}) {
    breaks(key, nullptr);
    breaks(key, nlohmann::json::object());
    breaks(key, "nonsense");
  }
  breaks("features", 0);
  breaks("features", 33);  // odd, in pairs
  breaks("features", -2);
  breaks("features", 1.5);
  breaks("features", std::uint64_t{1} << 40);
  breaks("features", ~std::uint64_t{1});
  breaks("inputs", 0);
  breaks("inputs", std::uint64_t{1} << 29);  // x 17 frequencies: too much memory
  breaks("inputs", ~std::uint64_t{0});
  breaks("length_scale", 0);
  breaks("length_scale", -1);
  breaks("length_scale", {1, 2});
  breaks("length_scale", nlohmann::json::array());
  breaks("length_scale", {1, 1, 1, 1, "x"});
  breaks("kernel", "matern:nu=-1");
}

TEST(Fourier, MisuseIsRefused) {
  EXPECT_THROW(fourier(0, {}), std::invalid_argument);
  EXPECT_THROW(fourier(3, {.features = 0}), std::invalid_argument);
  EXPECT_THROW(fourier(3, {.features = 7}), std::invalid_argument);
  EXPECT_NO_THROW(fourier(3, {.features = 7, .form = Form::shifted}));
  EXPECT_THROW(fourier(3, {.kernel = stretched(gaussian(), 4)}), std::invalid_argument);
  EXPECT_THROW(fourier(std::size_t{1} << 40, {.features = std::size_t{1} << 40}), std::invalid_argument);
  const MapPtr map = fourier(3, {.features = 8});
  EXPECT_THROW(apply(*map, Matrix<double>(2, 4)), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
