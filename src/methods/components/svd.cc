// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/svd.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/threads.h"
#include "methods/components/factor_model.h"
#include "model/mapped_rows.h"
#include "rows/shifted.h"
#include "run/stoppable.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr double kFarMean = 0x1p10;  // deviations from 0: float leaves half the digits

// The rows as they are, or in memory where that is little; float rows of .npy files are read as fast.
Rows& kept(Rows& rows, const Execution& execution, std::unique_ptr<Rows>& owner) {
  if (!worth_keeping(rows, sizeof(float), execution)) return rows;
  owner = cached_rows<float>(rows);
  return *owner;
}

// Where dense rows lie far from 0 they lose their mean in double: one per column, 0 where it is near.
std::vector<double> far_means(const RowMoments& moments) {
  std::vector<double> offsets = moments.mean();
  bool any = false;
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    if (std::abs(offsets[j]) < kFarMean * moments.deviation(j)) offsets[j] = 0;
    any = any || offsets[j] != 0;
  }
  if (!any) offsets.clear();
  return offsets;
}

}  // namespace

Model factor_model(Schema schema, LowRank found, const RowMoments& moments, bool double_precision) {
  Report report;
  report.rows = moments.rows();
  report.inputs = moments.cols();
  report.features = found.components.cols();
  const MapPtr map = factor_map(std::move(found));
  report.map = map->spec();
  return Model(without_targets(std::move(schema)), {}, map, std::move(report), double_precision);
}

namespace {

Model factored(Rows& rows, const SvdOptions& options) {
  Threads threads(options.execution);
  std::unique_ptr<Rows> shifted, in_memory;
  Rows* source = &kept(rows, options.execution, in_memory);
  const auto moments_of = [&](Rows& some, const char* step) {
    return Stream(some, nullptr, threads, options.execution).fold_saved(RowMoments(some.schema().inputs), step);
  };
  RowMoments moments = moments_of(*source, "means");
  check_rank(options.rank, moments.rows(), moments.cols());
  Schema schema = source->schema();
  if (options.center && !schema.sparse) {
    if (const std::vector<double> offsets = far_means(moments); !offsets.empty()) {
      std::vector<double> all = schema.offsets;
      all.resize(offsets.size());
      for (std::size_t j = 0; j < all.size(); ++j) all[j] += offsets[j];
      in_memory.reset();
      source = &kept(with_offsets(rows, all, shifted), options.execution, in_memory);
      moments = moments_of(*source, "means of shifted rows");
      schema = source->schema();
    }
  }
  const Stream stream(*source, nullptr, threads, options.execution);
  LowRank found = low_rank(stream, moments,
                           {.rank = options.rank,
                            .center = options.center,
                            .passes = options.passes,
                            .seed = options.seed,
                            .kept = in_memory != nullptr});
  return factor_model(std::move(schema), std::move(found), moments, options.double_precision);
}

}  // namespace

Model svd(Rows& rows, const SvdOptions& options) {
  return stoppable(options.execution, [&] { return factored(rows, options); });
}

}  // namespace bochner
