// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("cars.model");
//   const auto training = open_rows("cars.csv", model.schema()), fresh = open_rows("new.csv", model.schema());
//   const Explanation found = explain(model, *fresh, *training);
//   for (std::size_t j = 0; j < found.columns.size(); ++j)
//     std::printf("%s %g\n", found.columns[j].c_str(), found.values(0, j));  // the first row: they add up to
//   std::printf("%g = %g + all of these\n", found.scores(0, 0), found.base[0]);

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bochner/execution.h"
#include "bochner/matrix.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct ExplainOptions {
  // What a column that a coalition does not know is replaced by.
  //   columns    a value of the background's column, drawn for each column by itself: one pass over the background
  //   rows       the values of one background row, whole: what TreeSHAP and KernelSHAP call interventional
  //   automatic  columns if all of the model has a closed form for it; rows for trees and for what is sampled
  enum class Unknown { automatic, columns, rows };

  Unknown unknown = Unknown::automatic;
  std::size_t background_rows = 0;  // rows drawn from the background; 0: 2000 for `columns`, 100 for `rows`
  // Predictions per row of a part without a closed form; 0: as many, up to 20,000, as bring standard errors below 2 %
  // of the standard deviation of the background's scores.
  std::size_t evaluations = 0;
  bool pairs = false;      // interactions of pairs of columns as well
  std::uint64_t seed = 0;  // seed of the background's draw and of permutations
};

// Shapley values (Shapley 1953; Lundberg & Lee, NIPS 2017) of some rows: what each column adds to the score.
struct Explanation {
  std::vector<std::string> columns;  // columns of the file that the model reads, in their order
  std::vector<std::string> outputs;  // the scores that are explained, as Model::puts_out() names them
  std::vector<double> base;          // one per output: the mean score over the background
  std::size_t first = 0;             // number of the first row
  Matrix<double> values;             // [row * outputs + output][column]
  Matrix<double> scores;             // [row][output]: the base and the sum of the values
  Matrix<double> errors;             // standard errors of the values; empty: they are exact
  // [row * outputs + output][column * columns + other]: half of the interaction index of each pair, and on the diagonal
  // what is left of the column's value: each row of a column adds up to its value. Empty: not asked for.
  Matrix<double> pairs;

  std::size_t rows() const { return scores.rows(); }
};

// How much a column matters: the mean size of its values over rows.
struct ColumnImportance {
  std::string column, output;
  double mean = 0, standard_error = 0;  // |value| over the rows
};

// Adds up explanations of the same model to importances, in their order.
class ImportanceSum {
 public:
  void add(const Explanation& some);
  std::size_t rows() const { return rows_; }
  double largest_error() const { return largest_error_; }  // the largest standard error of a value; 0: exact
  std::vector<ColumnImportance> importance() const;        // outputs in order, of each the largest first

 private:
  std::vector<std::string> columns_, outputs_;
  std::vector<double> sums_, squares_;
  double largest_error_ = 0;
  std::size_t rows_ = 0;
};

// Explains the rows that a model predicts, held against a background.
//   Fourier features of any kernel and draw, linear maps, landmarks of the gaussian, laplacian and cauchy kernels, and
//   trees: exact, by a closed form in O(features x columns^2 / 2) a row. The rest of a model is explained by its
//   predictions of coalitions: all of them if 2,000 or `evaluations` suffice, otherwise by antithetic permutations of
//   the columns (Castro et al. 2009; Mitchell et al. 2022) with standard errors. Values add up to the score always.
//
// Thread-safe: any number of threads may call explain() of one.
class Explainer {
 public:
  // background: rows such as those of training; they need no target. std::invalid_argument for a model whose outputs
  // no row of its own explains (sequences, numbers of neighbours).
  Explainer(const Model& model, Rows& background, const ExplainOptions& options = {}, const Execution& execution = {});
  // The background that the model keeps (TrainOptions::keep_background); std::invalid_argument if it keeps none.
  explicit Explainer(const Model& model, const ExplainOptions& options = {}, const Execution& execution = {});
  Explainer(Explainer&&) noexcept;
  ~Explainer();

  const std::vector<std::string>& columns() const;
  const std::vector<std::string>& outputs() const;
  const std::vector<double>& base() const;
  bool exact() const;                             // whether all of the model has a closed form here
  ExplainOptions::Unknown unknown() const;        // columns or rows
  std::size_t background_rows() const;            // that were drawn
  const std::vector<std::string>& notes() const;  // how values are found, in lines for people

  using Visit = std::function<void(const Explanation& some)>;  // consecutive rows
  void explain(Rows& rows, const Execution& execution, const Visit& visit) const;
  Explanation explain(Rows& rows, const Execution& execution = {}) const;

  // One row of inputs, dense, as Predictor takes it, to its values, [output][column], and scores: for services. It
  // starts no threads. Closed forms allocate nothing once a thread has made its first call, predictions of coalitions
  // do. Pairs and standard errors are left out. Spans of other sizes throw std::invalid_argument.
  void explain(std::span<const double> row, std::span<double> values, std::span<double> scores) const;
  void explain(std::span<const float> row, std::span<double> values, std::span<double> scores) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All rows at once.
Explanation explain(const Model& model, Rows& rows, Rows& background, const ExplainOptions& options = {},
                    const Execution& execution = {});
// The same with the background that the model keeps.
Explanation explain(const Model& model, Rows& rows, const ExplainOptions& options = {},
                    const Execution& execution = {});

// The values of one column against its cells, and the other column whose cells shift these values most.
struct Dependence {
  std::size_t column = 0, partner_column = 0;  // which of the explanation's
  std::string name, partner = {};
  std::vector<double> cells = {}, values = {};                 // one per row
  std::vector<double> partner_cells = {}, partner_ranks = {};  // ranks from 0 to 1; empty: no partner
  bool dates = false;                                          // cells are days since 1970-01-01
  std::vector<std::string> levels = {}, partner_levels = {};   // cells of text are numbers of these
};

// At most so many of the columns, the largest values first. cells: [row][column]; what is no number is not drawn.
// values: as many, of one output. Dates and levels are the caller's to set.
std::vector<Dependence> dependences(const std::vector<std::string>& columns, const Matrix<double>& cells,
                                    const Matrix<double>& values, std::size_t most = 4);

// One page of HTML with its pictures inside: importance, how the base becomes the score of each row in `rows`, which is
// an explanation of few, and dependences. cells: the cells of each row as text, a list for each; may be empty. Names
// are escaped.
std::string html_page(const Explanation& rows, const std::vector<ColumnImportance>& importance,
                      const std::vector<std::vector<std::string>>& cells, const std::string& title,
                      const std::vector<Dependence>& dependence = {});

}  // namespace bochner
