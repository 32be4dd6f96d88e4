// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bochner/rows.h"

namespace bochner {

using Numbers = std::vector<std::size_t>;

inline Numbers numbers(std::size_t begin, std::size_t end) {
  Numbers all(end - begin);
  std::iota(all.begin(), all.end(), begin);
  return all;
}

// Rows of numbers with a target, drawn by a seed; some of them can be read at a time.
struct Table {
  std::size_t n, d, classes;  // classes 0: the target is a number
  bool weighted;
  Matrix<double> x, y;
  std::vector<double> weights;

  Table(std::size_t rows, std::size_t inputs, std::size_t kinds, bool has_weights, unsigned seed)
      : n(rows), d(inputs), classes(kinds), weighted(has_weights), x(rows, inputs), y(rows, 1), weights(rows) {
    std::mt19937 draw(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j) sum += x(i, j) = normal(draw);
      y(i, 0) = classes ? double(std::size_t(std::abs(sum) * 1.3) % classes) : std::sin(sum) + 0.1 * normal(draw);
      weights[i] = 0.25 + double(draw() % 8);
    }
    for (std::size_t c = 0; c < classes; ++c) y(c, 0) = double(c);  // no class is empty
  }

  Schema schema() const {
    Schema schema;
    schema.inputs = d;
    schema.targets = 1;
    schema.task = classes ? Task::classification : Task::regression;
    for (std::size_t c = 0; c < classes; ++c) schema.labels.push_back("class" + std::to_string(c));
    return schema;
  }

  // Copies of some rows, in this order.
  struct Some {
    Matrix<double> x, y;
    std::vector<double> weights;
    std::unique_ptr<Rows> rows;
  };
  Some some(const Numbers& which) const { return some(which, schema()); }
  Some some(const Numbers& which, const Schema& schema) const {
    Some part{Matrix<double>(which.size(), d), Matrix<double>(which.size(), 1), {}, {}};
    for (std::size_t i = 0; i < which.size(); ++i) {
      for (std::size_t j = 0; j < d; ++j) part.x(i, j) = x(which[i], j);
      part.y(i, 0) = y(which[i], 0);
      part.weights.push_back(weights[which[i]]);
    }
    const Matrix<double>&a = part.x, &b = part.y;
    part.rows = memory_rows<double>(a.view(), b.view(), schema, weighted ? part.weights.data() : nullptr);
    return part;
  }
};

}  // namespace bochner
