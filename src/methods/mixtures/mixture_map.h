// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/archive.h"
#include "bochner/map.h"
#include "bochner/mixture.h"
#include "learn/learn_on.h"

namespace bochner {

// What a mixture, or one of each class, makes of a row.
enum class MixtureOutput {
  shares,   // shares of the components, which sum to 1
  classes,  // log p(class | x), of two classes log odds of the second
  density,  // log p(x)
};

// priors: of the classes, 1 for one mixture.
MapPtr mixture_map(std::vector<Mixture> mixtures, std::vector<double> priors, MixtureOutput output,
                   MixtureFacts facts = {});

// EM from the mixtures as they are; their floor stays.
extern const LearnsOn kMixturesLearnOn;

MapPtr load_mixture(const Archive& archive);

// Gaussians in an archive; reading checks sizes only.
void save_gaussians(const Gaussians& gaussians, Archive& archive);
Gaussians load_gaussians(const Archive& archive);

}  // namespace bochner
