// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "folds/row_moments.h"
#include "methods/mixtures/floor.h"
#include "methods/mixtures/projected.h"
#include "methods/mixtures/start.h"
#include "run/checkpoint.h"

namespace bochner {

namespace {

constexpr std::size_t kCandidates[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 32, 40, 48, 64};
constexpr std::size_t kPatience = 3;  // numbers of components without a better BIC

// BIC on the sample: -2 log-likelihood + parameters ln n, summed over the groups.
double bic_of(const EmRun& run, const MixtureSample& sample, const CovarianceForm& form) {
  double bic = 0;
  for (std::size_t g = 0; g < sample.groups; ++g) {
    const std::size_t rows = sample.of_group(g).size();
    const std::size_t M = run.mixtures.of_group(g).weights.size();
    bic += parameters_of(form, M, sample.x.cols()) * std::log(double(std::max<std::size_t>(rows, 1))) -
           2 * run.log_likelihoods[g];
  }
  return bic;
}

}  // namespace

std::size_t choose_components(const Workers& on, const MixtureSample& sample, StartOptions start,
                              const SayMixture& say) {
  std::size_t best = 1, since = 0;
  double least = std::numeric_limits<double>::infinity();
  std::string tried;
  start.rounds *= 4;
  for (const std::size_t components : kCandidates) {
    if (components > sample.rows() || since >= kPatience) break;
    start.components = components;
    const double bic = bic_of(best_start(on, sample, start), sample, start.covariance);
    tried += fmt::format("{}{}: {:.6g}", tried.empty() ? "" : ", ", components, bic);
    since = bic < least ? 0 : since + 1;
    if (bic < least) least = bic, best = components;
  }
  say(fmt::format("components: {} has the least BIC on {} rows ({})", best, sample.rows(), tried));
  return best;
}

std::vector<double> stream_variances(const Stream& stream) {
  const RowMoments moments = stream.fold(RowMoments(stream.features()), "variances");
  std::vector<double> variances;
  for (std::size_t j = 0; j < stream.features(); ++j) variances.push_back(std::pow(moments.deviation(j), 2));
  return variances;
}

StartOptions start_options(const Workers& on, const MixtureSample& sample, const MixtureOptions& options,
                           const std::vector<double>& variances, double& share) {
  StartOptions start{.components = std::max<std::size_t>(1, options.components),
                     .covariance = options.covariance,
                     .restarts = options.restarts,
                     .rounds = 12,
                     .seed = options.features.seed,
                     .floor = {}};
  require(!options.floor || (*options.floor > 0 && *options.floor < 1),
          "floor: found {}, expected a share of the variance above 0 and below 1", options.floor.value_or(0));
  share = options.floor ? *options.floor : choose_floor(on, sample, start, variances);
  start.floor = floor_of(variances, share);
  return start;
}

EmRun em_of_stream(const Stream& stream, Mixtures start, const EmOptions& options, const std::string& name) {
  std::size_t round = 0;
  StateKeeper keeper = keeper_of(stream.execution().checkpoint, name + "EM");
  if (keeper.take)
    keeper.take = [&round, take = keeper.take] {
      auto saved = take();
      if (saved) round = saved->get_count("rounds");
      return saved;
    };
  const auto pass = [&](MixtureFold empty) {
    return stream.fold_saved(std::move(empty), fmt::format("{}round {}", name, ++round));
  };
  return run_em(pass, std::move(start), options, stream.threads(), keeper);
}

FittedMixtures fit_mixtures(const Stream& stream, const MixtureSample& sample, const MixtureOptions& options,
                            const SayMixture& say) {
  const std::size_t d = stream.features();
  require(options.covariance.kind != CovarianceForm::Kind::lowrank || options.covariance.rank <= d,
          "covariance: found lowrank:{}, expected a rank of at most {}, the number of inputs", options.covariance.rank,
          d);
  if (options.project) return fit_projected(stream, sample, options, say);
  const Workers on = stream.workers();
  const std::vector<double> variances = stream_variances(stream);
  FittedMixtures fitted;
  StartOptions start = start_options(on, sample, options, variances, fitted.floor);
  EmOptions em{.tolerance = options.tolerance,
               .rounds = options.rounds,
               .floor = start.floor,
               .double_precision = stream.precision() == Precision::float64};
  if (!options.start.empty()) {
    require(options.start.size() == sample.groups, "mixture: found {} starts, expected {}", options.start.size(),
            sample.groups);
    fitted.run = em_of_stream(stream, side_by_side(options.start), em, "");
    return fitted;
  }
  if (options.components == 0) start.components = choose_components(on, sample, start, say);
  Mixtures found = best_start(on, sample, start).mixtures;
  fitted.run = em_of_stream(stream, std::move(found), em, "");
  return fitted;
}

}  // namespace bochner
