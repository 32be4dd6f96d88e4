// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bochner/bounds.h"
#include "bochner/gaussians.h"
#include "bochner/project.h"
#include "bochner/transform.h"
#include "methods/papers/claims.h"
#include "random/draw.h"

namespace bochner {

namespace {

using Kind = ProjectOptions::Kind;

// Documents: d = 1M, k = 10K.
constexpr std::size_t kWords = 1'000'000, kDims = 10'000;

double stored_gigabytes(Kind kind, std::size_t inputs) {
  return projection_bytes(inputs, {.kind = kind, .dims = kDims}) / 1e9;
}
Found stored_gaussian(const PapersOptions&) { return {.values = {stored_gigabytes(Kind::gaussian, kWords)}}; }
Found stored_signs(const PapersOptions&) { return {.values = {stored_gigabytes(Kind::sign, kWords)}}; }
Found stored_sparse(const PapersOptions&) { return {.values = {stored_gigabytes(Kind::sparse, kWords)}}; }
Found drawn_again(const PapersOptions&) {
  const MapPtr map = project(kWords, {.kind = Kind::sign, .dims = kDims, .store = ProjectOptions::Store::seed});
  return {.values = {double(map->held_bytes()) / 1e9}};
}

Found lemma_dimension(const PapersOptions&) { return {.values = {double(projection_dimension(100'000'000, 0.1))}}; }

// The lemma's dimension by log10.
Found lemma_slip(const PapersOptions& papers) {
  Found found = lemma_dimension(papers);
  const double pairs = 1e8 * (1e8 - 1) / 2, k = 7000, rate = 0.1 * 0.1 / 2 - 0.1 * 0.1 * 0.1 / 3;
  found.why = fmt::format(
      "4 log10(n) / (e^2/2 - e^3/3) is {:.0f}; in 7,000 dimensions the proof's bound on a failure is "
      "{:.2g}, above 1",
      4 * 8 / rate, 2 * pairs * std::exp(-k * rate / 2));
  return found;
}

Matrix<double> normal_rows(std::size_t rows, std::size_t inputs, std::uint64_t seed) {
  Matrix<double> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) x(i, j) = normal(seed, Draw::sample, i, j);
  return x;
}

double squared_distance(const Matrix<double>& x, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t j = 0; j < x.cols(); ++j) sum += (x(a, j) - x(b, j)) * (x(a, j) - x(b, j));
  return sum;
}

// Whether a projection keeps all squared distances of the rows within 1 +- epsilon.
bool keeps_all(const Matrix<double>& x, const Matrix<double>& y, double epsilon) {
  for (std::size_t a = 0; a < x.rows(); ++a)
    for (std::size_t b = a + 1; b < x.rows(); ++b)
      if (std::fabs(squared_distance(y, a, b) / squared_distance(x, a, b) - 1) > epsilon) return false;
  return true;
}

// The share of draws that keep all distances of 30 points, in the lemma's dimension.
Found success(const PapersOptions& papers) {
  constexpr std::size_t kPoints30 = 30, kInputs200 = 200, kDraws200 = 200;
  constexpr double kEpsilon = 0.5;
  const Matrix<double> x = normal_rows(kPoints30, kInputs200, papers.seed);
  const std::size_t k = projection_dimension(kPoints30, kEpsilon);
  Found found{.printed = 1.0 / kPoints30, .why = fmt::format("n = 30, epsilon = 0.5, k = {}", k)};
  for (std::size_t s = 0; s < kDraws200; ++s) {
    const MapPtr map = project(kInputs200, {.kind = Kind::gaussian, .dims = k, .seed = papers.seed + s});
    found.values.push_back(keeps_all(x, transform<double>(map, x.view(), papers.execution), kEpsilon));
  }
  return found;
}

// E|f(u)|^2 / |u|^2 over draws of the projection.
Found mean_length(const PapersOptions& papers, Kind kind) {
  const Matrix<double> x = normal_rows(1, 256, papers.seed);
  Found found;
  for (std::size_t s = 0; s < 300; ++s) {
    const MapPtr map = project(256, {.kind = kind, .dims = 32, .seed = papers.seed + s});
    const Matrix<double> y = transform<double>(map, x.view(), papers.execution);
    double before = 0, after = 0;
    for (std::size_t j = 0; j < x.cols(); ++j) before += x(0, j) * x(0, j);
    for (std::size_t j = 0; j < y.cols(); ++j) after += y(0, j) * y(0, j);
    found.values.push_back(after / before);
  }
  return found;
}
Found length_gaussian(const PapersOptions& papers) { return mean_length(papers, Kind::gaussian); }
Found length_sign(const PapersOptions& papers) { return mean_length(papers, Kind::sign); }
Found length_sparse(const PapersOptions& papers) { return mean_length(papers, Kind::sparse); }
Found length_fastjl(const PapersOptions& papers) { return mean_length(papers, Kind::fastjl); }
Found length_hash(const PapersOptions& papers) { return mean_length(papers, Kind::hash); }

double determinant(Matrix<double> a) {
  double product = 1;
  for (std::size_t c = 0; c < a.rows(); ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < a.rows(); ++r)
      if (std::fabs(a(r, c)) > std::fabs(a(pivot, c))) pivot = r;
    if (a(pivot, c) == 0) return 0;
    if (pivot != c) product = -product;
    for (std::size_t j = 0; j < a.cols(); ++j) std::swap(a(pivot, j), a(c, j));
    product *= a(c, c);
    for (std::size_t r = c + 1; r < a.rows(); ++r)
      for (std::size_t j = a.cols(); j-- > c;) a(r, j) -= a(r, c) / a(c, c) * a(c, j);
  }
  return product;
}

// All four outputs of our own transform of four inputs, and the matrix of the slide: |determinant|.
Found hadamard(const PapersOptions& papers) {
  constexpr double kSlide[4][4] = {{1, 1, -1, -1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {-1, 1, 1, -1}};
  Matrix<double> slide(4, 4), unit(4, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    unit(i, i) = 1;
    for (std::size_t j = 0; j < 4; ++j) slide(i, j) = kSlide[i][j] / 2;
  }
  const MapPtr map = project(4, {.kind = Kind::srht, .dims = 4, .seed = papers.seed});
  return {.values = {std::fabs(determinant(transform<double>(map, unit.view(), papers.execution)))},
          .printed = std::fabs(determinant(slide))};
}

// Video: 100K inputs, 100 states of 10 Gaussians each.
Found full_parameters(const PapersOptions&) {
  return {.values = {parameters_of({CovarianceForm::Kind::full}, 1000, 100'000)}};
}
Found diagonal_parameters(const PapersOptions&) {
  return {.values = {parameters_of({CovarianceForm::Kind::diag}, 1000, 100'000)}};
}
Found projected_parameters(const PapersOptions&) {
  return {.values = {parameters_of({CovarianceForm::Kind::diag}, 1000, 1000)}};
}

}  // namespace

std::vector<Claim> projection_claims() {
  constexpr const char* kLadder = "d = 1M, k = 10K, by projection_bytes";
  constexpr const char* kLength = "256 inputs, 32 outputs, 300 draws";
  return {
      {"ladder", "001", "Document retrieval", "gaussian entries in memory, GB", 40, .5, ClaimKind::less,
       stored_gaussian, kLadder},
      {"ladder", "001", "Scale-friendly", "signs in memory, GB", 1.25, .005, ClaimKind::less, stored_signs,
       "d = 1M, k = 10K, by projection_bytes; a row of 10,000 bits ends at a whole word of 64"},
      {"ladder", "001", "Scale-friendly", "sqrt(3) {1, 0, -1} in memory, GB", 2.5, .05, ClaimKind::less, stored_sparse,
       kLadder},
      {"ladder", "001", "Scale-friendly", "signs drawn again for each block, GB beside 1.25", 1.25, .005,
       ClaimKind::less, drawn_again, "what the map holds between blocks: entries are functions of the seed"},
      {"ladder", "001", "Hidden Markov models", "numbers of full covariances: O(10T)", 1e13, 0, ClaimKind::order,
       full_parameters, "d = 100K, 100 states of 10 Gaussians, by parameters_of"},
      {"ladder", "001", "Hidden Markov models", "numbers of diagonal covariances: O(100M)", 1e8, 0, ClaimKind::order,
       diagonal_parameters, "d = 100K, 100 states of 10 Gaussians"},
      {"ladder", "001", "Randomized Projections", "the same in 1,000 dimensions: O(1M)", 1e6, 0, ClaimKind::order,
       projected_parameters, "1,000 Gaussians"},
      {"jl", "001", "Elementary proof", "E|f(u)|^2 / |u|^2 of gaussian entries", 1.0, 0, ClaimKind::same,
       length_gaussian, kLength},
      {"jl", "001", "Scale-friendly", "E|f(u)|^2 / |u|^2 of signs", 1.0, 0, ClaimKind::same, length_sign, kLength},
      {"jl", "001", "Scale-friendly", "E|f(u)|^2 / |u|^2 of sqrt(3) {1, 0, -1}", 1.0, 0, ClaimKind::same, length_sparse,
       kLength},
      {"jl", "001", "Fast JL", "E|f(u)|^2 / |u|^2 of the fast transform", 1.0, 0, ClaimKind::same, length_fastjl,
       kLength},
      {"jl", "001", "Scale-friendly", "\"relation with hash-kernel?\": E|f(u)|^2 / |u|^2 of hashes", 1.0, 0,
       ClaimKind::same, length_hash, kLength},
      {"slips", "001", "Randomized Projections", "n = 100M, epsilon = 0.1: k is about 7K", 7000, 500, ClaimKind::slip,
       lemma_slip},
      {"slips", "001", "Elementary proof", "one draw keeps all distances with probability at most 1 / n", std::nullopt,
       0, ClaimKind::slip, success, "the lemma says at least 1 / n"},
      {"slips", "001", "Fast JL", "|determinant| of the 4 x 4 Hadamard matrix, orthogonal if it is 1", std::nullopt,
       1e-9, ClaimKind::slip, hadamard, "the slide's last row is minus its third; (1, 1, 1, 1) is meant"},
  };
}

}  // namespace bochner
