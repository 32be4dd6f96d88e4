// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// k(x, y) = x.y, beside other kernels in a sum: the features are the inputs. And the same of their squares.

#include <algorithm>

#include "maps/formula/formula.h"

namespace bochner {

const Formula kLinear = {.name = "linear",
                         .parameters = {},
                         .random = false,
                         .weights = 0,
                         .features = [](const FormulaOptions& options, std::size_t) { return options.inputs; },
                         .draw = [](const FormulaOptions&) { return std::vector<double>(); },
                         .write =
                             [](const FormulaOptions&, Numbers, MatrixView<const double> x, MatrixView<double> z) {
                               for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, z.row(i));
                             },
                         .kernel = [](const FormulaOptions&, Numbers x, Numbers y) { return dot(x, y); },
                         .variance = nullptr};

const Formula kSquares = {.name = "squares",
                          .parameters = {},
                          .random = false,
                          .weights = 0,
                          .features = [](const FormulaOptions& options, std::size_t) { return options.inputs; },
                          .draw = [](const FormulaOptions&) { return std::vector<double>(); },
                          .write =
                              [](const FormulaOptions&, Numbers, MatrixView<const double> x, MatrixView<double> z) {
                                for (std::size_t i = 0; i < x.rows; ++i)
                                  for (std::size_t j = 0; j < x.cols; ++j) z(i, j) = x(i, j) * x(i, j);
                              },
                          .kernel =
                              [](const FormulaOptions&, Numbers x, Numbers y) {
                                double sum = 0;
                                for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * x[j] * y[j] * y[j];
                                return sum;
                              },
                          .variance = nullptr};

}  // namespace bochner
