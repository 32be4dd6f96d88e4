// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/column_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/option.h"
#include "rows/columns.h"
#include "rows/labels.h"

namespace bochner {

namespace {

using Kind = Column::Kind;
using Dates = Column::Dates;
using Form = WrittenNumber::Form;

constexpr std::size_t kFewCells = 20;  // too few to call a column of different texts one of identifiers

// The different numbers and texts of a column that has both.
struct Mixture {
  std::size_t numbers = 0, number_kinds = 0, texts = 0, text_kinds = 0;
  std::size_t texts_with_digits = 0;  // "7B", "3+": codes and ranges rather than words
  bool whole = true;
  bool text_again = false;  // some text is in more than one cell
  bool mistakes = false;    // a number written for people, or the column's name as in a second header

  Mixture(const ColumnTally& listed, const CellRules& rules, const std::string& name) {
    for (std::uint32_t i = 0; i < listed.levels.size(); ++i) {
      const std::string_view text = listed.levels.text(i);
      const std::size_t count = listed.counts[i];
      double value = 0;
      if (rules.kind(text, Among::numbers, value) == CellKind::number) {
        numbers += count;
        ++number_kinds;
        whole = whole && value == std::floor(value);
      } else if (!rules.doubtful(text)) {
        texts += count;
        ++text_kinds;
        texts_with_digits += text.find_first_of("0123456789") == text.npos ? 0 : count;
        text_again = text_again || count > 1;
        mistakes = mistakes || text == name || written_number(text).amount();
      }
    }
  }

  // Whole numbers that come again and again.
  bool numbers_are_codes() const {
    return whole && number_kinds <= kFewKinds && (numbers < 10 || 2 * number_kinds <= numbers);
  }
  // Texts like "7B" or "A/5 21171", of many kinds.
  bool texts_are_codes() const { return text_kinds > kFewKinds && 2 * texts_with_digits >= texts; }
  // Measurements stay numbers whatever stands among them, unless most cells are texts of many kinds. Codes may have
  // texts for company that look like codes too and are no rare mistake.
  bool is_text() const {
    if (numbers > 19 * texts) return false;
    if (numbers_are_codes()) return texts >= numbers || 2 * texts_with_digits >= texts;
    if (whole && texts_are_codes() && numbers <= 4 * texts) return true;  // tickets, part numbers
    return texts >= numbers && text_kinds > kFewKinds;
  }
  // A text that comes once is rather a slip.
  bool is_numbers_with_words() const { return text_again && !mistakes; }
};

std::string as_text(const std::string& name) {
  return fmt::format("{} to take the column as text", spelled(Option::categories, name));
}

// 5,000 for 5000.
std::string thousands(std::size_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

// The note on a text column that has more levels than become inputs; empty if it has not.
std::string cap_note(const ColumnTally& listed, const std::string& shown_name, std::size_t most) {
  std::vector<std::size_t> counts = listed.counts;
  if (listed.missing > 0) counts.push_back(listed.missing);
  if (counts.size() <= (most > 0 ? most : kMostIndicators)) return {};
  if (most == 0)
    return fmt::format("{}: {} levels, taken by the mean of the target of each and how frequent it is", shown_name,
                       thousands(listed.levels.size()));
  std::sort(counts.rbegin(), counts.rend());
  const std::size_t kept = std::accumulate(counts.begin(), counts.begin() + std::ptrdiff_t(most), std::size_t{0});
  return fmt::format("{}: {} levels, the {} most frequent kept ({:.0f} % of the rows); {} changes it", shown_name,
                     thousands(listed.levels.size()), most,
                     100.0 * double(kept) / double(listed.listed() + listed.missing), Option::max_levels);
}

// Text to be encoded, if it is not something else in disguise.
ColumnKind text_kind(const ColumnTally& column, const ColumnTally& listed, const std::string& name,
                     const CellRules& rules, const RowsOptions& options) {
  ColumnKind found{.kind = Kind::category};
  const std::string shown_name = shown(name);
  if (const auto written = find_written(column, rules)) {
    if (written->kinds > kFewKinds) {
      found.refusal =
          fmt::format("{}: '{}' in column '{}', expected a plain number; {}, or give {}", column.first_text.place,
                      column.first_text.text, shown_name, written->remedy(), as_text(name));
      return found;
    }
    found.note = fmt::format("{}: '{}' and the like taken as text; {} for numbers", shown_name, column.first_text.text,
                             written->remedy());
  }
  const std::size_t cells = listed.listed(), kinds = listed.levels.size();
  if (cells >= kFewCells && 10 * kinds >= 9 * cells) {
    found.kind = Kind::ignored;
    found.note = fmt::format("{}: {} levels in {} rows, ignored; {} keeps it", shown_name, thousands(kinds),
                             thousands(cells + listed.missing), spelled(Option::categories, name));
    return found;
  }
  if (const std::string note = cap_note(listed, shown_name, options.max_levels); !note.empty()) {
    found.note = note;
  } else if (column.numbers > 0 && found.note.empty()) {
    found.note = fmt::format("{}: {} numbers and {} texts such as '{}', all taken as text", shown_name,
                             thousands(column.numbers), thousands(column.texts), column.first_text.text);
  }
  return found;
}

}  // namespace

Dates find_dates(const ColumnTally& column, const RowsOptions& options, bool& ambiguous) {
  const DateTally& dates = column.dates;
  ambiguous = false;
  if (!dates.possible || column.texts == 0 || column.numbers + column.specials > 0) return Dates::none;
  if (dates.year_first == column.texts) return Dates::year_first;
  const bool day = dates.day_first == column.texts, month = dates.month_first == column.texts;
  if (day && month) {
    ambiguous = !options.date_order;
    return options.date_order.value_or(Dates::day_first);
  }
  return day ? Dates::day_first : month ? Dates::month_first : Dates::none;
}

std::string WrittenColumn::remedy() const {
  switch (form) {
    case Form::comma:
      return fmt::format("give {} if the comma is a decimal one, remove it if it groups digits",
                         spelled(Option::decimal, ","));
    case Form::point:
      return fmt::format("give {} if the point is the decimal one", spelled(Option::decimal, "."));
    case Form::grouped:
      return "remove what groups the digits";
    default:
      return fmt::format("write it without '{}'", shown(affix));
  }
}

std::optional<WrittenColumn> find_written(const ColumnTally& column, const CellRules& rules) {
  WrittenColumn found;
  std::map<Form, std::size_t> forms;
  std::map<std::string, std::size_t> suffixes;
  std::size_t cells = 0;
  bool maybe_thousands = true;
  for (std::uint32_t i = 0; i < column.levels.size(); ++i) {
    const std::string_view text = column.levels.text(i);
    double value = 0;
    if (rules.kind(text, Among::numbers, value) != CellKind::text) continue;
    cells += column.counts[i];
    ++found.kinds;
    const WrittenNumber number = written_number(text);
    if (number.form == Form::none) continue;
    if (number.form == Form::suffix)
      suffixes[std::string(number.affix)] += column.counts[i];
    else
      forms[number.form] += column.counts[i];
    if (number.form == Form::comma) maybe_thousands = maybe_thousands && number.maybe_thousands;
    if (found.affix.empty()) found.affix = number.affix;
  }
  std::size_t written = 0, most = 0;
  for (const auto& [form, count] : forms) {
    written += count;
    if (count > most) found.form = form, most = count;
  }
  for (const auto& [suffix, count] : suffixes)
    if (count > most) found.form = Form::suffix, found.affix = suffix, most = count;
  if (found.form == Form::suffix) written += most;
  if (cells == 0 || 10 * written < 9 * cells) return {};
  found.same = most == cells;
  found.maybe_thousands = found.form == Form::comma && maybe_thousands;
  return found;
}

ColumnKind find_kind(const ColumnTally& column, const ColumnTally& listed, const std::string& name,
                     const CellRules& rules, const RowsOptions& options) {
  const std::string shown_name = shown(name);
  if (column.mode == ColumnTally::Mode::text)
    return {.kind = Kind::category, .note = cap_note(listed, shown_name, options.max_levels)};
  if (column.texts == 0 && (column.numbers + column.specials > 0 || column.doubtful == 0)) {
    ColumnKind found;
    const double mean = column.numbers ? column.values.sum / double(column.numbers) : 0;
    found.mean = std::isfinite(mean) ? mean : 0;
    if (column.specials)
      found.refusal = fmt::format(
          "{}: '{}' in column '{}', expected a finite number; correct it, leave the cell empty if it is missing, or "
          "remove the row",
          column.first_special.place, column.first_special.text, shown_name);
    return found;
  }
  bool ambiguous = false;
  if (const Dates dates = find_dates(column, options, ambiguous); dates != Dates::none) {
    ColumnKind found{.dates = dates};
    const double sum = dates == Dates::month_first ? column.dates.month_first_sum : column.dates.day_first_sum;
    found.mean = sum / double(column.texts);
    found.note = fmt::format("{}: dates{}, taken as days since 1970-01-01; {} takes them as text", shown_name,
                             dates == Dates::day_first     ? " (day first)"
                             : dates == Dates::month_first ? " (month first)"
                                                           : "",
                             spelled(Option::categories, name));
    if (ambiguous)
      found.refusal = fmt::format(
          "{}: '{}' in column '{}', expected dates that show which of day and month comes first; give {} or "
          "mdy, write them as 2024-03-31, or give {}",
          column.first_text.place, column.first_text.text, shown_name, spelled(Option::date_order, "dmy"),
          as_text(name));
    return found;
  }
  const Mixture mixture(listed, rules, name);
  if (column.numbers > 0 && !mixture.is_text()) {
    ColumnKind found;
    const bool gaps_are_filled = missing_rule(options) == Missing::mean;
    if (mixture.is_numbers_with_words() && gaps_are_filled && column.specials == 0) {
      const double mean = column.values.sum / double(column.numbers);
      found.mean = std::isfinite(mean) ? mean : 0;
      found.mixed = true;
      found.note =
          fmt::format("{}: {} numbers and {} texts such as '{}', which count as missing; {}", shown_name,
                      thousands(column.numbers), thousands(column.texts), column.first_text.text, as_text(name));
      return found;
    }
    found.refusal = fmt::format(
        "{}: '{}' in column '{}', expected a number as in {} of {} cells; correct it, or give {} if it means "
        "that there is none, or {}",
        column.first_text.place, column.first_text.text, shown_name, thousands(column.numbers),
        thousands(column.numbers + column.texts), spelled(Option::missing_values, column.first_text.text),
        as_text(name));
    return found;
  }
  return text_kind(column, listed, name, rules, options);
}

}  // namespace bochner
