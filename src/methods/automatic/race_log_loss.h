// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>
#include <vector>

#include "methods/automatic/race.h"

namespace bochner {

// A kernel that learns no metric but the log-loss, for a few hundred landmarks: where classes meet at a sharp border,
// least squares blur it. Numbers enter by their size alone and as they are, since rank and squeezing would bend such a
// border. Of few classes, without columns of texts or dates, and of no large table; otherwise nothing. Lambda is chosen
// by the first fold's rows held out. The candidate answers its log-odds times the slope that brings them nearest to the
// codes. `on`, `rows` and `columns` must outlive it.
std::vector<Candidate> race_log_loss(const Workers& on, const RaceRows& rows, std::span<const TwofoldColumn> columns,
                                     std::uint64_t seed, const MachineTalk& talk);

}  // namespace bochner
