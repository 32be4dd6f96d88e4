// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <limits>

#include "bochner/mixture.h"
#include "maps/lower_factor.h"
#include "random/draw.h"
#include "solve/dense.h"

namespace bochner {

namespace {

double eccentricity_of(const Gaussians& g, std::size_t k) {
  Matrix<double> covariance = g.covariance(k);
  std::vector<double> values(g.inputs());
  symmetric_eigenvalues(covariance.view(), values);
  // What is lost beside the largest in rounding counts as that: the ratio stays a number.
  return values.back() / std::max(values.front(), values.back() * std::numeric_limits<double>::epsilon());
}

double trace_of(const Gaussians& g, std::size_t k) {
  double trace = 0;
  for (std::size_t j = 0; j < g.inputs(); ++j) {
    if (g.form.kind == CovarianceForm::Kind::full || g.form.kind == CovarianceForm::Kind::tied)
      trace += g.matrices[g.form.kind == CovarianceForm::Kind::full ? k : 0](j, j);
    else
      trace += g.variances(k, g.form.kind == CovarianceForm::Kind::spherical ? 0 : j);
    for (std::size_t a = 0; g.form.kind == CovarianceForm::Kind::lowrank && a < g.form.rank; ++a)
      trace += g.matrices[k](j, a) * g.matrices[k](j, a);
  }
  return trace;
}

}  // namespace

MixtureShape shape_of(const std::vector<Mixture>& mixtures) {
  MixtureShape shape;
  std::vector<double> eccentricities;
  double least = std::numeric_limits<double>::infinity();
  for (const Mixture& mixture : mixtures) {
    const Gaussians& g = mixture.gaussians;
    shape.inputs = g.inputs();
    std::vector<double> traces;
    for (std::size_t k = 0; k < g.size(); ++k) {
      traces.push_back(trace_of(g, k));
      eccentricities.push_back(eccentricity_of(g, k));
      for (std::size_t l = 0; l < k; ++l) {
        double distance = 0;
        for (std::size_t j = 0; j < g.inputs(); ++j) distance += std::pow(g.means(k, j) - g.means(l, j), 2);
        least = std::min(least, std::sqrt(distance / std::max(traces[k], traces[l])));
      }
    }
  }
  std::sort(eccentricities.begin(), eccentricities.end());
  if (std::isfinite(least)) shape.separation = least;
  shape.eccentricity = eccentricities.back();
  shape.median_eccentricity = eccentricities[eccentricities.size() / 2];
  return shape;
}

Matrix<double> sample_mixture(const Mixture& mixture, std::size_t rows, std::uint64_t seed,
                              std::vector<std::size_t>* components) {
  const Gaussians& g = mixture.gaussians;
  const std::size_t d = g.inputs();
  std::vector<Matrix<double>> lower;
  for (std::size_t k = 0; k < g.size(); ++k) {
    lower.push_back(g.covariance(k));
    factor_lower_in_place(lower.back().view());
  }
  Matrix<double> x(rows, d);
  for (std::size_t i = 0; i < rows; ++i) {
    double left = uniform(seed, Draw::pick, i);
    std::size_t k = 0;
    while (k + 1 < g.size() && (left -= mixture.weights[k]) > 0) ++k;
    if (components) components->push_back(k);
    for (std::size_t j = 0; j < d; ++j) {
      const double z = normal(seed, Draw::entry, i, j);
      for (std::size_t a = j; a < d; ++a) x(i, a) += lower[k](a, j) * z;
    }
    for (std::size_t j = 0; j < d; ++j) x(i, j) += g.means(k, j);
  }
  return x;
}

}  // namespace bochner
