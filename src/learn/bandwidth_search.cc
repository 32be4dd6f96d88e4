// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/bandwidth_search.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/aligned.h"
#include "learn/descend.h"
#include "learn/lambda_search.h"
#include "learn/score.h"

namespace bochner {

namespace {

constexpr std::size_t kSampleRows = 8000, kSampleValues = 8 << 20;
constexpr std::size_t kFolds = 3;
constexpr std::size_t kPieceRows = 128;

// The sampled rows as one dense block in random order.
struct Sample {
  Matrix<float> x;
  std::vector<double> targets, weights;
  RowBlock<float> block;

  Sample(const Schema& schema, const Survey& survey) {
    const std::size_t most = std::clamp<std::size_t>(kSampleValues / schema.inputs, 500, kSampleRows);
    const Matrix<double> inputs = survey.sample_inputs(most);
    x = Matrix<float>(inputs.rows(), inputs.cols());
    std::copy_n(inputs.data(), inputs.rows() * inputs.cols(), x.data());
    for (const Survey::SampledRow& row : survey.sample(most)) {
      targets.insert(targets.end(), row.targets.begin(), row.targets.end());
      weights.push_back(row.weight);
    }
    block.rows = x.rows();
    block.cols = block.stride = x.cols();
    block.values = x.data();
    block.targets = targets.data();
    block.target_count = schema.targets;
    block.weights = weights.data();
  }
};

double cross_validated_loss(const Sample& sample, const MapPtr& map, const TargetCode& code, double weight_bound,
                            const Workers& on) {
  const std::size_t n = sample.block.rows, D = map->outputs();
  AlignedVector<float> mapped(n * D);
  const MatrixView<float> z{mapped.data(), n, D, D};
  on.threads.run((n + kPieceRows - 1) / kPieceRows, [&](std::size_t piece, int) {
    const std::size_t begin = piece * kPieceRows, count = std::min(kPieceRows, n - begin);
    map->apply(on.ops, sample.block.slice(begin, count), z.slice(begin, count));
  });
  RowBlock<float> features = sample.block;
  features.values = mapped.data();
  features.cols = features.stride = D;

  const auto fold_rows = [&](std::size_t f) {
    const std::size_t begin = f * n / kFolds;
    return features.slice(begin, (f + 1) * n / kFolds - begin);
  };
  std::vector<GramFold> parts(kFolds, GramFold(D, map->bound(), code, weight_bound));
  GramFold all = parts[0];
  for (std::size_t f = 0; f < kFolds; ++f) {
    parts[f].add(on, fold_rows(f));
    all.merge(parts[f]);
  }
  std::vector<NormalEquations> rest;
  for (std::size_t f = 0; f < kFolds; ++f) {
    GramFold without = all;
    without.subtract(parts[f]);
    rest.emplace_back(without, true);
  }
  const LambdaSearch search = search_lambda({}, [&](double lambda) {
    double loss = 0;
    for (std::size_t f = 0; f < kFolds; ++f) {
      const std::optional<Coefficients> head = rest[f].try_solve(lambda, on.threads);
      if (!head) return LambdaTrial{lambda};
      loss += score_rows(on, fold_rows(f), decode(*head, code), code.task).loss() / kFolds;
    }
    return LambdaTrial{lambda, loss, {}};
  });
  return search.trials[search.best].loss;
}

}  // namespace

BandwidthSearch search_bandwidth(const Schema& schema, const Survey& survey, Threads& threads,
                                 const std::function<MapPtr(double)>& map_at) {
  const Sample sample(schema, survey);
  const TargetCode code = target_code(schema, survey, true);
  const Workers on{cpu_backend(), threads};
  std::map<int, double> tried;
  const auto factor_of = [](int step) { return std::pow(2.0, step / 2.0); };
  const int best = descend(0, -8, 8, [&](int step) {
    if (!tried.contains(step))
      tried[step] = cross_validated_loss(sample, map_at(factor_of(step)), code, survey.largest_weight(), on);
    return tried[step];
  });
  return {factor_of(best), sample.block.rows};
}

}  // namespace bochner
