// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "rows/shifted.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

constexpr double kFar = 0x1p10;  // ranges from 0: floats keep half their digits

}  // namespace

void Points::append(const Points& other) {
  require(sparse == other.sparse && inputs == other.inputs,
          "neighbours: rows of {} inputs, expected {} as in the index", other.inputs, inputs);
  if (!sparse) {
    Matrix<float> all(dense.rows() + other.dense.rows(), inputs);
    std::copy_n(dense.data(), dense.rows() * inputs, all.data());
    std::copy_n(other.dense.data(), other.dense.rows() * inputs, all.data() + dense.rows() * inputs);
    dense = std::move(all);
    return;
  }
  const std::size_t before = values.size();
  for (std::size_t i = 1; i < other.offsets.size(); ++i) offsets.push_back(before + other.offsets[i]);
  columns.insert(columns.end(), other.columns.begin(), other.columns.end());
  values.insert(values.end(), other.values.begin(), other.values.end());
}

Points Points::without(const std::vector<bool>& removed) const {
  Points left;
  left.sparse = sparse;
  left.inputs = inputs;
  if (sparse) left.offsets.push_back(0);
  const std::size_t count = std::size_t(std::count(removed.begin(), removed.end(), false));
  if (!sparse) left.dense = Matrix<float>(count, inputs);
  std::size_t to = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (removed[i]) continue;
    if (!sparse) {
      std::copy_n(&dense(i, 0), inputs, &left.dense(to++, 0));
      continue;
    }
    const auto begin = std::ptrdiff_t(offsets[i]), end = std::ptrdiff_t(offsets[i + 1]);
    left.columns.insert(left.columns.end(), columns.begin() + begin, columns.begin() + end);
    left.values.insert(left.values.end(), values.begin() + begin, values.begin() + end);
    left.offsets.push_back(left.values.size());
  }
  return left;
}

Points Points::at(std::span<const std::uint32_t> places) const {
  Points some;
  some.sparse = sparse;
  some.inputs = inputs;
  if (!sparse) {
    some.dense = Matrix<float>(places.size(), inputs);
    for (std::size_t i = 0; i < places.size(); ++i) std::copy_n(&dense(places[i], 0), inputs, &some.dense(i, 0));
    return some;
  }
  some.offsets.push_back(0);
  for (const std::uint32_t place : places) {
    const auto begin = std::ptrdiff_t(offsets[place]), end = std::ptrdiff_t(offsets[place + 1]);
    some.columns.insert(some.columns.end(), columns.begin() + begin, columns.begin() + end);
    some.values.insert(some.values.end(), values.begin() + begin, values.begin() + end);
    some.offsets.push_back(some.values.size());
  }
  return some;
}

RowBlock<float> Points::block() const {
  if (!sparse) return RowBlock<float>::dense(dense.view());
  RowBlock<float> block;
  block.rows = size();
  block.cols = inputs;
  block.values = values.data();
  block.offsets = offsets.data();
  block.columns = columns.data();
  return block;
}

Rows& without_far_offsets(Rows& rows, Metric metric, std::unique_ptr<Rows>& owner) {
  if (metric != Metric::euclidean || rows.schema().sparse || !rows.schema().offsets.empty()) return rows;
  rows.rewind();
  RowBlock<double> block;
  if (!rows.next(kChunkRows, block)) return rows;
  std::vector<double> offsets(block.cols);
  bool any = false;
  for (std::size_t j = 0; j < block.cols; ++j) {
    double low = block.values[j], high = low;
    for (std::size_t i = 1; i < block.rows; ++i) {
      low = std::min(low, block.values[i * block.stride + j]);
      high = std::max(high, block.values[i * block.stride + j]);
    }
    if (std::min(std::abs(low), std::abs(high)) <= kFar * (high - low) || low == high) continue;
    offsets[j] = low;
    any = true;
  }
  return any ? with_offsets(rows, offsets, owner) : rows;
}

void append_block(const RowBlock<float>& block, Points& points, std::vector<float>& dense) {
  if (!block.sparse()) {
    for (std::size_t i = 0; i < block.rows; ++i)
      dense.insert(dense.end(), block.values + i * block.stride, block.values + i * block.stride + block.cols);
    return;
  }
  const std::size_t from = block.offsets[0];
  for (std::size_t i = 0; i < block.rows; ++i)
    points.offsets.push_back(points.values.size() + block.offsets[i + 1] - from);
  points.columns.insert(points.columns.end(), block.columns + from, block.columns + block.offsets[block.rows]);
  points.values.insert(points.values.end(), block.values + from, block.values + block.offsets[block.rows]);
}

Matrix<float> as_matrix(const std::vector<float>& dense, std::size_t inputs) {
  Matrix<float> matrix(dense.size() / std::max<std::size_t>(inputs, 1), inputs);
  std::copy(dense.begin(), dense.end(), matrix.data());
  return matrix;
}

Points read_points(Rows& rows, const Execution& execution) {
  Points points;
  points.sparse = rows.schema().sparse;
  points.inputs = rows.schema().inputs;
  const double limit = double(memory_limit(execution));
  std::vector<float> dense;
  if (points.sparse) points.offsets.push_back(0);
  RowBlock<float> block;
  rows.rewind();
  while (rows.next(4 * kChunkRows, block)) {
    if (execution.cancel && execution.cancel()) throw Stopped();
    if (execution.progress) execution.progress("reading", rows.fraction_read());
    append_block(block, points, dense);
    const double bytes = double(dense.size() + points.values.size()) * 8;
    require(bytes < limit,
            "neighbours: the rows take more than the {} of memory that may be held; raise it, take fewer inputs by a "
            "projection first, or compare every pair, which reads the rows in blocks: method exact of a graph, or "
            "streamed_neighbors",
            size_text(limit));
  }
  if (!points.sparse) points.dense = as_matrix(dense, points.inputs);
  if (points.size() >= kNoPoint)
    fail(Error::Kind::data, "neighbours: {} rows, expected fewer than 2^32", points.size());
  return points;
}

float largest_number(const Points& points) {
  float largest = 0;
  const float* values = points.sparse ? points.values.data() : points.dense.data();
  const std::size_t count = points.sparse ? points.values.size() : points.dense.rows() * points.inputs;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(values[i]));
  return largest;
}

int scale_exponent(float largest) { return largest > 0 ? -std::ilogb(largest) : 0; }
int scale_exponent(const Points& points) { return scale_exponent(largest_number(points)); }

namespace {

Points as_sets(const Points& points) {
  Points sets;
  sets.sparse = true;
  sets.inputs = points.inputs;
  sets.offsets.push_back(0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t begin = points.sparse ? points.offsets[i] : 0;
    const std::size_t count = points.sparse ? points.offsets[i + 1] - begin : points.inputs;
    const float* values = points.sparse ? points.values.data() + begin : &points.dense(i, 0);
    for (std::size_t j = 0; j < count; ++j)
      if (values[j] != 0) sets.columns.push_back(points.sparse ? points.columns[begin + j] : std::uint32_t(j));
    sets.offsets.push_back(sets.columns.size());
  }
  sets.values.assign(sets.columns.size(), 1.0f);
  return sets;
}

}  // namespace

bool by_distance(Metric metric) { return metric != Metric::inner && metric != Metric::jaccard; }

void check_inputs(Metric metric, const Points& points) {
  if (metric != Metric::hamming) return;
  const auto bad = [](float value) { return value != 0 && value != 1; };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float* begin = points.sparse ? points.values.data() + points.offsets[i] : &points.dense(i, 0);
    const float* end = begin + (points.sparse ? points.offsets[i + 1] - points.offsets[i] : points.inputs);
    const float* at = std::find_if(begin, end, bad);
    require(at == end, "metric: hamming compares inputs of 0 and 1, found {} in row {}; euclidean takes any numbers",
            at == end ? 0.0f : *at, i);
  }
}

Points scaled_for(Metric metric, Points points, int exponent) {
  if (metric == Metric::jaccard) return as_sets(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    float* begin = points.sparse ? points.values.data() + points.offsets[i] : points.dense.data() + i * points.inputs;
    const std::size_t count = points.sparse ? points.offsets[i + 1] - points.offsets[i] : points.inputs;
    double factor = std::ldexp(1.0, exponent);
    if (metric == Metric::cosine) {
      double squared = 0;
      for (std::size_t j = 0; j < count; ++j) squared += double(begin[j]) * double(begin[j]);
      factor = squared > 0 ? 1 / std::sqrt(squared) : 1;
    }
    for (std::size_t j = 0; j < count; ++j) begin[j] = float(double(begin[j]) * factor);
  }
  return points;
}

std::vector<double> squared_lengths(MatrixView<const float> rows) {
  std::vector<double> squared(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) squared[i] += double(rows(i, j)) * double(rows(i, j));
  return squared;
}

std::vector<float> half_norms(Metric metric, MatrixView<const float> points) {
  std::vector<float> half(points.rows);
  if (metric == Metric::cosine || metric == Metric::inner) return half;
  const std::vector<double> squared = squared_lengths(points);
  for (std::size_t i = 0; i < points.rows; ++i) half[i] = float(squared[i] / 2);
  return half;
}

Best::Best(std::size_t rows, std::size_t keep)
    : keep_(keep), values_(rows * keep, std::numeric_limits<float>::infinity()), numbers_(rows * keep, kNoPoint) {}

Best Best::first(std::size_t keep) const {
  const std::size_t rows = keep_ ? values_.size() / keep_ : 0;
  Best some(rows, keep);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(values(i), std::min(keep, keep_), some.view(i).values);
    std::copy_n(numbers(i), std::min(keep, keep_), some.view(i).numbers);
  }
  return some;
}

}  // namespace bochner
