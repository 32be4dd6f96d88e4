// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/hmm_shrink.h"

#include <numeric>

#include "base/require.h"

namespace bochner {

std::vector<double> gaussian_rows(const HmmPass& pass, const std::vector<Hmm>& hmms) {
  const HmmFold fold = pass(HmmFold(std::make_shared<const HmmRound>(hmms)));
  std::vector<double> weights;
  for (std::size_t k = 0; k < hmms.size() * hmms[0].gaussians.size(); ++k) weights.push_back(fold.sums().weight(k));
  return weights;
}

std::vector<Hmm> shrunk(std::vector<Hmm> hmms, const std::vector<double>& weights, double rows) {
  const std::size_t each = hmms[0].gaussians.size();
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(rows > 0) || !(all > 0)) return hmms;
  // The numbers of covariance k of class c, whatever its form.
  const auto numbers = [&](std::size_t c, std::size_t k) -> std::span<double> {
    Gaussians& g = hmms[c].gaussians;
    if (g.form.kind == CovarianceForm::Kind::full)
      return {g.matrices[k].data(), g.matrices[k].rows() * g.matrices[k].cols()};
    require(g.form.kind == CovarianceForm::Kind::diag || g.form.kind == CovarianceForm::Kind::spherical,
            "shrink: covariances are {}, expected full, diag or spherical", covariance_name(g.form));
    return {&g.variances(k, 0), g.variances.cols()};
  };
  std::vector<double> mean(numbers(0, 0).size());
  for (std::size_t c = 0; c < hmms.size(); ++c)
    for (std::size_t k = 0; k < each; ++k)
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += weights[c * each + k] / all * numbers(c, k)[i];
  for (std::size_t c = 0; c < hmms.size(); ++c)
    for (std::size_t k = 0; k < each; ++k) {
      const double w = weights[c * each + k];
      for (std::size_t i = 0; i < mean.size(); ++i)
        numbers(c, k)[i] = (w * numbers(c, k)[i] + rows * mean[i]) / (w + rows);
    }
  return hmms;
}

}  // namespace bochner
