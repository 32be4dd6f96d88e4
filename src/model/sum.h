// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bochner/background.h"
#include "bochner/parts.h"
#include "folds/gram.h"
#include "folds/survey.h"
#include "run/part_sum.h"

namespace bochner {

// What was chosen for the second round. Sums merge only where all of it is equal.
struct SumSpec {
  Schema schema;
  std::vector<MapPtr> maps;
  std::vector<double> class_weights;  // empty: all rows weigh the same
  bool intercept = true;
  bool double_precision = false;
  std::uint64_t survey_rows = 0;  // 0: the spec came from a model
  std::vector<std::string> notes;
  std::optional<Background> background = {};  // rows of all parts, if their survey is the spec

  MapPtr map() const;
  void save(Archive& archive) const;
  static SumSpec load(const Archive& archive);
};

struct Sum::State {
  SumOrigin origin;  // origin.machines: only with gram
  std::optional<Survey> survey;
  std::optional<SumSpec> spec;  // only with gram
  std::optional<GramFold> gram;
};

// survey_part() of rows with or without a target; nothing if there are none.
std::optional<Sum> survey_if_any(Rows& rows, const PartName& part, const Execution& execution, std::uint64_t seed = 0);

// "seed is 1 in a.sum and 2 in b.sum", ... for what differs between two archives, the first few.
std::vector<std::string> differences(const Archive& a, const std::string& a_name, const Archive& b,
                                     const std::string& b_name);

}  // namespace bochner
