// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/report.h"
#include "bochner/ridge.h"
#include "folds/survey.h"
#include "learn/normal_equations.h"
#include "run/stream.h"

namespace bochner {

struct Fitted {
  MapPtr head;  // features -> predictions in the units of the targets
  Report report;
};

// Ridge on the stream's features by Cholesky: one pass, one Gram matrix, every lambda from it.
// validation: rows through the same map that choose lambda and give the score; none: held-out or left-out rows.
Fitted fit_ridge(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                 const Stream* validation = nullptr);

// How least squares sees the survey's targets.
TargetCode target_code(const Schema& schema, const Survey& survey, bool intercept);

}  // namespace bochner
