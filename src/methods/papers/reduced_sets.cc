// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/svg.h"
#include "bochner/contours.h"
#include "bochner/reduce.h"
#include "methods/papers/claims.h"
#include "random/draw.h"

namespace bochner {

namespace {

using Method = ReduceOptions::Method;

constexpr std::size_t kSampleRows = 1000;

// Section 5.1 of 002: a mixture of three Gaussians in the plane whose means, deviations and weights are random.
Matrix<double> synthetic_rows(std::uint64_t seed) {
  double mean[3][2], deviation[3][2], weight[3], sum = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    sum += weight[c] = uniform(seed, Draw::candidate, c, 9);
    for (std::size_t j = 0; j < 2; ++j) {
      mean[c][j] = 3 * normal(seed, Draw::candidate, c, j);
      deviation[c][j] = std::fabs(1 + 0.4 * normal(seed, Draw::candidate, c, 4 + j));
    }
  }
  Matrix<double> x(kSampleRows, 2);
  for (std::size_t i = 0; i < kSampleRows; ++i) {
    double u = sum * uniform(seed, Draw::pick, i);
    std::size_t c = 0;
    while (c < 2 && u > weight[c]) u -= weight[c++];
    for (std::size_t j = 0; j < 2; ++j) x(i, j) = mean[c][j] + deviation[c][j] * normal(seed, Draw::sample, i, j);
  }
  return x;
}

ReducedSet reduced(const PapersOptions& papers, std::uint64_t seed, Method method, std::size_t points) {
  return reduce(mean_expansion(synthetic_rows(seed), gaussian(1)),
                {.points = points, .method = method, .seed = seed, .execution = papers.execution});
}

// The ratio of two methods' distances or times, by their logarithms' mean, since they differ by powers of ten.
Found ratio(const PapersOptions& papers, Method ours, Method classical, bool times) {
  Found found{.printed = 1.0};
  for (int s = 0; s < papers.seeds; ++s) {
    const ReducedSet a = reduced(papers, papers.seed + std::uint64_t(s), ours, 20),
                     b = reduced(papers, papers.seed + std::uint64_t(s), classical, 20);
    found.values.push_back(times ? a.seconds / b.seconds : a.rkhs_distance / b.rkhs_distance);
  }
  return found;
}
Found rsrf_distance(const PapersOptions& papers) { return ratio(papers, Method::rsrf, Method::fixed_point, false); }
Found joint_distance(const PapersOptions& papers) { return ratio(papers, Method::joint, Method::fixed_point, false); }

// How far the least squares for the weights are from solved, by their normal equations, m = 100 features and n = 20
// points: Phi is m x n, so Phi' Phi + lambda I is n x n.
Found normal_equations(const PapersOptions& papers) {
  const ReducedSet set = reduced(papers, papers.seed, Method::rsrf, 20);
  return {.values = {double(set.weights.size())},
          .printed = double(set.features),
          .why =
              "(Phi Phi' + lambda I)^-1 Phi mu would solve for m = 100 unknowns and multiply a vector of m by m x n; "
              "(Phi' Phi + lambda I)^-1 Phi' mu has the n = 20 weights"};
}

// The sum of the weights of a mean of N = 1000 rows: 1 / m of m = 100 features gives 10.
Found mean_weights(const PapersOptions& papers) {
  const Expansion mean = mean_expansion(synthetic_rows(papers.seed), gaussian(1));
  return {.values = {std::accumulate(mean.weights.begin(), mean.weights.end(), 0.0)},
          .error = 1e-9,
          .printed = double(kSampleRows) / 100};
}

std::string curves_picture(const PapersOptions& options) {
  constexpr std::size_t kCounts[] = {1, 2, 3, 5, 7, 10, 14, 20};
  const PlotFrame frame{{50, 24, 460, 200}, round_axis(0, 20, 5), round_axis(-5, 0, 5)};
  Svg svg(620, 280, "distance against points");
  draw_axes(svg, frame, "points n", "log10 of the distance in the kernel's space");
  const std::pair<Method, const char*> methods[] = {
      {Method::joint, "joint"}, {Method::fixed_point, "fixed point"}, {Method::rsrf, "RSRF"}};
  for (std::size_t k = 0; k < std::size(methods); ++k) {
    std::vector<Point> points;
    for (const std::size_t n : kCounts)
      points.push_back(frame.at(
          double(n),
          std::clamp(std::log10(reduced(options, options.seed, methods[k].first, n).rkhs_distance), -5.0, 0.0)));
    svg.path(points, fmt::format("c{} stroke", k));
    svg.text({points.back().x + 6, points.back().y + 4}, methods[k].second, "start", "tick");
  }
  return std::move(svg).done();
}

}  // namespace

std::vector<Claim> reduced_set_claims() {
  return {
      {"reduced-sets", "002", "Figure 4", "RSRF is only comparable to the classical method: ratio of distances, n = 20",
       1.0, 0, ClaimKind::less, rsrf_distance, "exact distances in the kernel's space; N = 1,000, sigma = 1"},
      {"reduced-sets", "002", "Figure 4", "our joint method beside the classical one: ratio of distances, n = 20", 1.0,
       0, ClaimKind::less, joint_distance, "exact distances in the kernel's space"},
      {"slips", "002", "Equation 14", "unknowns of the least squares for n = 20 weights", std::nullopt, 0,
       ClaimKind::slip, normal_equations},
      {"slips", "002", "Equation 15", "mu = 1/m sum phi(x_i) over N = 1,000 rows, m = 100: sum of the weights",
       std::nullopt, 0, ClaimKind::slip, mean_weights, "a mean needs 1/N"},
  };
}

void draw_reduced_sets(const PapersOptions& options, std::vector<PaperPicture>& pictures) {
  pictures.push_back({"reduced-sets", "Distance against points (002, figure 4)", curves_picture(options)});
  const Expansion mean = mean_expansion(synthetic_rows(options.seed), gaussian(1));
  const ReducedSet set = reduced(options, options.seed, Method::joint, 20);
  ContourOptions contours{.dots = 0, .execution = options.execution};
  contours.window = {{{-9, 9}, {-9, 9}}};
  pictures.push_back({"reduced-sets", "The mean of 1,000 rows (002, figure 1)", contour_plot(mean, contours)});
  contours.dots = 20;
  pictures.push_back({"reduced-sets", "The same by 20 points, joint method (002, figures 2 and 3)",
                      contour_plot({set.points, set.weights, set.kernel}, contours)});
}

}  // namespace bochner
