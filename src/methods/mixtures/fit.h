// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <string>

#include "bochner/mixture.h"
#include "methods/mixtures/em.h"
#include "methods/mixtures/mixture_sample.h"
#include "run/stream.h"

namespace bochner {

// A mixture of each group of a stream's rows, and how it was found.
struct FittedMixtures {
  EmRun run;
  double floor = 0;
  std::optional<MixtureShape> projected = {};
};

// What the fit says while it works.
using SayMixture = std::function<void(const std::string&)>;

// sample: features of some rows of the stream. Chooses what the options leave open, starts on the sample, and runs EM
// over all rows; in projections where the options ask for it.
FittedMixtures fit_mixtures(const Stream& stream, const MixtureSample& sample, const MixtureOptions& options,
                            const SayMixture& say);

}  // namespace bochner
