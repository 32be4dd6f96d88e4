// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/row_moments.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "folds/binned_sums.h"

namespace bochner {

namespace {

constexpr std::size_t kStrip = 256;        // columns of dense rows that a thread sums at a time
constexpr std::size_t kSparseStrips = 16;  // strips of CSR rows are few: each looks for its place in every row

// The sums of some columns of one chunk, in the order of its rows.
template <class T>
struct StripSums {
  double sum[kStrip] = {}, square[kStrip] = {};
  T largest = 0;

  void add(const T* x, std::size_t width) {
    for (std::size_t j = 0; j < width; ++j) {
      const double value = double(x[j]);
      sum[j] += value;
      square[j] += value * value;
    }
    for (std::size_t j = 0; j < width; ++j) largest = std::max(largest, std::abs(x[j]));
  }
};

}  // namespace

template <class T>
void RowMoments::add(const Workers& on, const RowBlock<T>& x) {
  require(x.cols == cols(), "moments: block has {} columns, expected {}", x.cols, cols());
  const std::size_t most = x.sparse() ? (x.cols + kSparseStrips - 1) / kSparseStrips : kStrip;
  std::vector<T> largest((x.cols + most - 1) / most);
  const std::vector<std::size_t> edges = chunk_edges(x.first, x.rows);
  on.threads.run(largest.size(), [&](std::size_t strip, int) {
    const std::size_t first = strip * most, width = std::min(most, x.cols - first);
    largest[strip] = x.sparse() ? add_csr(x, first, width) : add_dense(x, edges, first, width);
  });
  for (const T value : largest) largest_ = std::max(largest_, double(value));
  rows_ += x.rows;
}

template <class T>
T RowMoments::add_dense(const RowBlock<T>& x, const std::vector<std::size_t>& edges, std::size_t first,
                        std::size_t width) {
  T largest = 0;
  for (std::size_t c = 0; c + 1 < edges.size(); ++c) {
    StripSums<T> sums;
    for (std::size_t i = edges[c]; i < edges[c + 1]; ++i) sums.add(x.values + i * x.stride + first, width);
    for (std::size_t j = 0; j < width; ++j) {
      sums_[first + j].add(sums.sum[j]);
      squares_[first + j].add(sums.square[j]);
    }
    largest = std::max(largest, sums.largest);
  }
  return largest;
}

// Number by number, so that a row costs what it holds.
template <class T>
T RowMoments::add_csr(const RowBlock<T>& x, std::size_t first, std::size_t width) {
  T largest = 0;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::uint32_t* const end = x.columns + x.offsets[i + 1];
    const std::uint32_t* c = std::lower_bound(x.columns + x.offsets[i], end, first);
    for (; c < end && *c < first + width; ++c) {
      const T value = x.values[c - x.columns];
      sums_[*c].add(double(value));
      squares_[*c].add(double(value) * double(value));
      largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

template void RowMoments::add(const Workers&, const RowBlock<float>&);
template void RowMoments::add(const Workers&, const RowBlock<double>&);

void RowMoments::merge(const RowMoments& other) {
  require(cols() == other.cols(), "moments: {} columns, expected {}", other.cols(), cols());
  rows_ += other.rows_;
  largest_ = std::max(largest_, other.largest_);
  for (std::size_t j = 0; j < cols(); ++j) {
    sums_[j].merge(other.sums_[j]);
    squares_[j].merge(other.squares_[j]);
  }
}

void RowMoments::widen(std::size_t cols) {
  require(cols >= sums_.size(), "moments: {} columns, expected {} or more", cols, sums_.size());
  sums_.resize(cols);
  squares_.resize(cols);
}

void RowMoments::save(Archive& archive) const {
  archive.put_count("rows", rows_);
  archive.put_number("largest", largest_);
  put_sums(archive, "sums", sums_);
  put_sums(archive, "squares", squares_);
}

void RowMoments::load(const Archive& archive) {
  rows_ = archive.get_count("rows");
  largest_ = archive.get_number("largest");
  sums_ = get_sums(archive, "sums", cols());
  squares_ = get_sums(archive, "squares", cols());
}

std::vector<double> RowMoments::mean() const {
  std::vector<double> mean;
  for (const BinnedSum& sum : sums_) mean.push_back(rows_ ? sum.value() / double(rows_) : 0);
  return mean;
}

double RowMoments::deviation(std::size_t column) const {
  if (rows_ == 0) return 0;
  const double mean = sums_[column].value() / double(rows_);
  return std::sqrt(std::max(0.0, squares_[column].value() / double(rows_) - mean * mean));
}

double RowMoments::total() const {
  double sum = 0;
  for (const BinnedSum& square : squares_) sum += square.value();
  return sum;
}

double RowMoments::centered() const {
  double sum = 0;
  for (std::size_t j = 0; j < cols(); ++j) {
    const double mean = rows_ ? sums_[j].value() / double(rows_) : 0;
    sum += std::max(0.0, squares_[j].value() - mean * sums_[j].value());
  }
  return sum;
}

}  // namespace bochner
