// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const std::vector<double> age{31, 52, 47}, wage{20, 30, 25};
//   const std::vector<std::int32_t> job{0, 1, -1};  // the last one is missing
//   Frame frame{.rows = 3};
//   frame.columns.push_back({.name = "age", .cells = age.data()});
//   frame.columns.push_back({.name = "job", .type = FrameColumn::Type::codes, .cells = job.data(),
//                            .levels = {"clerk", "smith"}, .category = true});
//   frame.targets = {wage.data(), 3, 1, 1};
//   const auto rows = frame_rows(frame);
//   for (const std::string& name : rows->schema().input_names()) std::puts(name.c_str());  // "age", "job=", ...

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/rows.h"
#include "bochner/schema.h"

namespace bochner {

// A column of a table in memory whose type is known: nothing about it is guessed from how its cells look.
struct FrameColumn {
  // codes: texts, each by its place in `levels` as a 32-bit number.
  enum class Type { f64, f32, i64, i32, i16, i8, u64, u32, u16, u8, boolean, codes };

  std::string name = {};
  Type type = Type::f64;
  const void* cells = nullptr;
  std::ptrdiff_t step = 0;                // bytes from one cell to the next; 0: they lie one behind the other
  const std::uint8_t* missing = nullptr;  // one byte a row: not 0 if the cell is missing
  double ticks_per_day = 0;  // i64: above 0 the cells are times in ticks, read as days; the least is missing
  bool dates = false;        // the times are counted from 1970-01-01 UTC
  std::vector<std::string> levels = {};  // codes: the texts; an empty one is a missing cell
  bool category = false;                 // codes: kept as it is, even if nearly every row has a text of its own
};

// A table in memory: a view, whose owner keeps it alive. Besides what `missing` names, NaN and negative codes are
// missing cells.
struct Frame {
  std::string source = "frame";  // what messages call it
  std::size_t rows = 0;
  std::vector<FrameColumn> columns = {};  // the inputs
  bool named = true;                      // the columns have names; otherwise they are known by their places
  MatrixView<const double> targets = {};  // rows x t, without gaps, or empty; classes by the places of their labels
  std::vector<std::string> target_names = {};
  std::vector<std::string> labels = {};  // the classes; none: the targets are numbers
  const double* weights = nullptr;       // one for each row, or null
};

// The rows of a frame for training. Learns the schema as open_rows() learns it from a CSV file that means the same, but
// for texts: they are levels whatever they look like, or dates if every one is a date like 2024-03-31. Texts of which
// nearly every row has its own are ignored, and a note says so, unless the column is a category.
// Heeds `missing` and `max_levels` of the options.
std::unique_ptr<Rows> frame_rows(const Frame& frame, const RowsOptions& options = {});

// The rows of a frame for a model: columns are found as in a file, targets are those of the frame, if it has any.
std::unique_ptr<Rows> frame_rows(const Frame& frame, const Schema& schema);

}  // namespace bochner
