// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "backend/workers.h"
#include "bochner/independence.h"
#include "bochner/map.h"
#include "bochner/row_block.h"

namespace bochner {

// [z(x), u(y)] of rows with targets y that are numbers.
Matrix<float> joint_features(const Workers& on, const RowBlock<float>& x, const Map& z, const Map& u);

// Features of both sides of a pair of inputs and targets: bandwidth h of one belongs to bandwidth h of the other.
class PairFeatures {
 public:
  // x, y: a sample of inputs and targets, for scales and median distances.
  PairFeatures(const Schema& schema, const Matrix<double>& x, const Matrix<double>& y,
               const IndependenceOptions& given);

  std::size_t several() const { return several_; }
  std::size_t left() const { return features_; }  // features of a bandwidth
  std::size_t right() const { return classes_ > 0 ? classes_ : features_; }
  std::size_t all_left() const { return several_ * left(); }
  std::size_t all_right() const { return classes_ > 0 ? classes_ : several_ * features_; }
  std::size_t right_begin(std::size_t h) const { return classes_ > 0 ? 0 : h * features_; }

  // rows x (all_left + all_right).
  Matrix<float> of(const Workers& on, const RowBlock<float>& x) const;

 private:
  static MapPtr map_of(const std::vector<double>& scales, const Matrix<double>& sample,
                       const IndependenceOptions& given, std::size_t stream);

  std::size_t classes_, several_, features_ = 0;
  MapPtr inputs_, targets_;
};

// Each row, or each column, less its mean.
void centre_rows(MatrixView<float> z);
void centre_columns(MatrixView<float> z);

// Features of each column alone: cosines of the ranks of numbers, levels of text. None where they are too many.
struct ColumnFeatures {
  std::vector<std::string> names;
  std::vector<std::size_t> edges = {0};  // where each column's features begin, and the end
  Matrix<float> across;                  // a row for each feature, less its mean
};
constexpr std::size_t kRankFeatures = 6, kMostColumnFeatures = 2048;  // features of a number; of all columns
ColumnFeatures column_features(const Schema& schema, MatrixView<const double> x);

}  // namespace bochner
