// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Features and bins of 10,000 rows, as digests that every machine with a fused multiply-add must find: NEON, AVX2,
// AVX-512. Where a change means to change features, the digests change with it, on all machines at once.

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>

#include "backend/bins.h"
#include "backend/problems.h"
#include "base/sha256.h"
#include "maps/nystroem.h"
#include "methods/bins/draw_grid.h"
#include "random/draw.h"

namespace bochner {
namespace {

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

constexpr std::size_t kRows = 10000, kInputs = 21;

// Numbers of several sizes; every fifth is 0, so that the CSR copy leaves some out.
template <class T>
struct Rows {
  Rows() : values(kRows * kInputs), offsets{0} {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kInputs; ++j) {
        const double size = j < 18 ? 1 : j == 18 ? 1e-3 : j == 19 ? 50 : 1e4;
        const double value = (i + j) % 5 == 0 ? 0 : size * normal(7, Draw::candidate, i, j);
        values[i * kInputs + j] = T(float(value));
        if (value == 0) continue;
        columns.push_back(std::uint32_t(j));
        nonzeros.push_back(T(float(value)));
      }
      offsets.push_back(columns.size());
    }
    dense.rows = sparse.rows = kRows;
    dense.cols = sparse.cols = dense.stride = kInputs;
    dense.values = values.data();
    sparse.values = nonzeros.data();
    sparse.offsets = offsets.data();
    sparse.columns = columns.data();
  }
  Rows(const Rows&) = delete;

  std::vector<T> values, nonzeros;
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> columns;
  RowBlock<T> dense, sparse;
};

template <class T>
const Rows<T>& rows() {
  static const Rows<T> all;
  return all;
}

template <class T>
std::string digest(const std::vector<T>& values) {
  return sha256(std::as_bytes(std::span(values)));
}

template <class T>
std::string features(const Map& map, const RowBlock<T>& x) {
  std::vector<T> z(x.rows * map.outputs());
  map.apply(cpu_backend(), x, {z.data(), x.rows, map.outputs(), map.outputs()});
  return digest(z);
}

// As "float double", of which a test names the first 16 digits.
std::string both(const std::string& one, const std::string& other) {
  return one.substr(0, 16) + " " + other.substr(0, 16);
}

void expect_everywhere(const std::string& expected, const std::function<std::string()>& find) {
  testing::for_each_target([&](const std::string& target) {
    if (testing::fuses(target)) {
      EXPECT_EQ(find(), expected) << target;
    }
  });
}

std::string of_map(const Map& map, bool sparse = false) {
  return both(features(map, sparse ? rows<float>().sparse : rows<float>().dense),
              features(map, sparse ? rows<double>().sparse : rows<double>().dense));
}

MapPtr fourier_map(const std::string& kernel, FourierOptions::Form form, bool orthogonal = false) {
  FourierOptions options;
  options.kernel = parse_kernel(kernel);
  options.kernel.length_scales = {3.0};
  options.features = 90;
  options.form = form;
  if (orthogonal) options.draw = FourierOptions::Draw::orthogonal;
  options.seed = 11;
  return fourier(kInputs, options);
}

TEST(SameBits, OfFourierFeatures) {
  using Form = FourierOptions::Form;
  const auto check = [](const std::string& expected, const MapPtr& map) {
    expect_everywhere(expected, [&] { return of_map(*map); });
    expect_everywhere(expected, [&] { return of_map(*map, true); });
  };
  check("3c40bbd9dd44f770 55d5310cef44e2f5", fourier_map("gaussian", Form::cossin));
  check("2039fd72a737a50e 0181aabd4bf2efc0", fourier_map("gaussian", Form::shifted));
  check("c138550317c1ee0b 4ccda3db9aa0f74f", fourier_map("gaussian", Form::cossin, true));
  check("af4142f3bc441efb 9645e3782d942719", fourier_map("laplacian", Form::shifted));
  check("7a183e2a1757f608 10c4ced11be2208e", fourier_map("cauchy", Form::cossin));
  check("480114fbc88f66e8 05ccef0aa5d16397", fourier_map("matern:nu=1.5", Form::cossin));
  check("95f7375e62025e26 5a6b2e1997cbf4ed", fourier_map("rational-quadratic:alpha=0.7", Form::shifted));
}

// The factor is whatever training found and the file keeps; here any triangle.
MapPtr nystroem_map(const std::string& name) {
  constexpr std::size_t m = 70;
  Kernel kernel = parse_kernel(name);
  kernel.length_scales.clear();
  for (std::size_t j = 0; j < kInputs; ++j) kernel.length_scales.push_back(j < 18 ? 2 + 0.125 * double(j) : 1e4);
  Matrix<float> landmarks(m, kInputs);
  Matrix<double> inverse(m, m);
  for (std::size_t i = 0; i < m; ++i) {
    std::copy_n(rows<float>().values.data() + 37 * i * kInputs, kInputs, &landmarks(i, 0));
    for (std::size_t j = 0; j <= i; ++j) inverse(i, j) = (i == j) + 0.0625 * normal(8, Draw::candidate, i, j);
  }
  return std::make_shared<NystroemMap>(kernel, landmarks, inverse, "given");
}

TEST(SameBits, OfNystroemFeatures) {
  const auto check = [](const std::string& dense, const std::string& sparse, const std::string& kernel) {
    const MapPtr map = nystroem_map(kernel);
    expect_everywhere(dense, [&] { return of_map(*map); });
    expect_everywhere(sparse, [&] { return of_map(*map, true); });
  };
  check("6072efcd5caaa79c b8469b3bcf1bc558", "513095a4647fc9c3 f5adc6db9e2d837e", "gaussian");
  check("d6bcb625ff7f59f2 f1357b7ca9811af3", "395871200223ea05 ec9a60af97310aee", "laplacian");
  check("e7dc1e5c8c864c19 c15b040a8264c68d", "6ce69b7c0d69ec5b eb497a803ab819da", "laplacian2");
  check("b4173b94ece55e96 54c9edd1e5b2684f", "759b9c35ad1d731a ac340b845bf295d9", "cauchy");
  check("dee5cb1e87313dd8 519c7022a875989c", "7b898c4e6f7cd40f acf28511fd3eb363", "matern:nu=1.5");
  check("d79f6fe41ccc33db 78b411523b3f1a3f", "de45b7f015dfcfbc 1687e71eb7618de6", "matern:nu=2.5");
  check("6e8ddd39c13315c6 4da33709bdd0b78a", "53e3179594dac90f 60594d9bfd47be9c", "rational-quadratic:alpha=0.7");
}

template <class T>
std::string bins(const BinningOptions& options) {
  const PackedRows<T> packed = pack_rows(rows<T>().dense);
  std::vector<std::uint64_t> hashes(options.grids * kRows);
  for (std::size_t g = 0; g < options.grids; ++g)
    cpu_backend().bin_hashes(packed, draw_grid<T>(kInputs, options, g), hashes.data() + g * kRows);
  return digest(hashes);
}

TEST(SameBits, OfBins) {
  const auto check = [](const std::string& expected, const std::string& law, std::size_t order) {
    BinningOptions options;
    options.law = parse_pitch_law(law);
    options.length_scales = {5.0};
    options.grids = 20;
    options.order_low = order > 0;
    options.order_high = order;
    expect_everywhere(expected, [&] { return both(bins<float>(options), bins<double>(options)); });
  };
  check("307100cc5eeface0 9260b85c5b1bb64d", "laplacian", 0);
  check("d097868f78031804 d097868f78031804", "reciprocal", 2);
  check("6aac87b468a2e796 6ee3805225ac1c18", "log-uniform", 3);
}

TEST(SameBits, OfScalingAndHeads) {
  using Method = ColumnScaling::Method;
  std::vector<ColumnScaling> columns(kInputs);
  Matrix<double> weights(kInputs, 3);
  for (std::size_t j = 0; j < kInputs; ++j) {
    ColumnScaling& c = columns[j];
    c.method = Method(j % 5);
    c.center = normal(9, Draw::candidate, j, 0);
    c.factor = uniform(9, Draw::candidate, j, 1);
    c.offset = c.method == Method::log ? normal(9, Draw::candidate, j, 2) : 0;
    c.unit = c.method == Method::log ? 0.1 : 1;
    if (c.method == Method::quantile)
      for (int q = 0; q < 20; ++q) c.quantiles.push_back(0.25 * (q - 10));
    for (std::size_t k = 0; k < 3; ++k) weights(j, k) = normal(9, Draw::candidate, j, 3 + k);
  }
  const MapPtr map = scaling(columns), head = linear(weights, {1, 2, 3});
  expect_everywhere("9b10e7edda68b9ca 55186dd6202bb7e3", [&] { return of_map(*map); });
  expect_everywhere("6b640de7c16bd703 98e24541a0ff2021", [&] { return of_map(*head); });
}

TEST(Sha256, IsThatOfTheStandard) {
  const std::string text = "abc";
  EXPECT_EQ(sha256(std::as_bytes(std::span(text))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace bochner
