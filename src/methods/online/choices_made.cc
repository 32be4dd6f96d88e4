// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <variant>

#include "choose/map_parts.h"
#include "methods/online/state.h"

namespace bochner {

std::vector<Choice> choices_made(const TrainOptions& options, const Model& model, const KeptFit& kept,
                                 const std::string& from) {
  std::vector<Choice> choices;
  const auto add = [&](const char* name, bool by_options) {
    const Choice choice{name, by_options ? "options" : from};
    const auto same = std::find_if(choices.begin(), choices.end(), [&](const Choice& c) { return c.name == name; });
    if (same == choices.end())
      choices.push_back(choice);
    else if (!by_options)
      same->from = from;
  };
  add("columns, levels, classes and fills", false);
  if (!model.schema().offsets.empty()) add("offsets of inputs", false);
  if (options.scale != ColumnScaling::Method::none || !options.scale_inputs.empty()) add("scaling", false);
  for (const PartPlan& part : map_parts(options)) {
    if (std::holds_alternative<NoMap>(part.request.options)) continue;
    add("number of features", part.request.features > 0);
    if (part.kind->has_kernel || part.kind->learnt_with_head)
      add("bandwidth", part.bandwidth.rule == Bandwidth::Rule::given);
    if (part.kind->keeps_rows || std::holds_alternative<Nystroem>(part.request.options)) add("landmarks", false);
    if (part.kind->learnt_with_head) add("bins that rows fill", false);
  }
  if (kept.gram->products() == GramFold::Products::by_row) add("range of features", false);
  if (model.schema().task == Task::regression) add("range of targets", false);
  if (!model.target_offsets().empty()) add("offsets of targets", false);
  if (!kept.class_weights.empty()) add("weights of classes", !options.balanced);
  if (kept.weight_unit != 1 || kept.gram->weight_bound() != 1) add("largest weight", false);
  add("lambda", options.ridge.lambdas.size() == 1);
  return choices;
}

}  // namespace bochner
