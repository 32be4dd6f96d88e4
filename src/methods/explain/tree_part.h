// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "maps/tree_sum.h"
#include "methods/explain/terms.h"

namespace bochner {

// Trees over encoded inputs, with leaves that hold the scores themselves.
struct ExplainTrees {
  std::vector<InputTree> trees;
  ColumnEncoding encoding;
  std::vector<double> constant;

  explicit ExplainTrees(const ExplainTerm& term);
  std::string text() const;
};

// A background whose columns are met by themselves: each leaf is a product over the columns on its path.
ExplainPartPtr leaf_part(const Workers& on, ExplainTrees trees, const ExplainBackground& background);
// A background of whole rows: each pair of a row and a background row walks down each tree once.
ExplainPartPtr path_part(const Workers& on, ExplainTrees trees, const ExplainBackground& background);

}  // namespace bochner
