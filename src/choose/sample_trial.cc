// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/sample_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "choose/labelled.h"
#include "learn/descend.h"
#include "learn/ridge/dual_equations.h"
#include "learn/ridge/search_left_out.h"
#include "maps/map_rows.h"
#include "run/compute.h"
#include "run/part_sum.h"

namespace bochner {

namespace {
constexpr std::size_t kSampleRows = 6000, kSampleValues = 8 << 20;
constexpr std::size_t kFolds = 3;
constexpr int kLeastDecade = -10, kMostDecade = 2;
const std::vector<double> kCoarseLambdas = {1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1, 1e2};
constexpr double kCheapLeaveOneOut = 5e8;  // m F min(m, F): a lambda takes a few hundredths of a second

double once(std::map<int, double>& known, int step, const std::function<double()>& find) {
  const auto [place, isnew] = known.try_emplace(step, 0.0);
  if (isnew) place->second = find();
  return place->second;
}

}  // namespace

std::size_t SampleTrial::most_rows(const Schema& schema) {
  return std::clamp<std::size_t>(kSampleValues / schema.inputs, 500, kSampleRows);
}

double SampleTrial::bytes(const Schema& schema, std::size_t rows, std::size_t features) {
  const double m = double(std::min(rows, most_rows(schema))), d = double(schema.inputs), F = double(features);
  const double inputs = m * d * sizeof(float), mapped = m * F * sizeof(float);
  const double at_first = m * d * sizeof(double) + inputs;  // before scaling
  const double sums = 2 * mapped + 5 * double(GramFold::bytes(features)) + F * d * sizeof(float);
  const double gradients = 2 * mapped + m * d * sizeof(double);
  return inputs + std::max({at_first, sums, gradients});
}

SampleTrial::SampleTrial(const Schema& schema, const Survey& survey, const MapPtr& scaling, Threads& threads,
                         Checkpoint* checkpoint, std::vector<double> lambdas)
    : on_(workers_on(threads)),
      checkpoint_(checkpoint),
      lambdas_(std::move(lambdas)),
      code_(target_code(schema, survey, true)),
      all_rows_(survey.rows() <= most_rows(schema)) {
  const std::size_t most = most_rows(schema);
  const Matrix<double> raw = survey.sample_inputs(most);
  inputs_ = Matrix<float>(raw.rows(), scaling ? scaling->outputs() : raw.cols());
  scale_inputs(raw, scaling);
  for (const Survey::SampledRow& row : survey.sample(most)) {
    targets_.insert(targets_.end(), row.targets.begin(), row.targets.end());
    weights_.push_back(row.weight);
    weight_bound_ = std::max(weight_bound_, row.weight);
  }
  if (!(weight_bound_ > 0)) weight_bound_ = 1;
  view_rows(schema.targets);
}

SampleTrial::SampleTrial(const SampleTrial& all, const std::vector<std::size_t>& rows)
    : on_(all.on_),
      checkpoint_(all.checkpoint_),
      lambdas_(all.lambdas_),
      code_(all.code_),
      weight_bound_(all.weight_bound_),
      all_rows_(all.all_rows_),
      coarse_(true),
      inputs_(rows.size(), all.inputs_.cols()) {
  const std::size_t count = all.block_.target_count;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(&all.inputs_(rows[i], 0), inputs_.cols(), &inputs_(i, 0));
    targets_.insert(targets_.end(), all.targets(rows[i]), all.targets(rows[i]) + count);
    weights_.push_back(all.weights_[rows[i]]);
  }
  view_rows(count);
}

SampleTrial::SampleTrial(const SampleTrial& all, const MapPtr& map)
    : on_(all.on_),
      checkpoint_(all.checkpoint_),
      lambdas_(all.lambdas_),
      code_(all.code_),
      weight_bound_(all.weight_bound_),
      all_rows_(all.all_rows_),
      coarse_(all.coarse_),
      inputs_(all.map_rows(map, all.block_)),
      targets_(all.targets_),
      weights_(all.weights_) {
  view_rows(all.block_.target_count);
}

LabelledRows SampleTrial::labelled() const {
  return labelled_rows(
      inputs_, code_, [this](std::size_t i) { return targets(i); }, [this](std::size_t i) { return weights_[i]; });
}

void SampleTrial::view_rows(std::size_t target_count) {
  block_ = RowBlock<float>::dense(inputs_.view());
  block_.targets = targets_.data();
  block_.target_count = target_count;
  const bool weighted = std::any_of(weights_.begin(), weights_.end(), [](double w) { return w != 1; });
  block_.weights = weighted ? weights_.data() : nullptr;
}

// Scales in double: raw numbers may be too fine for float.
void SampleTrial::scale_inputs(const Matrix<double>& raw, const MapPtr& scaling) {
  map_pieces<double>(on_, scaling.get(), RowBlock<double>::dense(raw.view()),
                     [&](std::size_t begin, MatrixView<const double> scaled) {
                       std::copy_n(scaled.data, scaled.rows * scaled.cols, &inputs_(begin, 0));
                     });
}

Matrix<float> SampleTrial::map_rows(const MapPtr& map, const RowBlock<float>& rows) const {
  Matrix<float> z(rows.rows, map->outputs());
  bochner::map_rows(on_, *map, rows, z.view());
  return z;
}

RowBlock<float> SampleTrial::features_block(const Matrix<float>& z) const { return block_.with_values(z.view()); }

bool SampleTrial::leaves_one_out(std::size_t features) const {
  const double m = double(rows()), F = double(features);
  return all_rows_ && m * F * std::min(m, F) <= kCheapLeaveOneOut;
}

SampleTrial::Result SampleTrial::judge(const MapPtr& map) const {
  const std::vector<double> found = logged(checkpoint_, "bandwidth", 2, [&]() -> std::vector<double> {
    const Result result = leaves_one_out(map->outputs()) ? leave_one_out(map) : cross_validate(map);
    return {result.loss, result.lambda};
  });
  return {found[0], found[1]};
}

// Each solver as the training will take it: see choose_solver.
SampleTrial::Result SampleTrial::leave_one_out(const MapPtr& map) const {
  const Matrix<float> z = map_rows(map, block_);
  const LambdaSearch found = search_left_out(on_, features_block(z), {map->bound(), weight_bound_}, code_, true,
                                             lambdas_.empty() && coarse_ ? kCoarseLambdas : lambdas_);
  return Result{found.trials[found.best].loss, found.trials[found.best].lambda};
}

// Sums of the rows that are learnt from, and the features of those that are left out.
struct SampleTrial::Split {
  NormalEquations rest;
  RowBlock<float> held;
};

// The mean loss of the rows left out; infinite if the equations cannot be solved.
double SampleTrial::loss(const std::vector<Split>& splits, double lambda) const {
  double sum = 0;
  for (const Split& split : splits) {
    const std::optional<Coefficients> head = split.rest.try_solve(lambda, on_.threads);
    if (!head) return std::numeric_limits<double>::infinity();
    sum += score_rows(on_, split.held, decode(*head, code_), code_.task).loss() / double(splits.size());
  }
  return sum;
}

SampleTrial::Result SampleTrial::cross_validate(const MapPtr& map) const {
  const Matrix<float> z = map_rows(map, block_);
  const RowBlock<float> features = features_block(z);
  const auto fold_rows = [&](std::size_t f) {
    const std::size_t begin = f * z.rows() / kFolds;
    return features.slice(begin, (f + 1) * z.rows() / kFolds - begin);
  };
  std::vector<GramFold> parts(kFolds, GramFold(z.cols(), map->bound(), code_, weight_bound_));
  GramFold all = parts[0];
  for (std::size_t f = 0; f < kFolds; ++f) parts[f].add(on_, fold_rows(f));
  merge_in_order<GramFold>(all, parts);
  std::vector<Split> splits;
  for (std::size_t f = 0; f < kFolds; ++f) {
    GramFold without = all;
    without.subtract(parts[f]);
    parts[f] = std::move(without);
    splits.push_back({NormalEquations(parts[f], true), fold_rows(f)});
  }
  Result given{std::numeric_limits<double>::infinity(), lambdas_.empty() ? 0 : lambdas_[0]};
  for (const double lambda : lambdas_)
    if (const double found = loss(splits, lambda); found < given.loss) given = {found, lambda};
  if (!lambdas_.empty()) return given;
  std::map<int, double> tried;
  const auto at = [&](int decade) { return once(tried, decade, [&] { return loss(splits, std::pow(10.0, decade)); }); };
  int start = kLeastDecade;
  for (int decade = kLeastDecade; decade <= 0; decade += 2)
    if (at(decade) < at(start)) start = decade;
  const int best = descend_by(1, start, kLeastDecade, kMostDecade, at);
  return {tried[best], std::pow(10.0, best)};
}

SampleTrial::Result SampleTrial::hold_out(const MapPtr& map, const std::vector<double>& lambdas, double start) const {
  const std::vector<double> found = logged(checkpoint_, "features", 2, [&]() -> std::vector<double> {
    const std::size_t rows = std::min(block_.rows, kHeldOutRows), fitted = rows * 2 / 3;
    const Matrix<float> z = map_rows(map, block_.slice(0, rows));
    const RowBlock<float> features = block_.slice(0, rows).with_values(z.view());
    GramFold sums(z.cols(), map->bound(), code_, weight_bound_);
    sums.add(on_, features.slice(0, fitted));
    std::vector<Split> split;
    split.push_back({NormalEquations(sums, true), features.slice(fitted, rows - fitted)});
    Result best{std::numeric_limits<double>::infinity(), start};
    for (const double lambda : lambdas)
      if (const double error = loss(split, lambda); error < best.loss) best = {error, lambda};
    if (!lambdas.empty()) return {best.loss, best.lambda};
    std::map<int, double> tried;
    const auto at = [&](int decade) {
      return once(tried, decade, [&] { return loss(split, std::pow(10.0, decade)); });
    };
    const int decade = descend(std::clamp(int(std::lround(std::log10(start))), kLeastDecade, kMostDecade), kLeastDecade,
                               kMostDecade, at);
    return {tried[decade], std::pow(10.0, decade)};
  });
  return {found[0], found[1]};
}

SampleTrial::Fit SampleTrial::fit(const MapPtr& map, double lambda) const {
  Fit fit{{}, map_rows(map, block_)};
  const std::size_t F = fit.features.cols();
  if (leaves_one_out(F) && fit.features.rows() < F) {  // lambda may be too small for the rounding of F x F sums
    const DualEquations equations(features_block(fit.features), code_, true, on_.threads);
    fit.head = equations.solve(equations.factor(lambda, on_.threads), on_.threads);
    return fit;
  }
  GramFold sums(fit.features.cols(), map->bound(), code_, weight_bound_);
  sums.add(on_, features_block(fit.features));
  const NormalEquations equations(sums, true);
  fit.head = equations.solve(equations.factor(lambda, on_.threads));
  return fit;
}

void SampleTrial::score(const MapPtr& map, double lambda, const SampleTrial& held, Scorer& to) const {
  const Matrix<float> z = map_rows(map, held.block_);
  score_rows(on_, held.features_block(z), decode(fit(map, lambda).head, code_), to);
}

}  // namespace bochner
