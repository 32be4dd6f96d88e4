// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/nystroem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "bochner/error.h"
#include "bochner/kernel_family.h"
#include "bochner/nystroem.h"
#include "maps/apply.h"
#include "maps/load.h"
#include "random/draw.h"

namespace bochner {
namespace {

template <class T>
Matrix<T> sample(std::size_t n, std::size_t d, std::uint64_t seed = 9) {
  Matrix<T> x(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = T(float(normal(seed, Draw::candidate, i, j)));
  return x;
}

template <class T>
Matrix<T> apply(const Map& map, const Matrix<T>& x) {
  return apply(map, x, cpu_backend());
}

template <class T>
double dot(const Matrix<T>& z, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t j = 0; j < z.cols(); ++j) sum += double(z(a, j)) * double(z(b, j));
  return sum;
}

std::vector<Kernel> kernels(std::size_t d) {
  Kernel stretched = gaussian();
  stretched.length_scales.clear();
  for (std::size_t j = 0; j < d; ++j) stretched.length_scales.push_back(1.5 + double(j));
  return {gaussian(2),    laplacian(4),   cauchy(2),    matern(0.5, 2),          matern(1.5, 2),
          matern(2.5, 2), matern(0.8, 2), laplacian2(), rational_quadratic(1.3), stretched};
}

// z(x).z(y) = k_m(x)^T K_mm^-1 k_m(y) is k itself where x is a landmark.
TEST(Nystroem, IsExactAtItsLandmarks) {
  const std::size_t d = 5, m = 40;
  const Matrix<double> y = sample<double>(m, d), others = sample<double>(20, d, 3);
  for (const Kernel& kernel : kernels(d)) {
    const MapPtr map = nystroem_at(y.view(), kernel);
    ASSERT_EQ(map->outputs(), m) << kernel_name(kernel);
    Matrix<double> all(m + 20, d);
    std::copy_n(y.data(), m * d, all.data());
    std::copy_n(others.data(), 20 * d, &all(m, 0));
    Matrix<float> all32(m + 20, d);
    std::copy_n(all.data(), (m + 20) * d, all32.data());
    const Matrix<double> z = apply(*map, all);
    const Matrix<float> z32 = apply(*map, all32);
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m + 20; ++b) {
        const double k = kernel_value(kernel, {&all(a, 0), d}, {&all(b, 0), d});
        ASSERT_NEAR(dot(z, a, b), k, 1e-11) << kernel_name(kernel);
        ASSERT_NEAR(dot(z32, a, b), k, 3e-5) << kernel_name(kernel);
      }
  }
}

// Every row of the table: the backend's shape, or the pairs where there is none, is the value.
TEST(Nystroem, FormsTheKernelOfEveryRow) {
  const std::size_t d = 3, n = 7, m = 21;
  const Matrix<double> x = sample<double>(n, d, 3);
  const Matrix<float> y = sample<float>(m, d, 4);
  std::vector<std::unique_ptr<KernelFamily>> rows;
  std::vector<Kernel> all;
  for (const KernelFamily* row : kernel_families()) {
    all.push_back({.family = *row, .length_scales = {0.8, 1.5, 2}});
    KernelFamily* const plain = rows.emplace_back(std::make_unique<KernelFamily>(*row)).get();
    plain->shape = [](const Kernel&) -> std::optional<KernelShape> { return std::nullopt; };
    all.push_back({.family = *plain, .length_scales = {0.8, 1.5, 2}});
  }
  for (const Kernel& kernel : all) {
    Matrix<double> k(n, m);
    RowBlock<double> block;
    block.rows = n, block.cols = block.stride = d;
    block.values = x.data();
    kernel_rows(cpu_backend(), kernel, block, kernel_landmarks<double>(kernel, y.view()), k.view());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < m; ++c) {
        const std::vector<double> point(&y(c, 0), &y(c, 0) + d);
        ASSERT_NEAR(k(i, c), kernel_value(kernel, {&x(i, 0), d}, point), 1e-13) << kernel_name(kernel);
      }
    const std::vector<std::size_t> offsets = {0, 2, 3};  // (0, 1.5, -2) and (0.5, 0, 0)
    const std::vector<std::uint32_t> columns = {1, 2, 0};
    const std::vector<double> values = {1.5, -2, 0.5}, first = {0, 1.5, -2}, second = {0.5, 0, 0};
    block.rows = 2, block.stride = 0;
    block.values = values.data(), block.offsets = offsets.data(), block.columns = columns.data();
    kernel_rows(cpu_backend(), kernel, block, kernel_landmarks<double>(kernel, y.view()), k.view().slice(0, 2));
    const std::vector<double> point(&y(5, 0), &y(5, 0) + d);
    ASSERT_NEAR(k(0, 5), kernel_value(kernel, first, point), 1e-13) << kernel_name(kernel);
    ASSERT_NEAR(k(1, 5), kernel_value(kernel, second, point), 1e-13) << kernel_name(kernel);
  }
}

// k(x, x) - |z(x)|^2 is the residual of x given the landmarks: never negative, and 1 far from all of them.
TEST(Nystroem, NeverOverestimatesAndKeepsItsBound) {
  const std::size_t d = 4;
  const MapPtr map = nystroem_at(sample<double>(150, d).view(), gaussian(3));
  Matrix<double> x = sample<double>(60, d, 4);
  for (std::size_t j = 0; j < d; ++j) x(0, j) = 1e6;
  const Matrix<double> z = apply(*map, x);
  Matrix<float> x32(60, d);
  std::copy_n(x.data(), 60 * d, x32.data());
  const Matrix<float> z32 = apply(*map, x32);
  EXPECT_EQ(dot(z, 0, 0), 0);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_LE(dot(z, i, i), 1 + 1e-9);
    EXPECT_LE(dot(z32, i, i), 1 + 1e-3);
    for (std::size_t j = 0; j < z.cols(); ++j) {
      ASSERT_LE(std::abs(z(i, j)), map->bound());
      ASSERT_LE(std::abs(z32(i, j)), float(map->bound()));
    }
  }
}

TEST(Nystroem, LeavesOutLandmarksThatAddNothing) {
  Matrix<double> y = sample<double>(30, 3);
  for (std::size_t i = 20; i < 30; ++i) std::copy_n(&y(i - 20, 0), 3, &y(i, 0));  // ten of them twice
  EXPECT_EQ(nystroem_at(y.view(), laplacian(1))->outputs(), 20u);
  EXPECT_EQ(nystroem_at(y.view(), gaussian(1e4))->outputs(), 1u);  // all rows look the same from afar
  EXPECT_GT(nystroem_at(y.view(), gaussian(30), 1e-12)->outputs(), nystroem_at(y.view(), gaussian(30))->outputs());
}

TEST(Nystroem, SaysTheSameForCsrRowsAndForTheReference) {
  const std::size_t d = 6, n = 11;
  Matrix<double> x = sample<double>(n, d, 5);
  for (std::size_t i = 0; i < n * d; i += 2) x.data()[i] = 0;
  std::vector<double> values;
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j)
      if (x(i, j) != 0) values.push_back(x(i, j)), columns.push_back(std::uint32_t(j));
    offsets.push_back(values.size());
  }
  RowBlock<double> csr;
  csr.rows = n;
  csr.cols = d;
  csr.values = values.data();
  csr.offsets = offsets.data();
  csr.columns = columns.data();
  for (const Kernel& kernel : kernels(d)) {
    const MapPtr map = nystroem_at(sample<double>(25, d).view(), kernel);
    const Matrix<double> z = apply(*map, x), reference = apply(*map, x, reference_backend());
    Matrix<double> sparse(n, map->outputs());
    map->apply(cpu_backend(), csr, sparse.view());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < map->outputs(); ++j) {
        ASSERT_NEAR(sparse(i, j), z(i, j), 1e-9) << kernel_name(kernel);
        ASSERT_NEAR(reference(i, j), z(i, j), 1e-9) << kernel_name(kernel);
      }
  }
}

TEST(Nystroem, IsTheSameAfterSavingAndLoading) {
  for (const Kernel& kernel : kernels(5)) {
    const MapPtr map = nystroem_at(sample<double>(33, 5).view(), kernel);
    Archive archive;
    map->save(archive);
    const MapPtr again = load_map(archive);
    EXPECT_EQ(again->spec(), map->spec());
    EXPECT_EQ(apply(*again, sample<float>(7, 5, 2)), apply(*map, sample<float>(7, 5, 2)));
    EXPECT_EQ(apply(*again, sample<double>(7, 5, 2)), apply(*map, sample<double>(7, 5, 2)));
  }
}

TEST(Nystroem, RefusesArchivesThatMakeNoSense) {
  const MapPtr map = nystroem_at(sample<double>(6, 3).view(), gaussian(2));
  const auto refuses = [&](const std::function<void(Archive&)>& damage) {
    Archive archive;
    map->save(archive);
    damage(archive);
    try {
      load_map(archive);
      ADD_FAILURE() << "a damaged map was loaded";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), Error::Kind::model) << e.what();
    }
  };
  const auto replace = [](Archive& archive, const char* name, std::vector<double> values) {
    archive.arrays.erase(name);
    archive.put<double>(name, values, {values.size()});
  };
  refuses([](Archive& a) { a.tree["features"] = 0; });
  refuses([](Archive& a) { a.tree["features"] = 7; });
  refuses([](Archive& a) { a.tree["features"] = std::uint64_t{1} << 40; });
  refuses([](Archive& a) { a.tree["inputs"] = 0; });
  refuses([](Archive& a) { a.tree["inputs"] = std::uint64_t{1} << 62; });
  refuses([](Archive& a) { a.tree["inputs"] = -3; });
  refuses([](Archive& a) { a.tree["kernel"] = "tophat"; });
  refuses([](Archive& a) { a.tree["landmarks"] = "magic"; });
  refuses([](Archive& a) { a.tree["length_scales"] = 2; });
  refuses([](Archive& a) { a.tree.erase("kernel"); });
  refuses([](Archive& a) { a.arrays.erase("landmark"); });
  refuses([](Archive& a) { a.arrays.erase("inverse_factor"); });
  refuses([&](Archive& a) { replace(a, "length_scale", {-1}); });
  refuses([&](Archive& a) { replace(a, "length_scale", {std::nan("")}); });
  refuses([&](Archive& a) { replace(a, "inverse_factor", std::vector<double>(20, 1.0)); });
  refuses([&](Archive& a) { replace(a, "inverse_factor", std::vector<double>(21, std::nan(""))); });
  refuses([](Archive& a) {
    const std::vector<float> landmarks(18, std::numeric_limits<float>::infinity());
    a.arrays.erase("landmark");
    a.put<float>("landmark", landmarks, {6, 3});
  });
}

TEST(Nystroem, RefusesBadArguments) {
  EXPECT_THROW(nystroem_at(Matrix<double>(0, 3).view(), gaussian()), std::invalid_argument);
  EXPECT_THROW(nystroem_at(sample<double>(4, 3).view(), gaussian(), 0), std::invalid_argument);
  EXPECT_THROW(nystroem_at(sample<double>(4, 3).view(), gaussian(), 1), std::invalid_argument);
  Kernel wrong = gaussian();
  wrong.length_scales = {1, 2};
  EXPECT_THROW(nystroem_at(sample<double>(4, 3).view(), wrong), std::invalid_argument);
  Matrix<double> broken = sample<double>(4, 3);
  broken(2, 1) = std::nan("");
  EXPECT_THROW(nystroem_at(broken.view(), gaussian()), std::invalid_argument);
  EXPECT_THROW(parse_landmark_choice("best"), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
