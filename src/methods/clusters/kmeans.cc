// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/kmeans.h"

#include <fmt/format.h>

#include <algorithm>

#include "bochner/figures.h"
#include "methods/clusters/clusters_map.h"
#include "methods/clusters/fit_kmeans.h"
#include "model/mapped_rows.h"
#include "run/stoppable.h"

namespace bochner {

namespace {

MapPtr head_of(Clustered&& found) {
  Figures figures = {{"inertia", std::move(found.inertia)}, {"weights", std::move(found.weights)}};
  if (found.silhouette) figures.push_back({"silhouette", {*found.silhouette}});
  return measured(clusters(std::move(found.centres)), std::move(figures));
}

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
  for (const std::string& note : found.notes) mapped.note(note);
  return std::move(mapped).model(head_of(std::move(found)), std::move(report));
}

LearntOn learn_clusters(const Model& from, const Stream& rows, const Survey& survey) {
  const Matrix<double> centres = *centres_of(*from.head());
  const KMeansOptions options{.clusters = centres.rows()};
  Clustered found = kmeans(at_head(from, rows), survey, options, &centres);
  std::vector<std::string> notes = std::move(found.notes);
  return {from.maps(), head_of(std::move(found)), std::move(notes)};
}

}  // namespace

const LearnsOn kClustersLearnOn{
    .is = [](const Model& model) { return centres_of(*model.head()).has_value(); },
    .learn = learn_clusters,
    .least_rows = [](const Model& from) { return std::uint64_t(from.outputs()); },
    .strangeness = [](const double* squares,
                      std::size_t count) { return -*std::max_element(squares, squares + count); },
    .strange = "squared distance to the nearest centre"};

Model kmeans(Rows& rows, const KMeansOptions& options) {
  return stoppable(options.features.execution, [&] { return fitted_kmeans(rows, options); });
}

}  // namespace bochner
