// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/rows.h"
#include "bochner/schema.h"
#include "rows/number.h"
#include "rows/text_index.h"

namespace bochner {

// What the other cells of a column are: some spellings of a missing cell ("-", "none") are words elsewhere.
enum class Among : char { nothing, texts, numbers };  // nothing: no cell of the column counts

// What a cell of CSV means: which texts stand for a missing one, and what a number's point is.
class CellRules {
 public:
  CellRules() : CellRules({}, true, '.') {}
  CellRules(const std::vector<std::string>& missing_values, bool usual_missing, char decimal);
  // For training; the decimal is '.' where the options do not say.
  explicit CellRules(const RowsOptions& options);
  // For new files: as in training, unless the options say otherwise; they may add spellings.
  CellRules(const Schema& schema, const RowsOptions& options);

  char decimal() const { return decimal_; }
  CellRules with_decimal(char decimal) const;
  // Whether a number may mean a missing cell, so that none may be taken unseen.
  bool numbers_may_be_missing() const { return !numbers_.empty(); }

  bool missing(std::string_view text, Among among) const;
  // Whether a text that is not missing in a text column would be missing in a column of numbers, as "-" is.
  bool doubtful(std::string_view text) const;
  CellKind kind(std::string_view text, Among among, double& value) const {
    return missing(text, among) ? CellKind::missing : classify(text, value, decimal_);
  }

 private:
  // Texts, and the characters they begin with, by which most cells are told apart at once.
  struct Spellings {
    TextIndex texts;
    std::array<bool, 256> begins = {};

    void insert(std::string_view text);
    bool contain(std::string_view text) const;
  };

  Spellings anywhere_, among_numbers_;  // the second in small letters, beginning with either
  std::vector<double> numbers_;         // own spellings that are numbers
  std::size_t longest_ = 0;
  char decimal_;
};

}  // namespace bochner
