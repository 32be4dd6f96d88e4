// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "bochner/kernel.h"
#include "choose/sample_trial.h"

namespace bochner {

struct BandwidthSearch {
  std::vector<double> length_scales;  // one, or one per input
  double loss = 0;                    // left out or cross-validated, on the sample
  double lambda = 0;                  // that gave it
  int rounds = 0;                     // rounds of per-input search that helped
};

// The best of a sixteenth to sixteen times the kernel's length scales, by Fourier features (`features` of them) on the
// sample: by octaves, then by half octaves about the minima. Where trials are dear a direction ends after two octaves
// uphill, and after one where they are coarse.
BandwidthSearch search_bandwidth(const SampleTrial& trial, const Kernel& kernel, std::size_t features,
                                 std::uint64_t seed);

// One length scale per input. The fitted function tells them itself: inputs along which it changes fast need short
// ones. Each round fits, takes the mean squared derivative m_j of the fit along input j over the sample, and tries
//   l_j proportional to m_j^(-p/2),  p = 1 and 1/2,
// at the best common factor; it stays where cross-validation no longer improves. This is the diagonal of the average
// gradient outer product: Radhakrishnan, Beaglehole, Pandit, Belkin, Science 2024 (Recursive Feature Machines).
BandwidthSearch search_length_scales(const SampleTrial& trial, const Kernel& kernel, std::size_t features,
                                     std::uint64_t seed);

}  // namespace bochner
