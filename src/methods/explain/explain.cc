// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/lease.h"
#include "base/option.h"
#include "base/require.h"
#include "bochner/hmm.h"
#include "methods/explain/background.h"
#include "methods/explain/terms.h"
#include "rows/column_inputs.h"
#include "rows/shifted.h"
#include "run/compute.h"
#include "run/host.h"

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
    using Kind = ExplainTerm::Kind;
    return term.kind == Kind::linear || term.kind == Kind::fourier || term.kind == Kind::landmarks;
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

// A summand that has a form; null: it is sampled.
ExplainPartPtr part_of(const Workers& on, const ExplainTerm& term, const ExplainBackground& background) {
  switch (term.kind) {
    case ExplainTerm::Kind::fourier:
      return fourier_part(on, term, background);
    case ExplainTerm::Kind::landmarks:
      return landmark_part(on, term, background);
    case ExplainTerm::Kind::trees:
      return tree_part(on, term, background);
    case ExplainTerm::Kind::bins:
      return bins_part(on, term, background);
    case ExplainTerm::Kind::linear:
      return linear_part(on, term, background);
    default:
      return nullptr;
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

  State(const Model& model, const ExplainOptions& asked);
  // rows: less the offsets.
  void make_parts(const Model& model, Rows& rows, const Execution& execution);
  void tell();
  Explanation explained(const Workers& on, MatrixView<const double> x, std::size_t first) const;
  template <class T>
  void explain_row(std::span<const T> row, std::span<double> values, std::span<double> scores) const;
  // The sum of the base and the values of a row.
  double score_of(const double* values, std::size_t k, std::size_t row) const;
  void finish(Explanation& some) const;
};

void Explainer::State::make_parts(const Model& model, Rows& rows, const Execution& execution) {
  Threads threads(execution);
  const Workers on = workers_on(threads);
  const std::vector<ExplainTerm> terms = explain_terms(model.map(), inputs);
  options.unknown = settled(options.unknown, terms);
  const std::size_t usual = options.unknown == Unknown::rows ? kFewRows : kManyRows;
  const std::size_t most = options.background_rows ? options.background_rows : usual;
  ExplainBackground background{drawn_background(rows, inputs.wide, execution, most, options.seed),
                               options.unknown == Unknown::rows};
  background.spread = spread_of(on.ops, *model.map(), background.x, inputs.wide);
  background_rows = background.x.rows();
  base = model.target_offsets();
  base.resize(model.outputs(), 0.0);
  std::vector<ExplainTerm> without;
  for (const ExplainTerm& term : terms)
    if (ExplainPartPtr part = part_of(on, term, background))
      parts.push_back(std::move(part));
    else
      without.push_back(term.kind == ExplainTerm::Kind::any ? term : without_form(term));
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

double Explainer::State::score_of(const double* values, std::size_t k, std::size_t row) const {
  double score = base[k];
  for (std::size_t j = 0; j < columns.size(); ++j) score += values[j];
  if (!std::isfinite(score))
    fail(Error::Kind::data, "row {}: its score is not finite; its numbers are too large for the model", row + 1);
  return score;
}

template <class T>
void Explainer::State::explain_row(std::span<const T> row, std::span<double> values, std::span<double> scores) const {
  const std::size_t d = inputs.owner.size(), p = columns.size(), K = outputs.size();
  require(row.size() == d && values.size() == K * p && scores.size() == K,
          "explain: a row of {} numbers to {} values and {} scores, expected {}, {} and {}", row.size(), values.size(),
          scores.size(), d, K * p, K);
  const Lease<double> x(d), squares(exact ? 0 : K * p);
  for (std::size_t j = 0; j < d; ++j) {
    const double number = double(row[j]) - (offsets.empty() ? 0 : offsets[j]);
    x.data()[j] = inputs.wide ? number : double(float(number));
  }
  std::fill(values.begin(), values.end(), 0.0);
  if (!exact) std::fill_n(squares.data(), K * p, 0.0);
  const ExplainedRows one{.x = {x.data(), 1, d, d},
                          .outputs = K,
                          .players = p,
                          .values = values.data(),
                          .squares = exact ? nullptr : squares.data()};
  for (const ExplainPartPtr& part : parts) part->add(host_backend(), one);
  for (std::size_t k = 0; k < K; ++k) scores[k] = score_of(&values[k * p], k, 0);
}

// The diagonal of pairs is what a column's value leaves for itself.
void Explainer::State::finish(Explanation& some) const {
  const std::size_t p = columns.size(), K = outputs.size();
  for (double& error : std::span(some.errors.data(), some.errors.rows() * p)) error = std::sqrt(error);
  for (std::size_t i = 0; i < some.scores.rows(); ++i)
    for (std::size_t k = 0; k < K; ++k) {
      const std::size_t row = i * K + k;
      some.scores(i, k) = score_of(&some.values(row, 0), k, some.first + i);
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

Explainer::State::State(const Model& model, const ExplainOptions& asked)
    : outputs(model.puts_out().names), offsets(model.schema().offsets), options(asked) {
  check_model(model);
  const std::vector<ColumnInputs> read = column_inputs(model.schema());
  for (const ColumnInputs& column : read) columns.push_back(column.name);
  require(!columns.empty(), "explain: the model reads no columns");
  require(!options.pairs || columns.size() * columns.size() * model.outputs() <= kMostPairs,
          "explain: pairs of {} columns and {} scores are too many; explain without pairs", columns.size(),
          model.outputs());
  inputs = inputs_of(model, read);
}

Explainer::Explainer(const Model& model, Rows& background, const ExplainOptions& options, const Execution& execution)
    : state_(std::make_unique<State>(model, options)) {
  std::unique_ptr<Rows> shifted;
  state_->make_parts(model, with_offsets(background, state_->offsets, shifted), execution);
  state_->tell();
}

Explainer::Explainer(const Model& model, const ExplainOptions& options, const Execution& execution)
    : state_(std::make_unique<State>(model, options)) {
  require(model.background().has_value(),
          "explain: the model keeps no background; name rows such as those of training, or train with {}",
          Option::keep_background);
  Schema schema = model.schema();
  schema.offsets.clear();  // the rows lack them
  const auto kept = memory_rows<double>(model.background()->rows.view(schema.inputs), schema);
  state_->make_parts(model, *kept, execution);
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

void Explainer::explain(std::span<const double> row, std::span<double> values, std::span<double> scores) const {
  state_->explain_row(row, values, scores);
}
void Explainer::explain(std::span<const float> row, std::span<double> values, std::span<double> scores) const {
  state_->explain_row(row, values, scores);
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
Explanation explain(const Model& model, Rows& rows, const ExplainOptions& options, const Execution& execution) {
  return Explainer(model, options, execution).explain(rows, execution);
}

}  // namespace bochner
