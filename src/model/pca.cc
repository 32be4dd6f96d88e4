// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/pca.h"

#include <algorithm>

#include "base/require.h"
#include "bochner/figures.h"
#include "learn/low_rank.h"
#include "model/mapped_rows.h"

namespace bochner {

namespace {

constexpr std::size_t kProducts = 4096;  // features whose covariance costs less than mapping the rows again and again

bool has_weights(const Schema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(),
                     [](const Column& column) { return column.kind == Column::Kind::weight; });
}

}  // namespace

Model pca(Rows& rows, const PcaOptions& options) {
  require(!has_weights(rows.schema()), "pca: found weights, expected none: every row counts once");
  MappedRows mapped(rows, options.features, "pca");
  const Stream& stream = mapped.stream();
  const RowMoments moments = stream.fold(RowMoments(mapped.features()), "means");
  check_rank(options.rank, moments.rows(), moments.cols());
  LowRank found = low_rank(stream, moments,
                           {.rank = options.rank,
                            .center = true,
                            .passes = options.passes,
                            .seed = options.features.seed,
                            .products = kProducts});
  const double degrees = double(std::max<std::uint64_t>(moments.rows(), 2) - 1);
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
