// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("visits.csv", {.targets = {"ill"}, .ignore = {"patient"}});
//   TrainOptions options;
//   options.automatic = Effort::normal;
//   options.groups = row_groups("visits.csv", rows->schema(), "patient");  // no patient is held out in part
//   const Model model = train(*rows, options);

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bochner/report.h"
#include "bochner/rows.h"

namespace bochner {

// The group of each row, by its cell in a column of a CSV file: rows with the same cell have the same number. The
// column is one of those that the schema leaves out, or any other. An empty cell is Error::Kind::data.
std::vector<std::uint64_t> row_groups(const std::string& path, const Schema& schema, const std::string& column,
                                      const RowsOptions& reading = {});

// Splits that leave rows of a group on one side, drawn by the seed. Groups: one number for each row, of two groups or
// more. Which rows are held out: about a share of them, never all; and in which of several parts of about as many rows
// each row is, where of fewer groups than parts each is a part of its own.
std::vector<char> held_groups(std::span<const std::uint64_t> groups, double share, std::uint64_t seed);
std::vector<std::size_t> group_parts(std::span<const std::uint64_t> groups, std::size_t parts, std::uint64_t seed);
// The groups of the rows that a subset takes.
std::vector<std::uint64_t> groups_of(std::span<const std::uint64_t> groups,
                                     const std::function<bool(std::uint64_t row)>& takes);

// The time of each row, by its cell in a column of a CSV file: a number, or a date as days since 1970-01-01. The column
// may be any. A cell that is neither is Error::Kind::data.
std::vector<double> row_times(const std::string& path, const Schema& schema, const std::string& column,
                              const RowsOptions& reading = {});

// Blocks of rows in order of time, from two different times on: 1 to `parts` are blocks of about a share of the rows
// each, the last of which ends with the latest row; 0 are the rows before them, one or more. Rows of one time are in
// one block, so there may be fewer blocks.
std::vector<std::size_t> time_blocks(std::span<const double> times, std::size_t parts, double share);
// The times of the rows that a subset takes.
std::vector<double> times_of(std::span<const double> times, const std::function<bool(std::uint64_t row)>& takes);

// How many rows of one group count as one if they err together: sum n_g^2 / n, 1 without groups.
double group_effect(std::span<const std::uint64_t> groups);
// The score of rows of these groups, with standard errors as if rows of a group erred together: never too small.
Score score_of_groups(Score score, std::span<const std::uint64_t> groups);

// Rows that a split holds out and that equal a row on the other side of it, in all inputs and targets: a
// model may know them by heart, and its score says less about new rows.
struct RepeatedRows {
  std::uint64_t held = 0, repeated = 0;
  // The share that would be repeated if the inputs were drawn each for itself: rows of few levels are equal by chance.
  double by_chance = 0;

  // A line if there are more than a few and more than chance explains; otherwise nothing.
  std::string warning() const;
};

// part: where a row is held out, less than `parts`; any other number: it never is. One pass.
RepeatedRows repeated_rows(Rows& rows, std::size_t parts, const std::function<std::size_t(std::uint64_t row)>& part);

}  // namespace bochner
