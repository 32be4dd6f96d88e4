// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/projected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "bochner/project.h"
#include "folds/row_moments.h"
#include "maps/map_rows.h"
#include "methods/mixtures/maximize.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

using Kind = CovarianceForm::Kind;
constexpr std::size_t kKeptBytes = std::size_t(256) << 20;  // projected rows, which EM passes over many times
constexpr std::size_t kMostMatrix = 2048;                   // inputs whose covariances are found whole

// The rows of a stream through a projection, in memory where that is little.
class ProjectedRows {
 public:
  ProjectedRows(const Stream& stream, const MapPtr& projection, const MixtureSample& sample)
      : stream_(stream.through(projection)) {
    sample_ = sample;
    sample_.x = Matrix<double>(sample.rows(), projection->outputs());
    map_rows(stream.workers(), *projection, sample.block(), sample_.x.view());
    if (stream.precision() == Precision::float64) return;  // as asked for, though slower
    keep(std::min(kKeptBytes, memory_limit(stream.execution()) / 8));
  }

  const Stream& stream() const { return kept_stream_ ? *kept_stream_ : stream_; }
  const MixtureSample& sample() const { return sample_; }

 private:
  void keep(std::size_t most_bytes) {
    const std::size_t k = stream_.features();
    bool fits = true;
    stream_.each("projecting", [&](const auto& block) {
      fits = fits && (x_.size() + block.rows * k) * sizeof(float) <= most_bytes;
      if (!fits) return;
      for (std::size_t i = 0; i < block.rows; ++i)
        for (std::size_t j = 0; j < k; ++j) x_.push_back(float(block.values[i * block.stride + j]));
      for (std::size_t i = 0; i < block.rows; ++i) {
        if (sample_.groups > 1) classes_.push_back(block.targets[i * block.target_count]);
        weights_.push_back(block.weights ? block.weights[i] : 1);
      }
    });
    if (!fits) {
      x_ = {};
      return;
    }
    auto block = RowBlock<float>::dense({x_.data(), weights_.size(), k, k});
    block.weights = weights_.data();
    if (sample_.groups > 1) {
      block.targets = classes_.data();
      block.target_count = 1;
    }
    Schema schema;
    schema.inputs = k;
    schema.targets = sample_.groups > 1 ? 1 : 0;
    rows_ = memory_rows<float>(block, schema);
    kept_stream_.emplace(*rows_, nullptr, stream_.threads(), stream_.execution());
  }

  Stream stream_;
  MixtureSample sample_;
  std::vector<float> x_;
  std::vector<double> classes_, weights_;
  std::unique_ptr<Rows> rows_;
  std::optional<Stream> kept_stream_;
};

std::size_t dimensions(std::size_t asked, std::size_t all_components, std::size_t inputs) {
  const double wanted =
      asked ? double(asked) : std::round(10 * std::log(double(std::max<std::size_t>(all_components, 2))));
  return std::clamp<std::size_t>(std::size_t(wanted), 1, inputs);
}

// Which covariances the pass of soft assignment sums: whole ones where directions of them are wanted.
CovarianceForm summed_form(const CovarianceForm& form, std::size_t inputs) {
  if (form.kind != Kind::lowrank) return form;
  require(inputs <= kMostMatrix,
          "project: covariances of low rank of {} inputs, expected at most {} of them; use diag covariances", inputs,
          kMostMatrix);
  return {.kind = Kind::full};
}

// The mixtures of the inputs that rows have by their shares of projected components. floor: of the inputs.
Mixtures mapped_back(const Stream& stream, const Mixtures& small, const MapPtr& projection,
                     const MixtureOptions& options, const std::vector<double>& floor, const std::vector<double>& mean) {
  const std::size_t K = small.gaussians.size(), d = stream.features();
  const CovarianceForm form = summed_form(options.covariance, d);
  Gaussians from{.form = form, .means = Matrix<double>(K, d), .variances = {}, .matrices = {}};
  for (std::size_t k = 0; k < K; ++k) std::copy(mean.begin(), mean.end(), &from.means(k, 0));
  if (form.kind == Kind::full || form.kind == Kind::tied) {
    from.matrices.assign(form.kind == Kind::tied ? 1 : K, Matrix<double>(d, d));
    for (Matrix<double>& matrix : from.matrices)
      for (std::size_t j = 0; j < d; ++j) matrix(j, j) = floor[j];
  } else {
    from.variances = Matrix<double>(K, form.kind == Kind::spherical ? 1 : d);
    for (std::size_t k = 0; k < K; ++k) std::copy_n(floor.data(), from.variances.cols(), &from.variances(k, 0));
  }
  const auto round = std::make_shared<const MixtureRound>(small.gaussians, small.weights, small.groups,
                                                          stream.precision() == Precision::float64, projection,
                                                          std::make_shared<const GaussianCenters>(form, from.means));
  const MixtureFold fold = stream.fold(MixtureFold(round), "mapping back");
  Mixtures large = maximized(fold, {.gaussians = std::move(from), .weights = small.weights, .groups = small.groups},
                             floor, stream.threads());
  if (form != options.covariance) large.gaussians = in_form(large.gaussians, options.covariance, large.weights, floor);
  return large;
}

std::vector<Mixture> split(const Mixtures& mixtures) {
  std::vector<Mixture> groups;
  for (std::size_t g = 0; g < mixtures.groups; ++g) groups.push_back(mixtures.of_group(g));
  return groups;
}

}  // namespace

FittedMixtures fit_projected(const Stream& stream, const MixtureSample& sample, const MixtureOptions& options,
                             const SayMixture& say) {
  require(options.start.empty(), "mixture: found a start and a projection, expected one of them");
  require(options.projections >= 1, "projections: found 0, expected 1 or more");
  const Workers on = stream.workers();
  const bool wide = stream.precision() == Precision::float64;
  const std::size_t d = stream.features();
  const RowMoments moments = stream.fold(RowMoments(d), "variances");
  std::vector<double> variances;
  for (std::size_t j = 0; j < d; ++j) variances.push_back(std::pow(moments.deviation(j), 2));
  FittedMixtures best;
  StartOptions start = start_options(on, sample, options, variances, best.floor);
  const std::vector<double> floor = start.floor;
  if (options.components == 0) start.components = choose_components(on, sample, start, say);
  const std::size_t k = dimensions(*options.project, start.components * sample.groups, d);
  if (k == d) say(fmt::format("project: {} dimensions of {} inputs, which saves nothing", k, d));
  MixtureOptions small_options = options;
  small_options.components = start.components;
  if (small_options.covariance.kind == Kind::lowrank) small_options.covariance = {.kind = Kind::full};
  for (std::size_t attempt = 0; attempt < options.projections; ++attempt) {
    const MapPtr projection =
        project(d, {.kind = ProjectOptions::Kind::gaussian, .dims = k, .seed = options.features.seed + attempt});
    const ProjectedRows rows(stream, projection, sample);
    double share = 0;
    const StartOptions small = start_options(on, rows.sample(), small_options, stream_variances(rows.stream()), share);
    const EmRun found = em_of_stream(
        rows.stream(), best_start(on, rows.sample(), small).mixtures,
        {.tolerance = options.tolerance, .rounds = options.rounds, .floor = small.floor, .double_precision = wide},
        fmt::format("projection {}, ", attempt + 1));
    Mixtures large = mapped_back(stream, found.mixtures, projection, options, floor, moments.mean());
    EmRun run = em_of_stream(stream, std::move(large),
                             {.tolerance = options.tolerance,
                              .rounds = options.projections > 1 ? 0 : options.rounds_after,
                              .floor = floor,
                              .double_precision = wide},
                             fmt::format("projection {} mapped back, ", attempt + 1));
    run.falls += found.falls;
    if (best.projected && run.mean_log_likelihood() <= best.run.mean_log_likelihood()) continue;
    best.run = std::move(run);
    best.run.converged = found.converged;
    best.run.rounds += found.rounds;
    best.projected = shape_of(split(found.mixtures));
  }
  if (options.rounds_after > 0 && options.projections > 1) {
    const std::size_t before = best.run.rounds, falls = best.run.falls;
    best.run = em_of_stream(
        stream, std::move(best.run.mixtures),
        {.tolerance = options.tolerance, .rounds = options.rounds_after, .floor = floor, .double_precision = wide}, "");
    best.run.rounds += before;
    best.run.falls += falls;
  }
  return best;
}

}  // namespace bochner
