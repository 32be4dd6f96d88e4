// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace bochner {

// An option that a message names. fmt writes it as the program spells options (bochner/option_spelling.h).
enum class Option {
  bandwidth,
  categories,
  checkpoint,
  date_order,
  decimal,
  deviation,
  double_precision,
  features,
  header,
  ignore,
  index_base,
  keep_background,
  kept,
  learner,
  max_levels,
  memory,
  missing,
  missing_values,
  part,
  resume,
  seed,
  spec,
  targets,
  task,
  text_save,
  threads,
  weights,
};

std::string_view spelled(Option option);

// The option with a value: "missing = drop", or "--missing drop". A sign is quoted where it is a field: decimal = ','.
std::string spelled(Option option, std::string_view value);

}  // namespace bochner

template <>
struct fmt::formatter<bochner::Option> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  fmt::format_context::iterator format(bochner::Option option, fmt::format_context& context) const;
};
