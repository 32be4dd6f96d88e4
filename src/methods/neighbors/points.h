// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <vector>

#include "backend/nearest.h"
#include "backend/workers.h"
#include "bochner/neighbors.h"
#include "methods/neighbors/dense_rows.h"

namespace bochner {

// Rows as a search takes them, dense or CSR: of length 1 for cosines, otherwise times a power of two that keeps squares
// within floats.
struct Points {
  DenseRows dense;                   // rows x inputs, where not sparse
  std::vector<std::size_t> offsets;  // CSR, where sparse
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  bool sparse = false;
  std::size_t inputs = 0;

  std::size_t size() const { return sparse ? offsets.size() - 1 : dense.rows(); }
  void append(const Points& other);
  Points without(const std::vector<bool>& removed) const;
  Points at(std::span<const std::uint32_t> places) const;
  RowBlock<float> block() const;  // a view, of plain rows
  // All rows, some at a time.
  void each_block(const std::function<void(std::size_t first, const RowBlock<float>& rows)>& visit) const;
  std::size_t nonzeros() const { return values.size(); }
};

// exponent: rows are multiplied by 2^exponent; for cosines each is divided by its length first. Rows of length 0 stay.
// Rows that are stored stay where they are. For Jaccard's similarity they become sets: CSR rows with a 1 wherever a row
// is not 0.
Points scaled_for(const Workers& on, Metric metric, Points points, int exponent);
// The exponent that makes the largest number of the rows about 1.
int scale_exponent(const Points& points);
float largest_number(const Points& points);  // largest |number|
int scale_exponent(float largest);

// Whether near is a small |x - y|^2: rows that may be searched by their coordinates.
bool by_distance(Metric metric);
// std::invalid_argument for rows that the metric does not compare: Hamming's takes 0 and 1.
void check_inputs(Metric metric, const Points& points);

// |x|^2 of each.
std::vector<double> squared_lengths(const Workers& on, const DenseRows& rows);
// |y|^2 / 2 of each; 0 where rows are compared by their products.
std::vector<float> half_norms(const Workers& on, Metric metric, const DenseRows& points);

// The best points of some rows so far.
class Best {
 public:
  Best(std::size_t rows, std::size_t keep);
  std::size_t keep() const { return keep_; }
  Best first(std::size_t keep) const;  // the first `keep` of each row
  NearestView view(std::size_t row = 0) { return NearestView{keep_, values_.data(), numbers_.data()}.slice(row); }
  const std::uint32_t* numbers(std::size_t row) const { return numbers_.data() + row * keep_; }
  const float* values(std::size_t row) const { return values_.data() + row * keep_; }

 private:
  std::size_t keep_;
  std::vector<float> values_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace bochner
