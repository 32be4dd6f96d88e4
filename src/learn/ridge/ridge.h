// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "bochner/calibration.h"
#include "bochner/deviation.h"
#include "bochner/intervals.h"
#include "bochner/report.h"
#include "bochner/ridge.h"
#include "folds/survey.h"
#include "learn/left_out.h"
#include "learn/ridge/lambda_search.h"
#include "learn/ridge/normal_equations.h"
#include "run/stream.h"

namespace bochner {

struct Fitted {
  MapPtr head;  // features -> predictions in the units of the targets, less their offsets
  Report report;
  std::optional<Calibration> calibration = {};
  std::optional<Intervals> intervals = {};
  std::optional<Deviation> deviation = {};
  std::vector<double> target_offsets = {};  // added to predictions of targets far from zero; empty: none
};

// Ridge on the stream's features by Cholesky: one pass, one Gram matrix, every lambda from it.
// validation: rows through the same map that choose lambda and give the score; none: held-out or left-out rows.
// keep: gets the sums of all rows, from which any rows can be removed; none: they go.
Fitted fit_ridge(const Stream& stream, const Survey& survey, const RidgeOptions& options,
                 const Stream* validation = nullptr, std::optional<GramFold>* keep = nullptr);

// Whether lambda is chosen by leave-one-out: asked for, or cheap.
bool chooses_by_leave_one_out(const RidgeOptions& options, double rows, double features);

// The fraction of n rows that is held out to choose lambda where nobody gave a validation set.
double held_out_fraction(double n);

// The largest |z_j|: from the map where it knows, otherwise by one pass.
double feature_bound(const Stream& stream);

// Decoded heads against the rows of a stream, in one pass.
std::vector<Scorer> score_on_stream(const Stream& stream, const std::vector<Coefficients>& heads,
                                    const TargetCode& code);

// The rows z of the equations, each predicted by the solution without it: head is that of all, coded.
template <class T>
LeftOutScore score_left_out(const Workers& on, const RowBlock<T>& z, const NormalEquations& equations,
                            const Cholesky& factor, const Coefficients& head, const TargetCode& code);

// All lambdas against a validation stream in one pass: their heads stand side by side. head_of: decoded, none where the
// equations cannot be solved.
LambdaSearch choose_on_stream(const Stream& validation, const RidgeOptions& options,
                              const std::function<std::optional<Coefficients>(double lambda)>& head_of,
                              const TargetCode& code);

// How least squares sees the survey's targets.
TargetCode target_code(const Schema& schema, const Survey& survey, bool intercept);

// Misuse unless each is a number >= 0.
void check_lambdas(const std::vector<double>& lambdas);

// What every solver of ridge says of its fit; of the search, its path and the score of the best.
void describe_fit(Report& report, const Stream& stream, const Survey& survey, const char* solver);
void describe_search(Report& report, const LambdaSearch& search, const std::string& validation);

}  // namespace bochner
