// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/lease.h"
#include "methods/explain/terms.h"

namespace bochner {

namespace {

// f(x) = c + sum_i w_i x_i: the value of a column is the sum of w_i (x_i - mean_i) over its inputs.
class LinearPart final : public ExplainPart {
 public:
  LinearPart(const Workers& on, const ExplainTerm& term, const ExplainBackground& background)
      : encoding_(term.encoding), weights_(term.head.weights), base_(term.head.constant) {
    const Matrix<double> x = encoding_.encode(on.ops, background.x.view());
    mean_.assign(x.cols(), 0.0);
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = 0; j < x.cols(); ++j) mean_[j] += x(i, j) / double(x.rows());
    for (std::size_t j = 0; j < mean_.size(); ++j)
      for (std::size_t k = 0; k < base_.size(); ++k) base_[k] += weights_(j, k) * mean_[j];
  }

  const std::vector<double>& base() const override { return base_; }
  std::string text() const override { return "linear, exact"; }

  void add(const Backend& on, const ExplainedRows& rows) const override {
    const Lease<double> room(encoding_.numbers(rows.x.rows));
    const MatrixView<const double> x = encoding_.encode(on, rows.x, room.data());
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t j = 0; j < x.cols; ++j)
        for (std::size_t k = 0; k < rows.outputs; ++k)
          rows.values_of(i)[k * rows.players + encoding_.owner()[j]] += weights_(j, k) * (x(i, j) - mean_[j]);
  }

 private:
  ColumnEncoding encoding_;
  Matrix<double> weights_;
  std::vector<double> base_, mean_;
};

}  // namespace

ExplainPartPtr linear_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background) {
  return std::make_unique<LinearPart>(on, term, background);
}

}  // namespace bochner
