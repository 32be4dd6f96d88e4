// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/fit_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "folds/gram.h"
#include "learn/newton/hessian_factor.h"
#include "learn/newton/newton_learner.h"
#include "learn/newton/preconditioner.h"
#include "learn/newton/row_space.h"
#include "learn/own_fit.h"
#include "learn/ridge/ridge.h"
#include "learn/row_products.h"
#include "learn/sketched_gram.h"
#include "run/feature_store.h"
#include "run/sparse_store.h"

namespace bochner {

namespace {

constexpr double kMappedRows = 256;  // that a thread maps at a time, or scores
constexpr double kLambdas = 19;      // lambdas of a path if none are given
constexpr double kTableBytes = 24;   // bytes of a map per CSR feature: those of a table of bins

double gram_bytes(double features) { return double(GramFold::bytes(std::size_t(features))); }

double map_bytes(const FitSize& s) { return s.map_weights * double(s.features) * s.element(); }

// The most bytes of rows that are mapped at a time: plans must grow with the features, which whole chunks do not.
double mapped_at_once(const FitSize& s, double row_bytes, double memory) {
  const double most = s.block_rows
                          ? double(s.block_rows + kChunkRows) * row_bytes
                          : std::max(double(mapped_bytes(std::size_t(memory))), double(kChunkRows) * row_bytes);
  return std::min(most, double(s.rows) * row_bytes);
}

double block_bytes(const FitSize& s, double memory) {
  return mapped_at_once(s, double(s.features) * s.element(), memory);
}

double held_out_rows(const FitSize& s) {
  if (s.validation) return 0;
  const double mean = held_out_fraction(double(s.rows)) * double(s.rows);
  return std::min(double(s.rows), mean + 6 * std::sqrt(mean));
}

// Sums of features times targets hold three digits for each number at most, and are read as one double.
constexpr double kMomentVectors = 4;

// Vectors of D numbers, `count` for each output.
double vector_bytes(const FitSize& s, double count) {
  return count * double(s.features) * double(s.outputs) * sizeof(double);
}

}  // namespace

bool is_weighted(const Schema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(),
                     [](const Column& column) { return column.kind == Column::Kind::weight; });
}

FitSize fit_size(const Stream& stream, const Survey& survey, std::size_t outputs, bool validation) {
  FitSize size;
  size.rows = survey.rows();
  size.features = stream.features();
  size.outputs = outputs;
  size.targets = stream.schema().targets;
  size.nonzeros = stream.map() ? stream.map()->nonzeros() : 0;
  size.bounded = stream.map() && stream.map()->bound() > 0;
  size.validation = validation;
  size.precision = stream.precision();
  if (size.nonzeros > 0) size.map_weights = kTableBytes / size.element();
  size.block_rows = stream.execution().block_rows;
  size.threads = stream.threads().count();
  size.weighted = is_weighted(stream.schema()) || survey.largest_weight() != 1;
  return size;
}

MemoryPlan cholesky_memory(const FitSize& s, const RidgeOptions& options, double memory) {
  const double D = double(s.features), n = double(s.rows), threads = s.threads;
  const bool left_out = !s.validation && chooses_by_leave_one_out(options, n, D);
  const double held = left_out ? n : held_out_rows(s);
  const double lambdas = options.lambdas.empty() ? kLambdas : double(options.lambdas.size());
  const double block = block_bytes(s, memory);
  MemoryPlan common;
  common.add("sums", gram_bytes(D) + vector_bytes(s, kMomentVectors) + 2 * sizeof(double) * D);
  common.add(left_out ? "rows left out" : "rows held out",
             held * (D * s.element() + double(s.targets + s.weighted) * sizeof(double)));
  common.add("map", map_bytes(s));
  MemoryPlan pass = common, solve = common, validate = common;
  const double packed = s.precision == Precision::float32 ? GramFold::packed_bytes(D, double(s.outputs), n) : 0;
  pass.add("mapped rows", block * (s.weighted ? 2 : 1) + packed);
  solve.add("factor", gram_bytes(D));
  solve.add("vectors", vector_bytes(s, 4) + (left_out ? threads * 2 * kMappedRows * D * sizeof(double) +
                                                            n * double(s.outputs) * sizeof(double)
                                                      : 0));
  if (options.deviation) solve.add("inverse factor", 1.5 * D * D * sizeof(double));
  if (s.validation) {
    solve.add("heads", vector_bytes(s, lambdas));
    validate.add("heads", vector_bytes(s, 3 * lambdas));
    validate.add("mapped rows", block * (1 + lambdas * double(s.outputs) / D));
  }
  return peak_of({pass, solve, validate});
}

std::size_t cg_factors(std::size_t features, const RidgeOptions& options) {
  return features < kWideFeatures && options.lambdas.size() != 1 ? 3 : 1;
}

double mapped_memory(const FitSize& s, double memory) {
  return block_bytes(s, memory) * (s.weighted ? 2 : 1) + s.threads * kMappedRows * double(s.features) * s.element();
}

double feature_bytes(const FitSize& s, bool rounded) {
  if (keeps_csr(s)) return double(s.rows) * double(SparseStore::row_bytes(s.nonzeros, s.precision));
  return double(s.rows) * double(FeatureStore::row_bytes(s.features, s.precision, s.bounded && rounded));
}

MemoryPlan with_kept_features(MemoryPlan plan, const FitSize& s, bool rounded, double memory) {
  const double all = feature_bytes(s, rounded);
  const double left = std::max(memory - plan.total(), 0.0);
  return plan.add(all <= left ? "features" : fmt::format("features (of {})", size_text(all)), std::min(all, left));
}

// The factors come after the sketch, in the same room.
MemoryPlan cg_memory(const FitSize& s, const RidgeOptions& options, double memory) {
  const double D = double(s.features), n = double(s.rows), factors = double(cg_factors(s.features, options));
  const std::size_t row = FeatureStore::row_bytes(s.features, s.precision, s.bounded);
  const double together = std::min(factors, options.lambdas.empty() ? factors : double(options.lambdas.size()));
  MemoryPlan plan;
  plan.add("sketch", gram_bytes(D));
  plan.add("factors", std::max(factors * gram_bytes(D), sketch_panel_bytes(s.features)));
  plan.add("vectors", vector_bytes(s, (14 + s.threads) * together + 12) +
                          3 * held_out_rows(s) * double(s.outputs) * together * sizeof(double));
  plan.add("mapped rows", mapped_at_once(s, double(row), memory) + s.threads * kMappedRows * D * s.element());
  plan.add("targets", n * double(s.targets + s.weighted) * sizeof(double));
  return plan.add("map", map_bytes(s));
}

MemoryPlan dual_memory(const FitSize& s, const RidgeOptions& options, double memory) {
  const double D = double(s.features), n = double(s.rows), number = sizeof(double),
               tile = double(ScaledRows::tile_for(s.rows));
  const double lambdas = options.lambdas.empty() ? kLambdas : double(options.lambdas.size());
  const double block = block_bytes(s, memory);
  MemoryPlan common;
  common.add("features", n * (double(FeatureStore::row_bytes(s.features, s.precision, false)) +
                              double(s.targets + s.weighted) * number));
  common.add("map", map_bytes(s));
  MemoryPlan pass = common, solve = common;
  pass.add("mapped rows", s.threads * kMappedRows * D * s.element());
  solve.add("products of rows",
            2 * gram_bytes(n) + n * double(ScaledRows::kPanel) * number + s.threads * std::min(tile, n) * n * number);
  solve.add("vectors", vector_bytes(s, s.validation ? 3 * lambdas : 4) + n * double(s.outputs + 3) * number);
  if (s.validation) solve.add("mapped rows", block * (1 + lambdas * double(s.outputs) / D));
  return peak_of({pass, solve});
}

namespace {

// Vectors are what counts: no factor, and sums that all threads share.
MemoryPlan sparse_memory(const FitSize& s, double memory) {
  const std::size_t row = SparseStore::row_bytes(s.nonzeros, s.precision);
  const double n = double(s.rows), K = double(s.outputs), number = sizeof(double);
  const double at_once = std::min(n, double(SparseStore::rows_at_once(row, std::size_t(memory))));
  MemoryPlan plan;
  plan.add("targets", n * double(s.targets + s.weighted) * number);
  plan.add("map", map_bytes(s));
  plan.add("mapped rows", 3 * at_once * (double(row) + K * number));
  plan.add("scores", n * (10 * K + 12) * number);
  return plan.add("vectors", vector_bytes(s, 22));
}

}  // namespace

MemoryPlan newton_memory(const FitSize& s, const LearnerOptions& options, double memory) {
  if (keeps_csr(s)) return sparse_memory(s, memory);
  const double D = double(s.features), n = double(s.rows), threads = s.threads;
  const double K = double(std::max(s.outputs, options.levels.size()));
  const double size = D + (options.intercept ? 1 : 0), number = sizeof(double);
  const double sketch_rows = std::min(n, double(HessianFactor::sketch_rows(std::size_t(size))));
  const double few = std::min(n, FactoredPreconditioner::most_rows_of_own_factor(size, s.outputs));
  const double tile = double(GramFold::tile_for(std::size_t(size)));
  const double row = double(FeatureStore::row_bytes(s.features, s.precision, s.bounded && rounds_features(options)));
  MemoryPlan plan;
  plan.add("targets", n * double(s.targets + s.weighted) * number);
  plan.add("map", map_bytes(s));
  plan.add("mapped rows", mapped_at_once(s, row, memory) + threads * kMappedRows * D * s.element());
  const double sketch = sketch_rows * (size + double(kKeptColumns)) * sizeof(float) + sketch_panel_bytes(s.features);
  plan.add("Hessian", gram_bytes(size) + std::max(sketch, gram_bytes(size)) + threads * tile * tile * sizeof(float));
  if (options.learner != Learner::logistic || s.outputs == 1)  // what couples the outputs has one factor for all
    plan.add("factors of few rows", K * few * (size + few) * number);
  plan.add("scores", n * (10 * K + 12) * number);
  return plan.add("vectors", vector_bytes(s, 24 + double(FeatureStore::parts(s.threads))));
}

// Where the rows are far fewer than the features the learner sees the space they span (newton/row_space.h).
MemoryPlan learner_memory(const FitSize& s, const LearnerOptions& options, double memory) {
  if (const OwnFit* own = own_fit(options.learner)) return own->memory(s);
  if (keeps_csr(s) || !spans_few(s.rows, s.features))
    return with_kept_features(newton_memory(s, options, memory), s, rounds_features(options), memory);
  const double n = double(s.rows), number = sizeof(double);
  FitSize inside = s;
  inside.features = s.rows;
  inside.precision = Precision::float64;
  inside.map_weights = 0;
  MemoryPlan all = newton_memory(inside, options, memory);
  all.add("features", n * double(FeatureStore::row_bytes(s.rows, Precision::float64, false)));
  all.add("rows", n * double(FeatureStore::row_bytes(s.features, s.precision, false)) + vector_bytes(s, 3));
  all.add("map", map_bytes(s));
  all.add("products of rows", 2 * gram_bytes(n) + n * n * number + n * double(ScaledRows::kPanel) * number);
  return all.add("mapped rows of all features", s.threads * kMappedRows * double(s.features) * s.element());
}

MemoryPlan sums_memory(const FitSize& s, double memory) {
  const double block = block_bytes(s, memory), wide = block / s.element() * sizeof(double);
  MemoryPlan plan;
  plan.add("sums", gram_bytes(double(s.features)) + vector_bytes(s, kMomentVectors));
  plan.add("mapped rows", block + (s.precision == Precision::float32 ? wide : 0) + (s.weighted ? wide : 0));
  return plan.add("map", map_bytes(s));
}

MemoryPlan solve_memory(std::size_t features, std::size_t outputs, int threads) {
  FitSize s;
  s.features = features;
  s.outputs = outputs;
  MemoryPlan plan;
  plan.add("sums", gram_bytes(double(features)) + vector_bytes(s, kMomentVectors));
  plan.add("factor", gram_bytes(double(features)));
  return plan.add("vectors", vector_bytes(s, 6) +
                                 threads * double(GramFold::tile_for(features)) * double(features) * sizeof(double));
}

}  // namespace bochner
