// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <bochner/bochner.h>

#include <cmath>
#include <string>
#include <vector>

using namespace bochner;

// A map: z_i(x) = (r_i . x) (s_i . x) / sqrt(D), r and s random signs, so that z(x).z(y) is (x . y)^2 on average.
// Kar & Karnick, AISTATS 2012.
class QuadraticMap final : public Map {
 public:
  QuadraticMap(std::size_t inputs, std::size_t features, std::uint64_t seed)
      : inputs_(inputs), features_(features), seed_(seed), signs_(2 * features * inputs) {
    for (std::size_t i = 0; i < 2 * features; ++i)
      for (std::size_t j = 0; j < inputs; ++j) signs_[i * inputs + j] = draw_uniform(seed, i, j) < 0.5 ? -1.0f : 1.0f;
  }

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return features_; }
  void apply(const Backend&, const RowBlock<float>& x, MatrixView<float> z) const override { map_rows(x, z); }
  void apply(const Backend&, const RowBlock<double>& x, MatrixView<double> z) const override { map_rows(x, z); }
  std::string spec() const override { return "quadratic:features=" + std::to_string(features_); }
  void save(Archive& archive) const override {
    archive.put_text("type", "quadratic");
    archive.put_count("inputs", inputs_);
    archive.put_count("features", features_);
    archive.put_count("seed", seed_);
  }
  static MapPtr load(const Archive& archive) {
    return std::make_shared<QuadraticMap>(archive.get_count("inputs", 1 << 20), archive.get_count("features", 1 << 20),
                                          archive.get_count("seed"));
  }

  std::uint64_t seed() const { return seed_; }

  template <class T>
  void map_rows(const RowBlock<T>& x, MatrixView<T> z) const {
    const double scale = std::sqrt(1.0 / double(features_));
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t f = 0; f < features_; ++f) {
        double r = 0, s = 0;
        each_entry(x, i, [&](std::size_t j, double value) {
          r += value * double(signs_[2 * f * inputs_ + j]);
          s += value * double(signs_[(2 * f + 1) * inputs_ + j]);
        });
        z(i, f) = T(r * s * scale);
      }
  }

 private:
  template <class T, class Visit>
  static void each_entry(const RowBlock<T>& x, std::size_t i, const Visit& visit) {
    if (x.sparse())
      for (std::size_t p = x.offsets[i]; p < x.offsets[i + 1]; ++p) visit(x.columns[p], double(x.values[p]));
    else
      for (std::size_t j = 0; j < x.cols; ++j) visit(j, double(x.values[i * x.stride + j]));
  }

  std::size_t inputs_, features_;
  std::uint64_t seed_;
  std::vector<float> signs_;
};
