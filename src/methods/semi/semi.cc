// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/semi.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "bochner/figures.h"
#include "choose/offsets.h"
#include "folds/gram.h"
#include "learn/learner.h"
#include "learn/ridge/search_left_out.h"
#include "learn/ridge/solver_choice.h"
#include "methods/semi/laplacian.h"
#include "model/mapped_rows.h"
#include "rows/rows_over.h"
#include "rows/shifted.h"
#include "rows/weighted.h"
#include "run/check_memory.h"
#include "run/host.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

constexpr std::size_t kMostFeatures = 1024;  // that are chosen
constexpr std::size_t kMostLeftOut = 4000;   // rows with a target that the weight is chosen by

// Rows without their targets and weights.
class BareRows final : public RowsOver {
 public:
  explicit BareRows(Rows& rows) : RowsOver(rows), schema_(without_targets(rows.schema())) {}

  const Schema& schema() const override { return schema_; }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return next_bare(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return next_bare(max_rows, block); }

 private:
  template <class T>
  bool next_bare(std::size_t max_rows, RowBlock<T>& block) {
    if (!rows_.next(max_rows, block)) return false;
    block.targets = block.weights = nullptr;
    block.target_count = 0;
    return true;
  }

  Schema schema_;
};

// Which rows have a target: as told, otherwise those of which no target is NaN.
std::vector<bool> rows_with_target(Rows& rows, const std::vector<bool>& told) {
  std::vector<bool> found;
  RowBlock<double> block;
  rows.rewind();
  while (rows.next(kChunkRows, block))
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double* const y = block.targets + i * block.target_count;
      found.push_back(std::none_of(y, y + block.target_count, [](double value) { return std::isnan(value); }));
    }
  rows.rewind();
  require(told.empty() || told.size() == found.size(), "labelled: found {}, expected one for each of the {} rows",
          told.size(), found.size());
  return told.empty() ? found : told;
}

// The rows that have a target as the fit sees them: less offsets, their weights about 1.
class TaughtRows {
 public:
  TaughtRows(Rows& rows, const std::vector<bool>& labelled, MappedRows& mapped, std::uint64_t seed)
      : subset_(subset_rows(rows, [&labelled](std::uint64_t row) { return labelled[row]; })),
        current_(&with_offsets(*subset_, mapped.schema().offsets, shifted_)),
        survey_(Stream(*current_, nullptr, mapped.threads(), mapped.execution(), mapped.precision())
                    .fold(Survey(current_->schema(), seed), "survey")) {
    if (survey_.rows() < 2)
      fail(Error::Kind::data, "semi: found {} rows with a target, expected at least 2 and others without",
           survey_.rows());
    check_classes(schema(), survey_.class_rows(), "semi");
    if (survey_.largest_weight() == 0)
      fail(Error::Kind::data, "semi: every row with a target has the weight 0, expected some above");
    offsets_ = target_offsets(survey_);
    if (!offsets_.empty()) {
      current_ = &with_target_offsets(*current_, offsets_, less_targets_);
      survey_.shift_targets(offsets_);
    }
    if (const double unit = survey_.usual_weight(); unit != 1) {
      in_unit_ = rows_weighed_in(*current_, unit);
      current_ = in_unit_.get();
      survey_.weigh_in(unit);
    }
  }

  Rows& rows() { return *current_; }
  const Schema& schema() const { return current_->schema(); }
  const Survey& survey() const { return survey_; }
  const std::vector<double>& offsets() const { return offsets_; }

 private:
  std::unique_ptr<Rows> subset_, shifted_, less_targets_, in_unit_;
  Rows* current_;
  Survey survey_;
  std::vector<double> offsets_;
};

// Some of the taught rows in memory, each left out in turn to choose the weight.
struct LeftOutRows {
  Matrix<double> z;
  std::vector<double> targets, weights;

  RowBlock<double> with(const Matrix<double>& features, std::size_t target_count) const {
    RowBlock<double> block = RowBlock<double>::dense(features.view());
    block.targets = targets.data();
    block.target_count = target_count;
    block.weights = weights.data();
    return block;
  }
};

LeftOutRows rows_left_out(TaughtRows& taught, const std::vector<bool>& labelled, const Matrix<double>& z) {
  const std::size_t count = taught.survey().rows(), step = (count + kMostLeftOut - 1) / kMostLeftOut;
  LeftOutRows some{Matrix<double>((count + step - 1) / step, z.cols()), {}, {}};
  std::vector<std::size_t> places;
  for (std::size_t row = 0; row < labelled.size(); ++row)
    if (labelled[row]) places.push_back(row);
  RowBlock<double> block;
  taught.rows().rewind();
  for (std::size_t at = 0; taught.rows().next(kChunkRows, block); at += block.rows)
    for (std::size_t i = 0; i < block.rows; ++i) {
      if ((at + i) % step != 0) continue;
      std::copy_n(&z(places[at + i], 0), z.cols(), &some.z((at + i) / step, 0));
      some.targets.insert(some.targets.end(), block.targets + i * block.target_count,
                          block.targets + (i + 1) * block.target_count);
      some.weights.push_back(weight_of(block.weights, i));
    }
  return some;
}

// W with W W^T = P^-1 times a scale by which the rows z W have the mean square 1, P = I + rho D M / tr(M).
Matrix<double> warp(const Matrix<double>& between, double rho, const Matrix<double>& z, Threads& threads) {
  const std::size_t D = between.rows();
  double trace = 0;
  for (std::size_t j = 0; j < D; ++j) trace += between(j, j);
  TiledSymmetric<double> p(D, GramFold::tile_for(D));
  for (std::size_t t = 0; t < p.tile_count() && trace > 0; ++t) {
    const auto [I, J] = tile_index(t);
    const MatrixView<double> tile = p.block(I, J);
    for (std::size_t i = 0; i < tile.rows; ++i)
      for (std::size_t j = 0; j < tile.cols; ++j)
        tile(i, j) = rho * double(D) / trace * between(I * p.tile() + i, J * p.tile() + j);
  }
  const Cholesky factor(std::move(p), 1, threads, Cholesky::Arithmetic::same_bits);
  if (factor.failed_column())
    fail(Error::Kind::data, "semi: the graph's penalty is not positive definite; lower its weight (now {:g})", rho);
  const Matrix<double> inverse = factor.inverse_factor(threads);
  Matrix<double> w(D, D);
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = i; j < D; ++j) w(i, j) = inverse(j, i);
  const Matrix<double> warped = fixed_order::product(threads, z, w);
  double square = 0;
  for (std::size_t i = 0; i < warped.rows(); ++i)
    for (std::size_t j = 0; j < D; ++j) square += warped(i, j) * warped(i, j);
  const double scale = square > 0 ? 1 / std::sqrt(square / double(warped.rows())) : 1;
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = i; j < D; ++j) w(i, j) *= scale;
  return w;
}

std::vector<double> weights_to_try(const SemiOptions& options) {
  for (const double weight : options.graph_weights)
    require(weight >= 0 && weight <= 1e9, "graph_weights: found {}, expected a number from 0 to 1e9", weight);
  return options.graph_weights.empty() ? std::vector<double>{0, 0.1, 1, 10, 100, 1000, 1e4, 1e5}
                                       : options.graph_weights;
}

RidgeOptions ridge_options(const LearnerOptions& learner) {
  RidgeOptions ridge;
  ridge.lambdas = learner.lambdas;
  ridge.intercept = learner.intercept;
  ridge.seed = learner.seed;
  return ridge;
}

struct ChosenWarp {
  double weight = 0;
  Matrix<double> w;
};

// The weight by which ridge predicts the rows best that are left out.
ChosenWarp choose_warp(const Matrix<double>& between, const LeftOutRows& rows, TaughtRows& taught,
                       const SemiOptions& options, Threads& threads) {
  const std::vector<double> weights = weights_to_try(options);
  const TargetCode code = target_code(taught.schema(), taught.survey(), options.learner.intercept);
  ChosenWarp best;
  double least = std::numeric_limits<double>::infinity();
  for (const double weight : weights) {
    ChosenWarp found{weight, warp(between, weight, rows.z, threads)};
    double loss = 0;
    if (weights.size() > 1) {
      const Matrix<double> warped = fixed_order::product(threads, rows.z, found.w);
      const RowBlock<double> left_out = rows.with(warped, taught.schema().targets);
      double largest = 0;
      for (std::size_t i = 0; i < warped.rows(); ++i)
        for (std::size_t j = 0; j < warped.cols(); ++j) largest = std::max(largest, std::abs(warped(i, j)));
      const LambdaSearch search =
          search_left_out(Workers{host_backend(), threads}, left_out, {largest, taught.survey().largest_weight()}, code,
                          options.learner.intercept, {});
      loss = search.trials[search.best].loss;
    }
    if (best.w.rows() > 0 && !(loss < least)) continue;
    least = loss;
    best = std::move(found);
  }
  return best;
}

// A head of z from one of z W.
MapPtr unwarped(const Map& head, const Matrix<double>& w, Threads& threads) {
  const std::size_t D = w.rows(), outputs = head.outputs();
  Matrix<double> units(D + 1, D), answers(D + 1, outputs);
  for (std::size_t j = 0; j < D; ++j) units(j, j) = 1;
  head.apply(host_backend(), RowBlock<double>::dense(units.view()), answers.view());
  std::vector<double> intercept(&answers(D, 0), &answers(D, 0) + outputs);
  Matrix<double> weights(D, outputs);
  for (std::size_t j = 0; j < D; ++j)
    for (std::size_t k = 0; k < outputs; ++k) weights(j, k) = answers(j, k) - intercept[k];
  return linear(fixed_order::product(threads, w, weights), std::move(intercept));
}

Matrix<double> features_in_memory(const MappedRows& mapped) {
  const double n = double(mapped.rows()), D = double(mapped.features());
  check_memory("the features of all rows", sizeof(double) * (n * D + 8 * D * D), mapped.execution(),
               "take fewer features, or fewer rows without a target");
  Matrix<double> z(mapped.rows(), mapped.features());
  mapped.stream().each("features", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i)
      std::copy_n(block.values + i * block.stride, block.cols, &z(block.first + i, 0));
  });
  return z;
}

Laplacian laplacian_of(Rows& bare, const SemiOptions& options, std::size_t rows) {
  FeatureOptions quiet = options.features;
  quiet.say = {};
  IndexOptions compared{.seed = options.features.seed, .execution = options.features.execution};
  bare.rewind();
  compared.scaling = column_scaling(bare, quiet);
  bare.rewind();
  return Laplacian(neighbor_graph(bare, std::min(options.neighbors, rows - 1), compared));
}

FeatureOptions feature_options(const SemiOptions& options, std::size_t rows) {
  FeatureOptions features = options.features;
  if (features.features == 0) features.features = std::min(rows, kMostFeatures);
  return features;
}

void check(const Schema& schema, const SemiOptions& options) {
  require(schema.targets > 0, "semi: found no target, expected one that some of the rows have");
  require(options.neighbors > 0, "neighbors: found 0, expected 1 or more");
  require(!learner_row(options.learner.learner).has_neighbors,
          "learner: found {}, which hears rows with a target alone, expected one with coefficients",
          learner_row(options.learner.learner).name);
  require(!learner_row(options.learner.learner).power && options.learner.levels.empty(),
          "learner: found {}, whose answers are no sums of features, expected ridge, svm, logistic, huber, svr or one "
          "quantile",
          options.learner.levels.empty() ? learner_row(options.learner.learner).name : "several quantiles");
  if (schema.task == Task::classification && schema.labels.empty())
    fail(Error::Kind::data, "semi: no row has a target, expected two or more that do; fill some cells in");
  check_classes(schema, {}, "semi");
  if (options.learner.learner != Learner::ridge) check_learner(schema, options.learner);
  weights_to_try(options);
}

Fitted fit_warped(TaughtRows& taught, const MappedRows& mapped, Threads& threads, const Matrix<double>& w,
                  const SemiOptions& options) {
  const MapPtr features = mapped.plan().map(), last = linear(w, {});
  const Stream stream(taught.rows(), features ? chain({features, last}) : last, threads, mapped.execution(),
                      mapped.precision());
  Fitted fitted = options.learner.learner == Learner::ridge
                      ? fit_ridge_by_choice(stream, taught.survey(), ridge_options(options.learner))
                      : fit_learner(stream, taught.survey(), options.learner);
  fitted.head = unwarped(*fitted.head, w, threads);
  if (fitted.report.score && !taught.offsets().empty()) fitted.report.score->relative_error.reset();
  return fitted;
}

}  // namespace

Model semi_supervised(Rows& rows, const SemiOptions& options) {
  check(rows.schema(), options);
  const std::vector<bool> labelled = rows_with_target(rows, options.labelled);
  BareRows bare(rows);
  MappedRows mapped(bare, feature_options(options, labelled.size()), "semi");
  require(mapped.plan().map() || !mapped.schema().sparse,
          "map: found none for sparse rows, expected fourier, nystroem or project");
  TaughtRows taught(rows, labelled, mapped, options.features.seed);
  Threads& threads = mapped.threads();
  const Matrix<double> z = features_in_memory(mapped);
  const Laplacian laplacian = laplacian_of(bare, options, labelled.size());
  const ChosenWarp chosen =
      choose_warp(laplacian.between(z.view(), threads), rows_left_out(taught, labelled, z), taught, options, threads);
  Fitted fitted = fit_warped(taught, mapped, threads, chosen.w, options);
  mapped.note(fmt::format("graph: {} of {} rows have a target; {} edges of weight {:g}", taught.survey().rows(),
                          labelled.size(), laplacian.edges(), chosen.weight));
  const MapPtr head = measured(std::move(fitted.head),
                               {{"graph", {chosen.weight, double(taught.survey().rows()), double(laplacian.edges())}}});
  const Schema schema = taught.schema();
  const Model made = std::move(mapped).model(head, std::move(fitted.report), Outputs{Outputs::Kind::components});
  Model model(schema, made.maps(), made.head(), made.report(), made.double_precision());
  model.set_target_offsets(taught.offsets());
  return model;
}

}  // namespace bochner
