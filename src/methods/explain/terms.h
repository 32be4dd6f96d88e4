// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/archive.h"
#include "maps/saved_map.h"
#include "methods/explain/part.h"

namespace bochner {

// Maps in a row, each of whose outputs depends on the inputs of one column alone.
class ColumnEncoding {
 public:
  explicit ColumnEncoding(const ExplainedInputs& inputs)
      : players_(inputs.players), wide_(inputs.wide), owner_(inputs.owner) {}

  bool take(const MapPtr& map);  // false: the map mixes columns, and nothing has changed
  const std::vector<std::uint32_t>& owner() const { return owner_; }  // the column of each output
  std::size_t players() const { return players_; }
  bool wide() const { return wide_; }
  // The outputs of rows, found in the model's precision.
  Matrix<double> encode(const Backend& on, MatrixView<const double> x) const;
  // The same in memory for numbers(x.rows) numbers, without an allocation once a thread has made its first call.
  MatrixView<const double> encode(const Backend& on, MatrixView<const double> x, double* room) const;
  std::size_t numbers(std::size_t rows) const { return rows * owner_.size(); }

 private:
  std::size_t players_;
  bool wide_;
  std::vector<std::uint32_t> owner_;
  MapPtr map_ = nullptr;  // none: inputs as they are
};

// A summand of a map that has a form of its own: head(map(encoding(x))).
struct ExplainTerm {
  enum class Kind { linear, fourier, landmarks, trees, bins, any };

  Kind kind = Kind::any;
  ColumnEncoding encoding;
  Matrix<double> metric = {};      // fourier: what multiplies the encoded rows; no rows: nothing
  std::vector<double> shift = {};  // fourier: is added behind the metric
  MapPtr map = nullptr;            // linear: none
  AffineHead head = {};
};

// The same summand as one of kind `any`.
ExplainTerm without_form(ExplainTerm term);

// The summands of a map from inputs to scores.
std::vector<ExplainTerm> explain_terms(const MapPtr& map, const ExplainedInputs& inputs);

// The summands as games. Those of kind `any` are one game, explained by predictions.
ExplainPartPtr linear_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background);
ExplainPartPtr fourier_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background);
ExplainPartPtr landmark_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background);
ExplainPartPtr tree_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background);
// null: sampling is cheaper.
ExplainPartPtr bins_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background);
ExplainPartPtr sampled_part(const Workers& on, const std::vector<ExplainTerm>& terms, const ExplainOptions& options,
                            const ExplainBackground& background);

}  // namespace bochner
