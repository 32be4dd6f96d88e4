// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/cell_rules.h"

#include <algorithm>

#include "base/require.h"

namespace bochner {

namespace {

// What pandas.read_csv takes for missing, less None, which is a word in many columns of text ("no garage").
const std::vector<std::string> kAnywhere = {"",     "?",    "NA",     "N/A",     "n/a",     "#N/A",    "#N/A N/A",
                                            "#NA",  "<NA>", "null",   "NULL",    "NaN",     "nan",     "-NaN",
                                            "-nan", "NaT",  "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"};
// Signs and words that stand for a missing number; in small letters, capitals are alike.
const std::vector<std::string> kAmongNumbers = {"-",    "--",   "---", ".",    "na",   "n/a",     "n.a.", "#n/a",
                                                "<na>", "null", "nan", "+nan", "none", "missing", "nil",  "(null)"};

constexpr std::size_t kShort = 8;  // no usual spelling is longer

std::string_view in_small_letters(std::string_view text, char (&out)[kShort]) {
  for (std::size_t i = 0; i < text.size(); ++i)
    out[i] = text[i] >= 'A' && text[i] <= 'Z' ? char(text[i] | 0x20) : text[i];
  return {out, text.size()};
}

unsigned char first_of(std::string_view text) { return text.empty() ? 0 : static_cast<unsigned char>(text[0]); }

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

void CellRules::Spellings::insert(std::string_view text) {
  texts.insert(text);
  const unsigned char first = first_of(text);
  begins[first] = true;
  if (first >= 'a' && first <= 'z') begins[first & ~0x20] = true;
}

bool CellRules::Spellings::contain(std::string_view text) const {
  return begins[first_of(text)] && texts.find(text) != TextIndex::kNone;
}

CellRules::CellRules(const std::vector<std::string>& missing_values, bool usual_missing, char decimal)
    : decimal_(decimal) {
  require(decimal == '.' || decimal == ',', "csv: the decimal '{}', expected . or ,", decimal);
  anywhere_.insert("");
  if (usual_missing) {
    for (const std::string& text : kAnywhere) anywhere_.insert(text);
    for (const std::string& text : kAmongNumbers) among_numbers_.insert(text);
  }
  longest_ = kShort;
  for (const std::string& text : missing_values) {
    anywhere_.insert(text);
    longest_ = std::max(longest_, text.size());
    double value = 0;
    if (classify(text, value, decimal) == CellKind::number) numbers_.push_back(value);
  }
}

CellRules::CellRules(const RowsOptions& options)
    : CellRules(options.missing_values, options.usual_missing, options.decimal.value_or('.')) {}

CellRules::CellRules(const Schema& schema, const RowsOptions& options)
    : CellRules(joined(schema.missing_values, options.missing_values), schema.usual_missing && options.usual_missing,
                options.decimal.value_or(schema.decimal)) {}

CellRules CellRules::with_decimal(char decimal) const {
  CellRules rules = *this;
  rules.decimal_ = decimal;
  return rules;
}

bool CellRules::doubtful(std::string_view text) const {
  if (text.size() > kShort || !among_numbers_.begins[first_of(text)]) return false;
  char small[kShort];
  return among_numbers_.contain(in_small_letters(text, small));
}

bool CellRules::missing(std::string_view text, Among among) const {
  if (among == Among::nothing || text.size() > longest_) return false;
  if (anywhere_.contain(text) || (among == Among::numbers && doubtful(text))) return true;
  if (numbers_.empty()) return false;
  double value = 0;
  return classify(text, value, decimal_) == CellKind::number &&
         std::find(numbers_.begin(), numbers_.end(), value) != numbers_.end();
}

}  // namespace bochner
