// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bochner/rows.h"
#include "bochner/schema.h"

namespace bochner {

inline constexpr std::size_t kNoColumn = ~std::size_t{0};

// What a file calls its columns.
struct ColumnNames {
  std::string path;
  std::vector<std::string> names;
  bool header = false;                     // the names are the file's own, not "x<index>"
  std::vector<std::string> repeated = {};  // names that more than one column has in the header

  // The column that a name or an index from 0 (from the end when negative) means; Error when none or several do.
  std::size_t find(const std::string& name_or_index) const;
  std::optional<std::size_t> find_name(const std::string& name) const;
  // Error when several columns have this name, so that it is not clear which is meant.
  void refuse_repeated(const std::string& name) const;
};

// What the schema of a training says of missing cells; its columns tell which of them are marked.
inline Missing missing_rule(const RowsOptions& options) {
  const Missing rule = options.missing.value_or(Missing::mean);
  return rule == Missing::mark ? Missing::mean : rule;
}

// Whether there is something to learn from which cells of a column of numbers are missing: enough are, and enough are
// not, or all others are the same and tell nothing else.
inline bool gaps_tell(std::uint64_t missing, std::uint64_t present, bool varies) {
  constexpr std::uint64_t kEnough = 20;
  return missing > 0 && (!varies || (missing >= kEnough && present >= kEnough));
}

// "x0", "x1", ...
std::vector<std::string> numbered_names(std::size_t count);
// Names from a header line: an empty one becomes "x<index>", a second "a" becomes "a.1".
std::vector<std::string> tidy_names(std::vector<std::string> cells);
// The names that come more than once among the cells.
std::vector<std::string> repeated_names(const std::vector<std::string>& cells);

// Roles of the columns of a file, as the options ask. Kind::numeric stands for "input" before a scan.
std::vector<Column::Kind> assign_roles(const ColumnNames& names, const RowsOptions& options);

// Which column of the schema each column of a file is (kNoColumn: none), by name or by position. Sets `schema.targets`
// to 0 when the file has no targets, and `weighted` to whether it has weights.
std::vector<std::size_t> match_columns(const ColumnNames& names, const RowsOptions& options, Schema& schema,
                                       bool& weighted);

}  // namespace bochner
