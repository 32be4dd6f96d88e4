// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/learner.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// Every learner but ridge, on a store of the stream's features. Where C is to be chosen, rows held out (or the
// validation rows) choose it and give the score; a single C is used as it is, on all rows. Says what is kept.
Fitted fit_learner(const Stream& stream, const Survey& survey, const LearnerOptions& options,
                   const Stream* validation = nullptr, const std::function<void(const std::string&)>& say = {});

}  // namespace bochner
