// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// k(x, y) = x.y, beside other kernels in a sum: the features are the inputs. And the same of their squares.

#include <algorithm>

#include "maps/formula/formula.h"

namespace bochner {

namespace {

std::size_t one_of_each(const FormulaOptions& options, std::size_t) { return options.inputs; }

std::vector<double> draw_nothing(const FormulaOptions&) { return {}; }

template <double (*Of)(double)>
Formula of_inputs(const char* name) {
  return {.name = name,
          .parameters = {},
          .random = false,
          .features = one_of_each,
          .draw = draw_nothing,
          .drawn = [](const FormulaOptions&) { return 0.0; },
          .write =
              [](const FormulaOptions&, Numbers, MatrixView<const double> x, MatrixView<double> z) {
                for (std::size_t i = 0; i < x.rows; ++i) std::transform(x.row(i), x.row(i) + x.cols, z.row(i), Of);
              },
          .kernel =
              [](const FormulaOptions&, Numbers x, Numbers y) {
                double sum = 0;
                for (std::size_t j = 0; j < x.size(); ++j) sum += Of(x[j]) * Of(y[j]);
                return sum;
              },
          .variance = nullptr};
}

double itself(double x) { return x; }
double its_square(double x) { return x * x; }

}  // namespace

const Formula kLinear = of_inputs<itself>("linear");
const Formula kSquares = of_inputs<its_square>("squares");

}  // namespace bochner
