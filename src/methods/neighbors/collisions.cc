// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/require.h"
#include "bochner/hashes.h"

namespace bochner {

namespace {

constexpr std::array<const char*, 5> kNames{"stable", "cauchy", "hyperplane", "crosspolytope", "minhash"};

// Datar et al. 2004: integral_0^w f_p(t / d) / d (1 - t / w) dt of the density f_p of |a|, r = w / d.
double stable_collisions(double r) {
  const double below = std::erfc(r / std::numbers::sqrt2);  // 2 Phi(-r)
  return 1 - below - 2 / (std::sqrt(2 * std::numbers::pi) * r) * (1 - std::exp(-r * r / 2));
}
double cauchy_collisions(double r) {
  return 2 * std::atan(r) / std::numbers::pi - std::log1p(r * r) / (std::numbers::pi * r);
}

// Given c pairs of normals (u, v) of correlation rho, the largest |u| and the largest |v| are of one pair and have the
// same sign with probability
//   2 c integral_{u > 0} integral_{v > 0} phi(u, v) F(u, v)^{c - 1},  F(a, b) = P(|u| <= a, |v| <= b),
// by midpoints in s = (u + v) / sqrt(2 (1 + rho)) and t = (u - v) / sqrt(2 (1 - rho)), which are independent. F is
// tabulated as a sum over cells of (|u|, |v|).
class PolytopeIntegral {
 public:
  explicit PolytopeIntegral(double rho) : table_((kCells + 1) * (kCells + 1)) {
    const double wide = std::sqrt((1 + rho) / 2), narrow = std::sqrt((1 - rho) / 2);
    each_midpoint([&](double s, double t, double mass) {
      const double u = s * wide + t * narrow, v = s * wide - t * narrow;
      at(cell(std::abs(u)) + 1, cell(std::abs(v)) + 1) += mass;
    });
    for (std::size_t i = 1; i <= kCells; ++i)
      for (std::size_t j = 1; j <= kCells; ++j) at(i, j) += at(i - 1, j) + at(i, j - 1) - at(i - 1, j - 1);
    each_midpoint([&](double s, double t, double mass) {
      const double u = s * wide + t * narrow, v = s * wide - t * narrow;
      if (u > 0 && v > 0) value_ += mass * std::pow(below(u, v), double(kPolytope - 1));
    });
    value_ *= 2 * double(kPolytope);
  }
  double value() const { return std::min(1.0, value_); }

 private:
  static constexpr std::size_t kCells = 400, kPoints = 500;
  static constexpr double kEnd = 6;

  template <class Visit>
  static void each_midpoint(const Visit& visit) {
    constexpr double step = 2 * kEnd / double(kPoints);
    std::vector<double> at(kPoints), mass(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) {
      at[i] = -kEnd + (double(i) + 0.5) * step;
      mass[i] = step * std::exp(-at[i] * at[i] / 2) / std::sqrt(2 * std::numbers::pi);
    }
    for (std::size_t i = 0; i < kPoints; ++i)
      for (std::size_t j = 0; j < kPoints; ++j) visit(at[i], at[j], mass[i] * mass[j]);
  }
  static std::size_t cell(double a) { return std::min(kCells - 1, std::size_t(a / kEnd * double(kCells))); }
  double& at(std::size_t i, std::size_t j) { return table_[i * (kCells + 1) + j]; }
  // F(a, b), interpolated between the corners of a cell.
  double below(double a, double b) {
    const double x = std::min(a / kEnd * double(kCells), double(kCells) - 1e-9);
    const double y = std::min(b / kEnd * double(kCells), double(kCells) - 1e-9);
    const auto i = std::size_t(x), j = std::size_t(y);
    const double p = x - double(i), q = y - double(j);
    return (1 - p) * ((1 - q) * at(i, j) + q * at(i, j + 1)) + p * ((1 - q) * at(i + 1, j) + q * at(i + 1, j + 1));
  }

  std::vector<double> table_;
  double value_ = 0;
};

// Tabulated over sqrt(1 - rho), in which it is smooth, down to 1 at equal rows.
double polytope_collisions(double rho) {
  constexpr std::size_t kSteps = 24;
  static const std::array<double, kSteps + 1> table = [] {
    std::array<double, kSteps + 1> values{};
    for (std::size_t i = 0; i <= kSteps; ++i) {
      const double root = std::numbers::sqrt2 * double(i) / double(kSteps);
      values[i] = i == 0 ? 1.0 : i == kSteps ? 0.0 : PolytopeIntegral(1 - root * root).value();
    }
    return values;
  }();
  const double x = std::sqrt(std::clamp(1 - rho, 0.0, 2.0) / 2) * double(kSteps);
  const std::size_t i = std::min(kSteps - 1, std::size_t(x));
  return table[i] + (x - double(i)) * (table[i + 1] - table[i]);
}

}  // namespace

std::string hash_name(HashFamily family) { return kNames[std::size_t(family)]; }

HashFamily parse_hash_name(const std::string& text) {
  const auto at = std::find(kNames.begin(), kNames.end(), text);
  require(at != kNames.end(), "hash: found {}, expected stable, cauchy, hyperplane, crosspolytope or minhash", text);
  return HashFamily(at - kNames.begin());
}

double collision_probability(HashFamily family, double distance, double width) {
  require(distance >= 0 && width > 0, "collisions: distance {} and width {}, expected 0 or more and more than 0",
          distance, width);
  switch (family) {
    case HashFamily::stable:
      return distance > 0 ? stable_collisions(width / distance) : 1;
    case HashFamily::cauchy:
      return distance > 0 ? cauchy_collisions(width / distance) : 1;
    case HashFamily::hyperplane:
      return 1 - std::acos(std::clamp(1 - distance, -1.0, 1.0)) / std::numbers::pi;
    case HashFamily::crosspolytope:
      return polytope_collisions(std::clamp(1 - distance, -1.0, 1.0));
    case HashFamily::minhash:
      return std::clamp(1 - distance, 0.0, 1.0);
  }
  return 0;
}

}  // namespace bochner
