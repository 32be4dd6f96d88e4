// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/product_games.h"
#include "base/aligned.h"
#include "methods/explain/legendre.h"
#include "methods/explain/terms.h"

namespace bochner {

// Terms that are products over the columns: score k is c_k + Re sum_r a_rk prod_j e_rj, e_rj a function of the inputs
// of column j alone. Terms come kTogether at a time, the last of them filled up by zeros of a.
class ProductTerms {
 public:
  static constexpr std::size_t kTogether = ProductGames::kTogether;

  virtual ~ProductTerms() = default;
  virtual bool complex() const = 0;
  virtual std::size_t count() const = 0;  // groups of kTogether terms
  // e of the terms of a group for an encoded row: [player][kTogether]; im is null if they are real.
  virtual void factors(const Backend& on, const double* row, std::size_t group, double* re, double* im) const = 0;
  virtual std::string text() const = 0;

  std::vector<std::vector<std::uint32_t>> players = {};  // encoded inputs of each column that has some
  std::vector<std::uint32_t> columns = {};               // which columns these are
  AlignedVector<double> a_re = {}, a_im = {};            // [output][term]
  std::vector<double> constant = {};

 protected:
  explicit ProductTerms(const ExplainTerm& term);
};

ExplainPartPtr product_part(const Workers& on, std::unique_ptr<ProductTerms> terms, const ColumnEncoding& encoding,
                            const ExplainBackground& background);

}  // namespace bochner
