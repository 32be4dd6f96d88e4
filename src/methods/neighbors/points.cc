// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/pieces.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kPointRows = 1024;

}  // namespace

void Points::append(const Points& other) {
  require(sparse == other.sparse && inputs == other.inputs,
          "neighbours: rows of {} inputs, expected {} as in the index", other.inputs, inputs);
  if (!sparse) {
    Matrix<float> all(dense.rows() + other.dense.rows(), inputs);
    for (std::size_t i = 0; i < dense.rows(); ++i) dense.copy(i, all.data() + i * inputs);
    float* behind = all.data() + dense.rows() * inputs;
    for (std::size_t i = 0; i < other.dense.rows(); ++i) other.dense.copy(i, behind + i * inputs);
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
  if (!sparse) {
    std::vector<std::uint32_t> places;
    for (std::size_t i = 0; i < size(); ++i)
      if (!removed[i]) places.push_back(std::uint32_t(i));
    left.dense = dense.stored() ? dense.kept(places) : DenseRows(dense.at(places));
    return left;
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (removed[i]) continue;
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
    some.dense = dense.at(places);
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

void Points::each_block(const std::function<void(std::size_t, const RowBlock<float>&)>& visit) const {
  if (sparse || dense.is_plain()) return visit(0, block());
  Matrix<float> scratch;
  for (std::size_t first = 0; first < size(); first += kChunkRows) {
    const std::size_t count = std::min<std::size_t>(kChunkRows, size() - first);
    visit(first, RowBlock<float>::dense(dense.block(first, count, scratch)));
  }
}

float largest_number(const Points& points) {
  float largest = 0;
  if (const std::uint8_t* bytes = points.sparse ? nullptr : points.dense.whole_bytes()) {
    std::uint8_t most = 0;
    for (std::size_t i = 0; i < points.size() && most < 255; ++i)
      most = std::max(most, *std::max_element(bytes + i * points.inputs, bytes + (i + 1) * points.inputs));
    return float(most);
  }
  points.each_block([&](std::size_t, const RowBlock<float>& rows) {
    const std::size_t count = rows.sparse() ? points.values.size() : rows.rows * rows.cols;
    float lane[8] = {};  // side by side: one after the other would wait for each
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8)
      for (std::size_t k = 0; k < 8; ++k) lane[k] = std::max(lane[k], std::abs(rows.values[i + k]));
    for (; i < count; ++i) largest = std::max(largest, std::abs(rows.values[i]));
    largest = std::max(largest, *std::max_element(lane, lane + 8));
  });
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
  Matrix<float> scratch;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t begin = points.sparse ? points.offsets[i] : 0;
    const std::size_t count = points.sparse ? points.offsets[i + 1] - begin : points.inputs;
    const float* values = points.sparse ? points.values.data() + begin : points.dense.block(i, 1, scratch).row(0);
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
  if (metric != Metric::hamming || (!points.sparse && points.dense.holds_bits())) return;
  const auto bad = [](float value) { return value != 0 && value != 1; };
  Matrix<float> scratch;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float* begin =
        points.sparse ? points.values.data() + points.offsets[i] : points.dense.block(i, 1, scratch).row(0);
    const float* end = begin + (points.sparse ? points.offsets[i + 1] - points.offsets[i] : points.inputs);
    const float* at = std::find_if(begin, end, bad);
    require(at == end, "metric: hamming compares inputs of 0 and 1, found {} in row {}; euclidean takes any numbers",
            at == end ? 0.0f : *at, i);
  }
}

Points scaled_for(const Workers& on, Metric metric, Points points, int exponent) {
  if (metric == Metric::jaccard) return as_sets(points);
  const RowScale scale{.unit = metric == Metric::cosine, .exponent = exponent};
  if (points.sparse) {
    for (std::size_t i = 0; i < points.size(); ++i)
      scale.apply(points.values.data() + points.offsets[i], points.offsets[i + 1] - points.offsets[i]);
  } else if (points.dense.stored()) {
    points.dense = points.dense.scaled(scale);
  } else {
    Matrix<float>& rows = points.dense.matrix();
    each_in_pieces(on.threads, rows.rows(), kPointRows,
                   [&](std::size_t i) { scale.apply(rows.data() + i * points.inputs, points.inputs); });
  }
  return points;
}

std::vector<double> squared_lengths(const Workers& on, const DenseRows& rows) {
  std::vector<double> squared(rows.rows());
  each_in_pieces(on.threads, rows.rows(), kPointRows, [&](std::size_t i) {
    thread_local Matrix<float> scratch;
    const float* x = rows.block(i, 1, scratch).row(0);
    double sum = 0;
    for (std::size_t j = 0; j < rows.cols(); ++j) sum += double(x[j]) * double(x[j]);
    squared[i] = sum;
  });
  return squared;
}

std::vector<float> half_norms(const Workers& on, Metric metric, const DenseRows& points) {
  std::vector<float> half(points.rows());
  if (metric == Metric::cosine || metric == Metric::inner) return half;
  const std::vector<double> squared = squared_lengths(on, points);
  for (std::size_t i = 0; i < half.size(); ++i) half[i] = float(squared[i] / 2);
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
