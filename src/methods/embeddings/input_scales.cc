// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/input_scales.h"

#include <algorithm>
#include <cmath>

namespace bochner {

namespace {

double scale_of(MatrixView<const double> sample, std::size_t input) {
  std::vector<double> values(sample.rows);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = sample(i, input);
  std::sort(values.begin(), values.end());
  for (const std::size_t trim : {values.size() / 100, std::size_t(0)}) {
    const double low = values[trim], high = values[values.size() - 1 - trim];
    double mean = 0, square = 0;
    for (const double v : values) mean += std::clamp(v, low, high) / double(values.size());
    for (const double v : values) square += std::pow(std::clamp(v, low, high) - mean, 2) / double(values.size());
    if (low < high && std::isnormal(std::sqrt(square))) return std::sqrt(square);
  }
  return std::max(1.0, std::fabs(values.empty() ? 0 : values[0]));
}

}  // namespace

std::vector<double> number_scales(MatrixView<const double> sample) {
  std::vector<double> scales;
  for (std::size_t j = 0; j < sample.cols; ++j) scales.push_back(scale_of(sample, j));
  return scales;
}

std::vector<double> input_scales(const Schema& schema, MatrixView<const double> sample) {
  if (schema.columns.empty()) return number_scales(sample);
  std::vector<double> scales;
  for (const Column& column : schema.columns) {
    if (column.kind == Column::Kind::numeric) scales.push_back(scale_of(sample, scales.size()));
    const std::size_t indicators = column.inputs() - (column.kind == Column::Kind::numeric ? 1 : 0);
    scales.insert(scales.end(), indicators, 1.0);
  }
  return scales;
}

Matrix<double> divided(MatrixView<const double> x, const std::vector<double>& scales) {
  Matrix<double> scaled(x.rows, x.cols);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) scaled(i, j) = x(i, j) / scales[j];
  return scaled;
}

}  // namespace bochner
