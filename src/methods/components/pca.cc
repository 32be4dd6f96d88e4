// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/pca.h"

#include <algorithm>

#include "base/require.h"
#include "bochner/figures.h"
#include "methods/components/low_rank.h"
#include "methods/components/root_weights.h"
#include "model/mapped_rows.h"

namespace bochner {

namespace {

constexpr std::size_t kProducts = 4096;  // features whose covariance costs less than mapping the rows again and again

// Whether rows have weights.
struct Weighted {
  bool any = false;

  template <class T>
  void add(const RowBlock<T>& rows) {
    any = any || rows.weights;
  }
  void merge(const Weighted& other) { any = any || other.any; }
  void save(Archive& archive) const { archive.put_count("any", any); }
  void load(const Archive& archive) { any = archive.get_count("any", 1) == 1; }
};

// A column holds them, or rows in memory bring them.
bool has_weights(Rows& rows, const Execution& execution) {
  const std::vector<Column>& columns = rows.schema().columns;
  if (std::any_of(columns.begin(), columns.end(), [](const Column& c) { return c.kind == Column::Kind::weight; }))
    return true;
  if (execution.ranks) {
    Threads threads(execution);
    return Stream(rows, nullptr, threads, execution).fold(Weighted(), "weights").any;
  }
  rows.rewind();
  RowBlock<double> first;
  const bool found = rows.next(1, first) && first.weights;
  rows.rewind();
  return found;
}

}  // namespace

Model pca(Rows& rows, const PcaOptions& options) {
  const bool weighted = has_weights(rows, options.features.execution);
  MappedRows mapped(rows, options.features, "pca", Saved::squares);
  // Weighted components are those of the rows sqrt(w) (z - mean), which need no mean taken away.
  const WeightedMean by_weight = weighted ? weighted_mean(mapped.stream()) : WeightedMean{};
  const Stream stream = weighted ? mapped.stream().through(root_weights(by_weight.mean)) : mapped.stream();
  const RowMoments moments = stream.fold(RowMoments(mapped.features()), "means");
  check_rank(options.rank, moments.rows(), moments.cols());
  LowRank found = low_rank(stream, moments,
                           {.rank = options.rank,
                            .center = !weighted,
                            .passes = options.passes,
                            .seed = options.features.seed,
                            .products = kProducts});
  if (weighted) found.mean = by_weight.mean;
  // Weights are in units of their usual size, so that equal ones change nothing.
  const double n = double(std::max<std::uint64_t>(moments.rows(), 2));
  const double degrees = weighted ? by_weight.weight * (n - 1) / n : n - 1;
  std::vector<double> variance, ratio;
  for (const double s : found.singular_values) {
    variance.push_back(s * s / degrees);
    ratio.push_back(found.total > 0 ? s * s / found.total : 0);
  }
  MapPtr head = measured(factor_map(std::move(found)),
                         {{"explained_variance", std::move(variance)}, {"explained_variance_ratio", std::move(ratio)}});
  return std::move(mapped).model(std::move(head), {});
}

}  // namespace bochner
