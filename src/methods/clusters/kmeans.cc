// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/kmeans.h"

#include "base/require.h"
#include "bochner/figures.h"
#include "methods/clusters/clusters_map.h"
#include "methods/clusters/fit_kmeans.h"
#include "model/mapped_rows.h"
#include "run/stoppable.h"

namespace bochner {

namespace {

Model fitted_kmeans(Rows& rows, const KMeansOptions& options) {
  MappedRows mapped(rows, options.features, "kmeans", Saved::squares);
  Clustered found = kmeans(mapped.stream(), mapped.survey(), options);
  Report report;
  report.learner = "kmeans";
  report.solver = "lloyd";
  report.termination = found.converged ? Termination::converged : Termination::step_limit;
  if (!found.converged)
    found.notes.push_back(
        fmt::format("not converged: {} passes were made, rows still change their clusters", options.most_passes));
  Figures figures = {{"inertia", std::move(found.inertia)}, {"weights", std::move(found.weights)}};
  if (found.silhouette) figures.push_back({"silhouette", {*found.silhouette}});
  for (const std::string& note : found.notes) mapped.note(note);
  return std::move(mapped).model(measured(clusters(std::move(found.centres)), std::move(figures)), std::move(report));
}

}  // namespace

Model kmeans(Rows& rows, const KMeansOptions& options) {
  return stoppable(options.features.execution, [&] { return fitted_kmeans(rows, options); });
}

}  // namespace bochner
