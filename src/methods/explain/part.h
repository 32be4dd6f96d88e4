// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/workers.h"
#include "bochner/explain.h"

namespace bochner {

// What is known of the rows beforehand. Inputs are double everywhere; float has rounded them if the model runs in it.
struct ExplainedInputs {
  std::size_t players = 0;           // columns of the file
  std::vector<std::uint32_t> owner;  // the column of each input
  bool wide = false;                 // whether the model maps double
};

// Standard errors that sampled values end below, unless the number of predictions is given: a share of the spread.
inline constexpr double kExplainedShare = 0.025;
// And the most predictions of a row that they take.
inline constexpr std::size_t kMostEvaluations = 20000;

struct ExplainBackground {
  Matrix<double> x;                 // rows in an order of no meaning
  bool whole = false;               // ExplainOptions::Unknown::rows
  std::vector<double> spread = {};  // standard deviations of the scores of x, one per output
};

// Some rows, and where what parts find for them is added up.
struct ExplainedRows {
  MatrixView<const double> x;
  std::size_t first = 0;  // number of the first row
  std::size_t outputs = 1, players = 0;
  double* values = nullptr;   // [row][output][player]
  double* squares = nullptr;  // variances of the values, as values
  double* pairs = nullptr;    // [row][output][player][player], halves of interaction indices; null: not asked for

  std::size_t width() const { return outputs * players; }
  double* values_of(std::size_t row) const { return values + row * width(); }
  double* pairs_of(std::size_t row) const { return pairs ? pairs + row * width() * players : nullptr; }
};

// A summand of a model's scores: a game of the columns.
class ExplainPart {
 public:
  virtual ~ExplainPart() = default;
  // Adds to the values of a few rows, on one thread. A row's values depend on that row and its number alone.
  virtual void add(const Backend& on, const ExplainedRows& rows) const = 0;
  virtual const std::vector<double>& base() const = 0;  // one per output: the value of no column
  virtual std::string text() const = 0;                 // how it is explained, for people
  virtual bool exact() const { return true; }
};
using ExplainPartPtr = std::unique_ptr<ExplainPart>;

}  // namespace bochner
