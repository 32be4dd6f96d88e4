// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The tables by which the spine reaches the methods: this file alone includes both. The tables are functions that the
// spine declares and calls, not objects that register themselves before main(): a linker drops such objects from a
// static library if nothing names them, and calls them in an order that nobody chose.

#include <algorithm>

#include "choose/learnt_with_head.h"
#include "choose/map_kinds.h"
#include "learn/learn_on.h"
#include "learn/own_fit.h"
#include "maps/held_features.h"
#include "maps/loaders.h"
#include "methods/anomaly/anomaly_scores.h"
#include "methods/automatic/automatic.h"
#include "methods/automatic/metric_kind.h"
#include "methods/automatic/radial.h"
#include "methods/automatic/twofold.h"
#include "methods/bins/grid_linear.h"
#include "methods/bins/train_bins.h"
#include "methods/clusters/clusters_map.h"
#include "methods/components/components_map.h"
#include "methods/mixtures/hmm_map.h"
#include "methods/mixtures/mixture_map.h"
#include "methods/neighbors/knn.h"
#include "methods/neighbors/knn_map.h"
#include "model/whole_training.h"

namespace bochner {

namespace {

constexpr MapLoader kLoaders[] = {
    {"twofold", load_twofold},
    {"radial_machine", load_radial_machine},
    {"leaf_machines", load_leaf_machines},
    {"grid_linear", load_grid_linear},
    {"clusters", load_clusters},
    {"components", load_components},
    {"mixture", load_mixture},
    {"hmm", load_hmm},
    {"knn", load_knn},
};

constexpr OwnFit kOwnFits[] = {
    {.learner = Learner::knn, .fit = fit_knn, .memory = knn_memory},
};

const LearnsOn* const kLearningOn[] = {&kLogisticLearnsOn, &kClustersLearnOn, &kMixturesLearnOn, &kAnomaliesLearnOn,
                                       &kNeighborsLearnOn};

}  // namespace

const LearnsOn* learns_on(const Model& model) {
  const auto found = std::find_if(std::begin(kLearningOn), std::end(kLearningOn),
                                  [&](const LearnsOn* sort) { return sort->is(model); });
  return found == std::end(kLearningOn) ? nullptr : *found;
}

std::span<const MapLoader> method_loaders() { return kLoaders; }

std::vector<MapKind> method_map_kinds() { return {metric_kind()}; }

MapPtr held_features(const Map& head) { return bins_held_by(head); }

const OwnFit* own_fit(Learner learner) {
  const auto found = std::find_if(std::begin(kOwnFits), std::end(kOwnFits),
                                  [&](const OwnFit& candidate) { return candidate.learner == learner; });
  return found == std::end(kOwnFits) ? nullptr : found;
}

const LearntWithHead& learnt_with_head() { return bins_learnt_with_head(); }

WholeTraining whole_training(const TrainOptions& options) { return options.automatic ? fit_automatic : nullptr; }

}  // namespace bochner
