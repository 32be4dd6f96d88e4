// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "bochner/hmm.h"
#include "methods/explain/background.h"
#include "methods/explain/terms.h"
#include "rows/column_inputs.h"
#include "rows/shifted.h"
#include "run/compute.h"

namespace bochner {

namespace {

using Unknown = ExplainOptions::Unknown;

constexpr std::size_t kManyRows = 2000, kFewRows = 100;   // background rows
constexpr std::size_t kRowsOfPiece = 4;                   // rows that a thread explains at a time
constexpr std::size_t kMostHeld = std::size_t(1) << 22;   // numbers of the rows that are visited at a time
constexpr std::size_t kMostPairs = std::size_t(1) << 26;  // numbers of one row

ExplainedInputs inputs_of(const Model& model, const std::vector<ColumnInputs>& columns) {
  ExplainedInputs inputs{columns.size(), std::vector<std::uint32_t>(model.schema().inputs, 0),
                         model.double_precision()};
  for (std::size_t j = 0; j < columns.size(); ++j)
    std::fill_n(inputs.owner.begin() + std::ptrdiff_t(columns[j].first), columns[j].count, std::uint32_t(j));
  return inputs;
}

void check_model(const Model& model) {
  require(hmms_of(*model.head()).empty(),
          "explain: the model answers for sequences of rows; expected one that answers for each row");
  require(model.puts_out().kind != Outputs::Kind::neighbours,
          "explain: the model puts out numbers of rows, expected values or scores");
}

// What stands for unknown columns, where the options leave it open.
Unknown settled(Unknown asked, const std::vector<ExplainTerm>& terms) {
  if (asked != Unknown::automatic) return asked;
  const bool closed = std::all_of(terms.begin(), terms.end(), [](const ExplainTerm& term) {
    return term.kind != ExplainTerm::Kind::any && term.kind != ExplainTerm::Kind::trees;
  });
  return closed ? Unknown::columns : Unknown::rows;
}

template <class T>
Matrix<double> scores_as(const Backend& on, const Map& map, const Matrix<double>& x) {
  Matrix<T> rows(x.rows(), x.cols()), out(x.rows(), map.outputs());
  std::copy_n(x.data(), x.rows() * x.cols(), rows.data());
  map.apply(on, RowBlock<T>::dense(std::as_const(rows).view()), out.view());
  Matrix<double> scores(out.rows(), out.cols());
  std::copy_n(out.data(), out.rows() * out.cols(), scores.data());
  return scores;
}

// Standard deviations of the scores of x.
std::vector<double> spread_of(const Backend& on, const Map& map, const Matrix<double>& x, bool wide) {
  const Matrix<double> scores = wide ? scores_as<double>(on, map, x) : scores_as<float>(on, map, x);
  std::vector<double> spread;
  for (std::size_t k = 0; k < scores.cols(); ++k) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < x.rows(); ++i) mean += scores(i, k) / double(x.rows());
    for (std::size_t i = 0; i < x.rows(); ++i) squares += (scores(i, k) - mean) * (scores(i, k) - mean);
    spread.push_back(std::sqrt(squares / double(x.rows())));
  }
  return spread;
}

// A summand that has a form.
ExplainPartPtr part_of(const Workers& on, const ExplainTerm& term, const ExplainBackground& background) {
  switch (term.kind) {
    case ExplainTerm::Kind::fourier:
      return fourier_part(on, term, background);
    case ExplainTerm::Kind::landmarks:
      return landmark_part(on, term, background);
    case ExplainTerm::Kind::trees:
      return tree_part(on, term, background);
    default:
      return linear_part(on, term, background);
  }
}

}  // namespace

struct Explainer::State {
  std::vector<std::string> columns, outputs, notes;
  std::vector<double> base, offsets;
  ExplainedInputs inputs;
  ExplainOptions options;
  std::vector<ExplainPartPtr> parts;
  std::size_t background_rows = 0;
  bool exact = true;

  void make_parts(const Model& model, Rows& rows, const Execution& execution);
  void tell();
  Explanation explained(const Workers& on, MatrixView<const double> x, std::size_t first) const;
  void finish(Explanation& some) const;
};

void Explainer::State::make_parts(const Model& model, Rows& rows, const Execution& execution) {
  Threads threads(execution);
  const Workers on = workers_on(threads);
  const std::vector<ExplainTerm> terms = explain_terms(model.map(), inputs);
  options.unknown = settled(options.unknown, terms);
  const std::size_t usual = options.unknown == Unknown::rows ? kFewRows : kManyRows;
  std::unique_ptr<Rows> shifted;
  Rows& read = with_offsets(rows, offsets, shifted);
  const std::size_t most = options.background_rows ? options.background_rows : usual;
  ExplainBackground background{drawn_background(read, inputs.wide, execution, most, options.seed),
                               options.unknown == Unknown::rows};
  background.spread = spread_of(on.ops, *model.map(), background.x, inputs.wide);
  background_rows = background.x.rows();
  base = model.target_offsets();
  base.resize(model.outputs(), 0.0);
  std::vector<ExplainTerm> without;
  for (const ExplainTerm& term : terms)
    if (term.kind == ExplainTerm::Kind::any)
      without.push_back(term);
    else
      parts.push_back(part_of(on, term, background));
  if (!without.empty()) parts.push_back(sampled_part(on, without, options, background));
  for (const ExplainPartPtr& part : parts) {
    exact = exact && part->exact();
    for (std::size_t k = 0; k < base.size(); ++k) base[k] += part->base()[k];
  }
  for (const double value : base)
    if (!std::isfinite(value)) fail(Error::Kind::data, "explain: the mean score of the background is not finite");
}

void Explainer::State::tell() {
  std::string line;
  for (const ExplainPartPtr& part : parts) line += (line.empty() ? "" : " + ") + part->text();
  notes.push_back(line);
  notes.push_back(fmt::format("unknown columns take the values of {} background rows, {}", background_rows,
                              options.unknown == Unknown::rows ? "each row whole" : "each column by itself"));
}

// The diagonal of pairs is what a column's value leaves for itself.
void Explainer::State::finish(Explanation& some) const {
  const std::size_t p = columns.size(), K = outputs.size();
  for (double& error : std::span(some.errors.data(), some.errors.rows() * p)) error = std::sqrt(error);
  for (std::size_t i = 0; i < some.scores.rows(); ++i)
    for (std::size_t k = 0; k < K; ++k) {
      const std::size_t row = i * K + k;
      double score = base[k];
      for (std::size_t j = 0; j < p; ++j) score += some.values(row, j);
      some.scores(i, k) = score;
      if (!std::isfinite(score))
        fail(Error::Kind::data, "row {}: its score is not finite; its numbers are too large for the model",
             some.first + i + 1);
      for (std::size_t j = 0; j < p && options.pairs; ++j) {
        double* const line = &some.pairs(row, j * p);
        line[j] = some.values(row, j);
        for (std::size_t other = 0; other < p; ++other)
          if (other != j) line[j] -= line[other];
      }
    }
}

Explanation Explainer::State::explained(const Workers& on, MatrixView<const double> x, std::size_t first) const {
  const std::size_t p = columns.size(), K = outputs.size();
  Explanation some{columns, outputs, base, first, Matrix<double>(x.rows * K, p), Matrix<double>(x.rows, K), {}, {}};
  if (!exact) some.errors = Matrix<double>(x.rows * K, p);
  if (options.pairs) some.pairs = Matrix<double>(x.rows * K, p * p);
  in_turn(on, x.rows, kRowsOfPiece, [&](std::size_t begin, std::size_t count) {
    const ExplainedRows rows{.x = x.slice(begin, count),
                             .first = first + begin,
                             .outputs = K,
                             .players = p,
                             .values = &some.values(begin * K, 0),
                             .squares = exact ? nullptr : &some.errors(begin * K, 0),
                             .pairs = options.pairs ? &some.pairs(begin * K, 0) : nullptr};
    for (const ExplainPartPtr& part : parts) part->add(on.ops, rows);
  });
  finish(some);
  return some;
}

Explainer::Explainer(const Model& model, Rows& background, const ExplainOptions& options, const Execution& execution)
    : state_(std::make_unique<State>()) {
  check_model(model);
  const std::vector<ColumnInputs> columns = column_inputs(model.schema());
  for (const ColumnInputs& column : columns) state_->columns.push_back(column.name);
  require(!columns.empty(), "explain: the model reads no columns");
  require(!options.pairs || columns.size() * columns.size() * model.outputs() <= kMostPairs,
          "explain: pairs of {} columns and {} scores are too many; explain without pairs", columns.size(),
          model.outputs());
  state_->outputs = model.puts_out().names;
  state_->offsets = model.schema().offsets;
  state_->inputs = inputs_of(model, columns);
  state_->options = options;
  state_->make_parts(model, background, execution);
  state_->tell();
}
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer::~Explainer() = default;

const std::vector<std::string>& Explainer::columns() const { return state_->columns; }
const std::vector<std::string>& Explainer::outputs() const { return state_->outputs; }
const std::vector<double>& Explainer::base() const { return state_->base; }
bool Explainer::exact() const { return state_->exact; }
ExplainOptions::Unknown Explainer::unknown() const { return state_->options.unknown; }
std::size_t Explainer::background_rows() const { return state_->background_rows; }
const std::vector<std::string>& Explainer::notes() const { return state_->notes; }

void Explainer::explain(Rows& rows, const Execution& execution, const Visit& visit) const {
  Threads threads(execution);
  std::unique_ptr<Rows> shifted;
  const std::size_t p = columns().size(), numbers = outputs().size() * p * (state_->options.pairs ? p : 1);
  const std::size_t together = std::clamp<std::size_t>(kMostHeld / numbers, 1, kChunkRows);
  read_doubles(with_offsets(rows, state_->offsets, shifted), state_->inputs.wide, execution, "explain",
               [&](std::size_t first, MatrixView<const double> x) {
                 for (std::size_t begin = 0; begin < x.rows; begin += together)
                   visit(state_->explained(workers_on(threads), x.slice(begin, std::min(together, x.rows - begin)),
                                           first + begin));
               });
}

namespace {

void append(const Matrix<double>& some, std::vector<double>& all) {
  all.insert(all.end(), some.data(), some.data() + some.rows() * some.cols());
}
Matrix<double> as_matrix(const std::vector<double>& all, std::size_t cols) {
  Matrix<double> matrix(cols ? all.size() / cols : 0, cols);
  std::copy(all.begin(), all.end(), matrix.data());
  return matrix;
}

}  // namespace

Explanation Explainer::explain(Rows& rows, const Execution& execution) const {
  std::vector<double> values, scores, errors, pairs;
  std::size_t first = 0;
  explain(rows, execution, [&](const Explanation& some) {
    if (scores.empty()) first = some.first;
    append(some.values, values);
    append(some.scores, scores);
    append(some.errors, errors);
    append(some.pairs, pairs);
  });
  const std::size_t p = columns().size();
  return {columns(),
          outputs(),
          base(),
          first,
          as_matrix(values, p),
          as_matrix(scores, outputs().size()),
          exact() ? Matrix<double>() : as_matrix(errors, p),
          state_->options.pairs ? as_matrix(pairs, p * p) : Matrix<double>()};
}

Explanation explain(const Model& model, Rows& rows, Rows& background, const ExplainOptions& options,
                    const Execution& execution) {
  return Explainer(model, background, options, execution).explain(rows, execution);
}

}  // namespace bochner
