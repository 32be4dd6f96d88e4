// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Pairwise distances of 10,000 points after projections to the lemma's dimension for eps = 0.1: how many of the
// 5 10^7 squared distances leave 1 +- eps, and the worst, over seeds. bench_distortion [--quick] [--seeds N]
//
// A projection is linear, so that squared distances are those of the quadratic form G = R R^T / k of the inputs:
// d rows are projected in place of all points, and no pair costs k products.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string_view>
#include <utility>

#include "backend/backend.h"
#include "backend/cpu/blas.h"
#include "bochner/bounds.h"
#include "bochner/matrix.h"
#include "bochner/project.h"
#include "timing.h"

namespace {

using namespace bochner;
using Kind = ProjectOptions::Kind;

constexpr std::size_t kTile = 1000;

struct Points {
  Matrix<float> x;
  std::vector<Matrix<float>> squares;  // squared distances of one tile of rows to another, the lower triangle
};

// The squared distances |a - b|^2 of two tiles of rows, where products are by x and y = x G.
void tile_distances(const Matrix<float>& x, const Matrix<float>& y, std::size_t a, std::size_t b, Matrix<float>& out) {
  const std::size_t n = std::min(kTile, x.rows() - a), m = std::min(kTile, x.rows() - b);
  const auto own = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t j = 0; j < x.cols(); ++j) sum += double(x(i, j)) * y(i, j);
    return sum;
  };
  std::vector<double> left(n), right(m);
  for (std::size_t i = 0; i < n; ++i) left[i] = own(a + i);
  for (std::size_t i = 0; i < m; ++i) right[i] = own(b + i);
  out = Matrix<float>(n, m);
  blas::gemm(1, {blas::Op::plain, y.view().slice(a, n)}, {blas::Op::transposed, x.view().slice(b, m)}, 0, out.view());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) out(i, j) = float(left[i] + right[j] - 2 * double(out(i, j)));
}

Points normal_points(std::size_t n, std::size_t d) {
  Points points{Matrix<float>(n, d), {}};
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) points.x(i, j) = normal(generator);
  for (std::size_t a = 0; a < n; a += kTile)
    for (std::size_t b = 0; b <= a; b += kTile) tile_distances(points.x, points.x, a, b, points.squares.emplace_back());
  return points;
}

// x G for the quadratic form of a projection.
Matrix<float> through(const Matrix<float>& x, const Map& map) {
  const std::size_t d = x.cols(), k = map.outputs();
  Matrix<float> unit(d, d), r(d, k), g(d, d), y(x.rows(), d);
  for (std::size_t j = 0; j < d; ++j) unit(j, j) = 1;
  map.apply(cpu_backend(), RowBlock<float>::dense(std::as_const(unit).view()), r.view());
  blas::gemm(1, {blas::Op::plain, std::as_const(r).view()}, {blas::Op::transposed, std::as_const(r).view()}, 0,
             g.view());
  blas::gemm(1, {blas::Op::plain, x.view()}, {blas::Op::plain, std::as_const(g).view()}, 0, y.view());
  return y;
}

struct Worst {
  double above = 0, below = 0;  // ratio of squared distances, less 1
  std::size_t outside = 0, seeds_outside = 0;
};

void add_seed(const Points& points, const Map& map, double epsilon, Worst& worst) {
  const Matrix<float> y = through(points.x, map);
  const std::size_t n = points.x.rows(), before = worst.outside;
  std::size_t tile = 0;
  Matrix<float> found;
  for (std::size_t a = 0; a < n; a += kTile)
    for (std::size_t b = 0; b <= a; b += kTile, ++tile) {
      tile_distances(points.x, y, a, b, found);
      const Matrix<float>& exact = points.squares[tile];
      for (std::size_t i = 0; i < found.rows(); ++i)
        for (std::size_t j = 0; j < (a == b ? i : found.cols()); ++j) {
          const double error = double(found(i, j)) / exact(i, j) - 1;
          worst.above = std::max(worst.above, error);
          worst.below = std::min(worst.below, error);
          worst.outside += std::abs(error) > epsilon;
        }
    }
  worst.seeds_outside += worst.outside > before;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  std::size_t seeds = quick ? 2 : 100;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string_view(argv[i]) == "--seeds") seeds = std::size_t(std::atol(argv[i + 1]));
  const std::size_t n = quick ? 500 : 10000, d = 256;
  const double epsilon = 0.1;
  const std::size_t k = projection_dimension(n, epsilon);
  const Points points = normal_points(n, d);
  fmt::print("{} points of {} inputs, eps = {}, k = {}, {} seeds, {} pairs each\n", n, d, epsilon, k, seeds,
             n * (n - 1) / 2);
  for (const Kind kind : {Kind::gaussian, Kind::sign, Kind::sparse, Kind::fastjl}) {
    Worst worst;
    for (std::size_t seed = 0; seed < seeds; ++seed)
      add_seed(points, *project(d, {.kind = kind, .dims = k, .seed = seed, .points = n}), epsilon, worst);
    fmt::print(
        "  {:<9} squared distances {:+.4f} to {:+.4f}, distances {:+.4f} to {:+.4f}; pairs outside 1 +- eps: {} "
        "squared, in {} seeds, {} distances\n",
        projection_name(kind), worst.below, worst.above, std::sqrt(1 + worst.below) - 1, std::sqrt(1 + worst.above) - 1,
        worst.outside, worst.seeds_outside,
        std::max(std::sqrt(1 + worst.above) - 1, 1 - std::sqrt(1 + worst.below)) > epsilon ? "some" : "no");
    std::fflush(stdout);
  }
}
