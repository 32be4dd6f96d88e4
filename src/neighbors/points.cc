// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/require.h"
#include "rows/shifted.h"
#include "run/memory_plan.h"

namespace bochner {

namespace {

constexpr double kFar = 0x1p10;  // ranges from 0: floats keep half their digits
constexpr std::size_t kRowsOfPiece = 1024;

// Each row, by all threads.
template <class Visit>
void each_piece(const Workers& on, std::size_t rows, const Visit& visit) {
  on.threads.run((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t piece, int) {
    const std::size_t end = std::min(rows, (piece + 1) * kRowsOfPiece);
    for (std::size_t i = piece * kRowsOfPiece; i < end; ++i) visit(i);
  });
}

// Whole numbers from 0 to 255. False, and no bytes that count, where one is none.
bool take_bytes(const float* __restrict from, std::size_t count, std::uint8_t* __restrict to) {
  constexpr float kUnits = 0x1p23f;  // above it the last bits of a float count units: no comparison, which would branch
  std::uint32_t differ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = from[i] + 0.0f;  // no -0
    const auto whole = std::uint8_t(std::bit_cast<std::uint32_t>(value + kUnits));
    to[i] = whole;
    differ |= std::bit_cast<std::uint32_t>(float(whole)) ^ std::bit_cast<std::uint32_t>(value);
  }
  return differ == 0;
}

// Rows in their places as they come: where their number is known, in a matrix of that size. bytes: as bytes as long as
// they are whole numbers from 0 to 255.
class Filling {
 public:
  Filling(std::size_t inputs, std::optional<std::size_t> rows, double limit, bool bytes)
      : inputs_(inputs), as_bytes_(bytes), expected_(rows), limit_(limit) {
    if (as_bytes_ && rows && fits(1)) bytes_.reserve(*rows * inputs);
    if (!as_bytes_) start_floats();
  }
  void add(const RowBlock<float>& block) {
    if (as_bytes_) {
      if (add_bytes(block)) return;
      leave_bytes();
    }
    add_floats(block);
  }
  std::size_t numbers() const { return bytes_.size() + filled_ * inputs_ + more_.size(); }
  DenseRows rows() {
    constexpr int kCoarse = 127;  // a range in which halves would be told apart as well
    if (as_bytes_ && byte_ranges(bytes_.data(), count(), inputs_).widest() > kCoarse)
      return of_bytes(std::move(bytes_), inputs_);
    if (as_bytes_) leave_bytes();
    return matrix();
  }

 private:
  bool fits(std::size_t size) const { return double(*expected_) * double(inputs_) * double(size) < limit_; }
  std::size_t count() const { return inputs_ ? numbers() / inputs_ : 0; }
  void start_floats() {
    if (expected_ && fits(sizeof(float))) known_ = Matrix<float>(*expected_, inputs_);
  }
  bool add_bytes(const RowBlock<float>& block) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + block.rows * inputs_);
    for (std::size_t i = 0; i < block.rows; ++i)
      if (!take_bytes(block.values + i * block.stride, inputs_, bytes_.data() + before + i * inputs_)) {
        bytes_.resize(before);
        return false;
      }
    return true;
  }
  void leave_bytes() {
    const AlignedVector<std::uint8_t> bytes = std::move(bytes_);
    bytes_.clear();
    as_bytes_ = false;
    start_floats();
    std::vector<float> row(inputs_);
    for (std::size_t i = 0; inputs_ > 0 && i < bytes.size() / inputs_; ++i) {
      std::copy_n(bytes.data() + i * inputs_, inputs_, row.data());
      add_floats(RowBlock<float>::dense({row.data(), 1, inputs_, inputs_}));
    }
  }
  void add_floats(const RowBlock<float>& block) {
    if (!more_.empty() || filled_ + block.rows > known_.rows()) {
      for (std::size_t i = 0; i < block.rows; ++i)
        more_.insert(more_.end(), block.values + i * block.stride, block.values + i * block.stride + block.cols);
      return;
    }
    for (std::size_t i = 0; i < block.rows; ++i)
      std::copy_n(block.values + i * block.stride, inputs_, known_.data() + (filled_ + i) * inputs_);
    filled_ += block.rows;
  }
  Matrix<float> matrix() {
    if (filled_ == known_.rows() && more_.empty()) return std::move(known_);
    Matrix<float> all(count(), inputs_);
    std::copy_n(known_.data(), filled_ * inputs_, all.data());
    std::copy(more_.begin(), more_.end(), all.data() + filled_ * inputs_);
    return all;
  }

  std::size_t inputs_, filled_ = 0;
  bool as_bytes_;
  std::optional<std::size_t> expected_;
  double limit_;
  AlignedVector<std::uint8_t> bytes_;
  Matrix<float> known_;
  std::vector<float> more_;
};

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

Points read_points(Rows& rows, const Execution& execution, bool bytes) {
  Points points;
  points.sparse = rows.schema().sparse;
  points.inputs = rows.schema().inputs;
  const double limit = double(memory_limit(execution));
  std::vector<float> none;
  Filling dense(points.inputs, points.sparse ? std::nullopt : rows.size(), limit / 2, bytes && !points.sparse);
  if (points.sparse) points.offsets.push_back(0);
  RowBlock<float> block;
  rows.rewind();
  while (rows.next(4 * kChunkRows, block)) {
    if (execution.cancel && execution.cancel()) throw Stopped();
    if (execution.progress) execution.progress("reading", rows.fraction_read());
    if (points.sparse)
      append_block(block, points, none);
    else
      dense.add(block);
    const double held = double(dense.numbers() + points.values.size()) * 8;
    require(held < limit,
            "neighbours: the rows take more than the {} of memory that may be held; raise it, take fewer inputs by a "
            "projection first, or compare every pair, which reads the rows in blocks: method exact of a graph, or "
            "streamed_neighbors",
            size_text(limit));
  }
  if (!points.sparse) points.dense = dense.rows();
  if (points.size() >= kNoPoint)
    fail(Error::Kind::data, "neighbours: {} rows, expected fewer than 2^32", points.size());
  return points;
}

float largest_number(const Points& points) {
  float largest = 0;
  if (const std::uint8_t* bytes = points.sparse ? nullptr : points.dense.whole_bytes()) {
    const std::uint8_t* end = bytes + points.size() * points.inputs;
    std::uint8_t most = 0;
    for (const std::uint8_t* at = bytes; at != end; ++at) most = std::max(most, *at);
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
    each_piece(on, rows.rows(), [&](std::size_t i) { scale.apply(rows.data() + i * points.inputs, points.inputs); });
  }
  return points;
}

std::vector<double> squared_lengths(const Workers& on, const DenseRows& rows) {
  std::vector<double> squared(rows.rows());
  each_piece(on, rows.rows(), [&](std::size_t i) {
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
