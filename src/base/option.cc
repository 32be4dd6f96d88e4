// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>

#include "bochner/option_spelling.h"

namespace bochner {

namespace {

std::atomic<OptionSpelling> spelling = OptionSpelling::fields;

struct Spelt {
  Option option;
  const char* field;
  const char* flag;
};

constexpr Spelt kOptions[] = {
    {Option::bandwidth, "bandwidth", "--bandwidth"},
    {Option::categories, "categories", "--category"},
    {Option::checkpoint, "checkpoint.path", "--checkpoint or -o"},
    {Option::date_order, "date_order", "--date-order"},
    {Option::decimal, "decimal", "--decimal"},
    {Option::deviation, "deviation", "--deviation"},
    {Option::double_precision, "double_precision", "--precision double"},
    {Option::features, "features", "--features"},
    {Option::header, "header", "--header or --no-header"},
    {Option::ignore, "ignore", "--ignore"},
    {Option::index_base, "index_base", "--index-base"},
    {Option::keep_background, "keep_background", "--keep-background"},
    {Option::kept, "kept", "--keep"},
    {Option::learner, "learner", "--learner"},
    {Option::max_levels, "max_levels", "--max-levels"},
    {Option::memory, "memory", "--memory"},
    {Option::missing, "missing", "--missing"},
    {Option::missing_values, "missing_values", "--missing-values"},
    {Option::part, "part", "--part"},
    {Option::resume, "checkpoint.resume", "--resume"},
    {Option::seed, "seed", "--seed"},
    {Option::spec, "spec", "--spec"},
    {Option::targets, "targets", "--target"},
    {Option::task, "task", "--task"},
    {Option::text_save, "TextModel::save", "bochner text --save"},
    {Option::threads, "threads", "--threads"},
    {Option::weights, "weights", "--weights"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kOptions); ++i)
    if (kOptions[i].option != Option(i)) return false;
  return true;
}
static_assert(in_order());

// As a shell takes it for one word, and the command for one item of a list.
std::string shell_word(std::string_view value) {
  constexpr std::string_view kPlain = "_-+./:@%=,";
  const bool plain = std::all_of(value.begin(), value.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != kPlain.npos || (c & 0x80) != 0;
  });
  const bool item = value.size() > 1 && value.find(',') != value.npos;
  if (plain && !item && !value.empty()) return std::string(value);
  std::string word = "'";
  for (const char c : value)
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  if (item) word = "'\"" + word.substr(1) + "\"";
  return word + "'";
}

}  // namespace

void spell_options(OptionSpelling as) { spelling = as; }

std::string_view spelled(Option option) {
  const Spelt& found = kOptions[std::size_t(option)];
  return spelling == OptionSpelling::flags ? found.flag : found.field;
}

std::string spelled(Option option, std::string_view value) {
  if (spelling == OptionSpelling::flags)
    return fmt::format("{}{}{}", option, value.starts_with('-') ? '=' : ' ', shell_word(value));
  const bool sign = value.size() == 1 && std::ispunct(static_cast<unsigned char>(value[0]));
  return sign ? fmt::format("{} = '{}'", option, value) : fmt::format("{} = {}", option, value);
}

}  // namespace bochner

fmt::format_context::iterator fmt::formatter<bochner::Option>::format(bochner::Option option,
                                                                      fmt::format_context& context) const {
  return fmt::format_to(context.out(), "{}", bochner::spelled(option));
}
