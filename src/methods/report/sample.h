// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/insight.h"
#include "bochner/model.h"
#include "rows/column_inputs.h"

namespace bochner {

// Some of the rows, with all their inputs as they are before any offset.
struct RowSample {
  Matrix<double> x, targets;
  std::vector<double> weights;
};
// rows: after a whole pass, so that their number is known.
RowSample sample_rows(const Model& model, Rows& rows, std::size_t most, std::uint64_t seed);

// throws Stopped where the caller asks for it; progress says how far a step is.
void check_progress(const Execution& execution, const std::string& step, double fraction);

// Fills importance, measure and measured.
void find_importance(const Model& model, const RowSample& sample, const std::vector<ColumnInputs>& columns,
                     const InsightOptions& options, const Execution& execution, Insight& insight);
// Fills dependence, of the columns that matter most.
void find_dependence(const Model& model, const RowSample& sample, const std::vector<ColumnInputs>& columns,
                     const InsightOptions& options, const Execution& execution, Insight& insight);

}  // namespace bochner
