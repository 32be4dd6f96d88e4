// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/svg.h"
#include "bochner/mixture.h"
#include "bochner/project.h"
#include "bochner/transform.h"
#include "methods/papers/claims.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kShellRows = 2000;

// |x|^2 / d of rows from N(0, I), or |x|^2 / (d / 12) of a cube around 0.
std::vector<double> squared_lengths(std::size_t d, std::uint64_t seed, bool cube) {
  std::vector<double> lengths(kShellRows);
  for (std::size_t i = 0; i < kShellRows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double x =
          cube ? std::sqrt(12.0) * (uniform(seed, Draw::sample, i, j) - 0.5) : normal(seed, Draw::sample, i, j);
      sum += x * x;
    }
    lengths[i] = sum / double(d);
  }
  return lengths;
}

Found shell_mean(const PapersOptions& papers) { return {.values = squared_lengths(200, papers.seed, false)}; }

Found shell_tail(const PapersOptions& papers) {
  constexpr std::size_t d = 1000;
  constexpr double kEpsilon = 0.3;
  Found found{.printed = 2 * std::exp(-double(d) * kEpsilon * kEpsilon / 24)};
  for (const double length : squared_lengths(d, papers.seed, false))
    found.values.push_back(std::fabs(length - 1) > kEpsilon);
  return found;
}

// The relative deviation of |x|^2 in a cube is sqrt(4 / (5 d)).
Found cube_shell(const PapersOptions& papers) {
  const double deviation = deviation_of(squared_lengths(400, papers.seed, true));
  return {.values = {deviation},
          .error = 3 * deviation / std::sqrt(2.0 * kShellRows),
          .printed = std::sqrt(4 / (5 * 400.0))};
}

// The Gaussians of a mixture in a random projection of their space.
Mixture projected(const Mixture& mixture, std::size_t dims, std::uint64_t seed, const Execution& execution) {
  const Gaussians& from = mixture.gaussians;
  const std::size_t d = from.inputs();
  const MapPtr map = project(d, {.kind = ProjectOptions::Kind::gaussian, .dims = dims, .seed = seed});
  Matrix<double> unit(d, d);
  for (std::size_t j = 0; j < d; ++j) unit(j, j) = 1;
  const Matrix<double> r = transform<double>(map, unit.view(), execution);
  Mixture to = mixture;
  to.gaussians = {.form = {CovarianceForm::Kind::full}, .means = Matrix<double>(from.size(), dims)};
  for (std::size_t c = 0; c < from.size(); ++c) {
    Matrix<double> covariance(dims, dims);
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t a = 0; a < dims; ++a) {
        to.gaussians.means(c, a) += from.means(c, j) * r(j, a);
        for (std::size_t b = 0; b < dims; ++b) covariance(a, b) += from.variances(c, j) * r(j, a) * r(j, b);
      }
    to.gaussians.matrices.push_back(std::move(covariance));
  }
  return to;
}

Mixture diagonal_mixture(std::size_t components, std::size_t d) {
  Mixture mixture;
  mixture.weights.assign(components, 1.0 / double(components));
  mixture.gaussians = {.form = {CovarianceForm::Kind::diag},
                       .means = Matrix<double>(components, d),
                       .variances = Matrix<double>(components, d)};
  std::fill_n(mixture.gaussians.variances.data(), components * d, 1.0);
  return mixture;
}

// Spherical Gaussians in random directions from the centre, whose least separation is 1.
Mixture separated(std::size_t components, std::size_t d, std::uint64_t seed) {
  Mixture mixture = diagonal_mixture(components, d);
  for (std::size_t c = 0; c < components; ++c)
    for (std::size_t j = 0; j < d; ++j) mixture.gaussians.means(c, j) = normal(seed, Draw::sample, c, j);
  const double least = shape_of({mixture}).separation;
  for (std::size_t k = 0; k < components * d; ++k) mixture.gaussians.means.data()[k] /= least;
  return mixture;
}

double separation_after(std::size_t components, std::size_t d, std::size_t dims, std::uint64_t seed,
                        const Execution& execution) {
  return shape_of({projected(separated(components, d, seed), dims, seed, execution)}).separation;
}

constexpr std::size_t kSeparationDraws = 30;

// The separation in 20 dimensions from 400 inputs divided by that from 50.
Found separation_of_two(const PapersOptions& papers) {
  Found found;
  for (std::size_t s = 0; s < kSeparationDraws; ++s)
    found.values.push_back(separation_after(2, 400, 20, papers.seed + s, papers.execution) /
                           separation_after(2, 50, 20, papers.seed + 1000 + s, papers.execution));
  found.error = 0.05;  // the mean of a ratio is a little above 1
  return found;
}

Found separation_ten_log(const PapersOptions& papers) {
  Found found;
  for (std::size_t s = 0; s < 5; ++s)
    found.values.push_back(separation_after(20, 200, 30, papers.seed + s, papers.execution));
  return found;
}

constexpr std::size_t kEccentricInputs = 50;

Mixture eccentric() {
  Mixture mixture = diagonal_mixture(1, kEccentricInputs);
  for (std::size_t j = 0; j < kEccentricInputs; ++j)
    mixture.gaussians.variances(0, j) = std::pow(1000.0, double(j) / double(kEccentricInputs - 1));
  return mixture;
}

double eccentricity_in(std::size_t dims, std::uint64_t seed, const Execution& execution) {
  return shape_of({projected(eccentric(), dims, seed, execution)}).eccentricity;
}

Found eccentricity(const PapersOptions& papers, std::size_t dims) {
  Found found{.printed = shape_of({eccentric()}).eccentricity};
  for (std::size_t s = 0; s < 10; ++s) found.values.push_back(eccentricity_in(dims, papers.seed + s, papers.execution));
  return found;
}
Found eccentricity_25(const PapersOptions& papers) { return eccentricity(papers, 25); }
Found eccentricity_10(const PapersOptions& papers) { return eccentricity(papers, 10); }

// The density of |x| for x from N(0, I).
double length_density(double d, double r) {
  return std::exp((d - 1) * std::log(r) - r * r / 2 - (d / 2 - 1) * std::numbers::ln2 - std::lgamma(d / 2));
}

std::string shell_picture() {
  constexpr int kInputCounts[] = {1, 2, 5, 10, 20};
  const PlotFrame frame{{50, 24, 460, 200}, round_axis(0, 7, 7), round_axis(0, 0.8, 4)};
  Svg svg(560, 280, "density of the distance from the centre");
  draw_axes(svg, frame, "distance from the centre", "density, 1, 2, 5, 10 and 20 inputs");
  for (std::size_t k = 0; k < std::size(kInputCounts); ++k) {
    std::vector<Point> points;
    for (double r = 0.02; r <= 7; r += 0.04) points.push_back(frame.at(r, length_density(kInputCounts[k], r)));
    svg.path(points, fmt::format("c{} stroke", k));
  }
  return std::move(svg).done();
}

std::string eccentricity_picture(const PapersOptions& options) {
  const double before = std::log10(shape_of({eccentric()}).eccentricity);
  const PlotFrame frame{{50, 24, 460, 200}, round_axis(0, 50, 5), round_axis(0, 5, 5)};
  Svg svg(560, 280, "eccentricity after projection");
  draw_axes(svg, frame, "dimensions k", "log10 of the eccentricity (dashed: in 50 inputs)");
  svg.line(frame.at(0, before), frame.at(50, before), "ideal");
  std::vector<Point> points;
  for (std::size_t k = 2; k <= 48; k += 2)
    points.push_back(
        frame.at(double(k), std::min(5.0, std::log10(eccentricity_in(k, options.seed, options.execution)))));
  svg.path(points, "c0 stroke");
  return std::move(svg).done();
}

}  // namespace

std::vector<Claim> mixture_claims() {
  return {
      {"mixtures", "001", "Thin shell", "E|x - mu|^2 / (d sigma^2)", 1.0, 0, ClaimKind::same, shell_mean,
       "d = 200, 2,000 rows"},
      {"mixtures", "001", "Thin shell", "Pr[| |x|^2 - d | > 0.3 d] beside 2 exp(-d e^2 / 24), d = 1,000", std::nullopt,
       0, ClaimKind::bound, shell_tail, "2,000 rows"},
      {"mixtures", "001", "Thin shell",
       "\"a uniform distribution in a hypercube?\": a shell too, of relative width sqrt(4 / 5d)", std::nullopt, 0,
       ClaimKind::same, cube_shell, "d = 400, 2,000 rows"},
      {"mixtures", "001", "Overlap, figure 1", "separation in k = 20 is independent of d: d = 400 beside d = 50", 1.0,
       0, ClaimKind::same, separation_of_two, "two Gaussians, 30 draws"},
      {"mixtures", "001", "Overlap, figure 2", "separation of 20 Gaussians, 1 before, in k = 10 ln m", 0.5, 0,
       ClaimKind::more, separation_ten_log,
       "the figure has no number: held against half the separation; 200 inputs, 5 draws"},
      {"mixtures", "001", "Eccentricity", "eccentricity in k = 25 of 50 inputs, beside that before", std::nullopt, 0,
       ClaimKind::less, eccentricity_25, "10 draws"},
      {"mixtures", "001", "Eccentricity", "eccentricity in k = 10 of 50 inputs, beside that before", std::nullopt, 0,
       ClaimKind::less, eccentricity_10, "10 draws"},
  };
}

void draw_mixtures(const PapersOptions& options, std::vector<PaperPicture>& pictures) {
  pictures.push_back({"mixtures", "Where the mass of a Gaussian lies (001, thin shell)", shell_picture()});
  pictures.push_back(
      {"mixtures", "Projection makes a Gaussian rounder (001, eccentricity)", eccentricity_picture(options)});
}

}  // namespace bochner
