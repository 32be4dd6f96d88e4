// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.inputs_only = true});
//   const Model model = mixture(*rows, {.components = 3, .covariance = parse_covariance_name("diag")});
//   model.save("cars.mixture");
//   std::printf("log-likelihood of a row %g", mixture_facts(*model.head())->log_likelihood);
//   const Matrix<double> shares = model.predict(*rows);             // rows x three components
//   const MapPtr density = log_density(model.head());               // its logarithm, one number for each row
//   const Matrix<double> drawn = sample_mixture(mixtures_of(*model.head())[0], 100, 7);

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bochner/feature_options.h"
#include "bochner/gaussians.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

// Mixtures of Gaussians learnt by EM (Dempster, Laird & Rubin 1977), one for each class where the rows have classes.
struct MixtureOptions {
  std::size_t components = 0;  // components of each class; 0: as many as BIC finds best on a sample
  CovarianceForm covariance = {};
  std::size_t restarts = 4;  // starts by k-means++ on a sample, of which the likeliest is kept
  double tolerance = 1e-4;   // EM ends where a round gains less, in log-likelihood of a row
  std::size_t rounds = 200;  // at most
  // Least variance, as a share of an input's; none: chosen on rows held out of a sample.
  std::optional<double> floor = {};
  // What EM starts from, one for each class, instead of clusters.
  std::vector<Mixture> start = {};

  // EM in a random projection of so many dimensions, 0: 10 ln(all components), then one pass that maps it back: the
  // rows' shares of the projected components give weights, means and covariances of the inputs. Dasgupta 2000.
  std::optional<std::size_t> project = {};
  std::size_t projections = 3;   // projections, the likeliest of which, mapped back, is kept
  std::size_t rounds_after = 0;  // rounds of EM from there, at most

  FeatureOptions features = {.scale = ColumnScaling::Method::none};  // densities are of the features
};

// How far apart and how round components are. Both in the space they were learnt in.
struct MixtureShape {
  std::size_t inputs = 0;
  // c-separation: the least |m_i - m_j| / sqrt(max(tr S_i, tr S_j)) of two components of one mixture; 0: there is one.
  double separation = 0;
  // A covariance's largest eigenvalue divided by its least; Dasgupta's is the root of it. The largest, and the median,
  // over the components.
  double eccentricity = 0, median_eccentricity = 0;
};
MixtureShape shape_of(const std::vector<Mixture>& mixtures);

// What was found in training.
struct MixtureFacts {
  double log_likelihood = 0;  // mean of a row; of classes that of the rows given their class
  double parameters = 0, aic = 0, bic = 0;
  std::size_t rounds = 0;  // passes of EM
  std::size_t falls = 0;   // rounds in which the likelihood fell by more than rounding: none is expected
  bool converged = true;
  double floor = 0;                                   // share of an input's variance
  std::optional<MixtureShape> shape, projected = {};  // components; components in the projection they were learnt in
};

// A model whose outputs are the shares of the components in a row (predict: the largest), or with classes the
// logarithms of their posterior probabilities. The same bytes for any threads, blocks and memory.
Model mixture(Rows& rows, const MixtureOptions& options = {});

// Facts about the head of such a model; none for other heads.
std::optional<MixtureFacts> mixture_facts(const Map& head);
std::vector<Mixture> mixtures_of(const Map& head);    // one, or one of each class; empty: no mixture
std::vector<double> mixture_priors(const Map& head);  // one per class
// The map from the same features to the logarithm of their density, one output. Null: the head has none.
MapPtr log_density(const MapPtr& head);

// Rows drawn from a mixture: a pure function of the seed. components: if given, gets the component of each row.
Matrix<double> sample_mixture(const Mixture& mixture, std::size_t rows, std::uint64_t seed,
                              std::vector<std::size_t>* components = nullptr);

}  // namespace bochner
